// factoring, the default: min(max(1024, N / (8 P)), w R / (4 P)), shared out to the launches that make up a chunk, and
// never less than fills the device and hides a launch. Weighted factoring after Hummel, Schmidt, Uma, Wein:
// Load-sharing in heterogeneous systems via weighted factoring, SPAA 1996.
#include "policies.hpp"

namespace skua {
namespace {

class FactoringPolicy final : public ChunkPolicy {
 public:
  bool adapts() const override { return true; }
  std::uint64_t next_items(const ChunkQuestion& question) const override {
    const double weighted = question.weight * static_cast<double>(question.items_left) / (4.0 * question.devices);
    // A weight that is none (no device has a rate yet) asks for nothing of its own.
    const std::uint64_t wanted = weighted > 0 ? static_cast<std::uint64_t>(std::min(weighted, 0x1p63)) : 0;
    const std::uint64_t largest = question.largest_items != 0 ? question.largest_items : largest_items(question);
    const std::uint64_t items = std::max(question.smallest_items, std::min(largest, wanted) / question.launches);
    // A rest of the Share that would fill less than half of the smallest chunk is no chunk of its own.
    const bool rest_is_small =
        question.share_items > items && question.share_items - items < question.smallest_items / 2;
    const bool takes_all = rest_is_small && question.share_items <= std::max(items, largest);
    return takes_all ? question.share_items : items;
  }
};

}  // namespace

std::unique_ptr<ChunkPolicy> make_factoring(const std::string& argument) {
  expect_no_argument("factoring", argument);
  return std::make_unique<FactoringPolicy>();
}

}  // namespace skua
