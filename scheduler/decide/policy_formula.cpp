// formula: all chunks of max(1024, N / (8 P)) items.
#include "policies.hpp"

namespace skua {
namespace {

class FormulaPolicy final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion& question) const override { return largest_items(question); }
};

}  // namespace

std::unique_ptr<ChunkPolicy> make_formula(const std::string& argument) {
  expect_no_argument("formula", argument);
  return std::make_unique<FormulaPolicy>();
}

}  // namespace skua
