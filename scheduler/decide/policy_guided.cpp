// guided: R / (2 P), whatever the device's rate.
#include "policies.hpp"

namespace skua {
namespace {

class GuidedPolicy final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion& question) const override {
    return std::max(question.smallest_items, question.items_left / (2 * std::uint64_t{question.devices}));
  }
};

}  // namespace

std::unique_ptr<ChunkPolicy> make_guided(const std::string& argument) {
  expect_no_argument("guided", argument);
  return std::make_unique<GuidedPolicy>();
}

}  // namespace skua
