// static: each device runs what it was dealt in one chunk, and nobody steals. There to be compared with.
#include "policies.hpp"

namespace skua {
namespace {

class StaticPolicy final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion& question) const override { return question.share_items; }
  bool steals() const override { return false; }
};

}  // namespace

std::unique_ptr<ChunkPolicy> make_static(const std::string& argument) {
  expect_no_argument("static", argument);
  return std::make_unique<StaticPolicy>();
}

}  // namespace skua
