// Shares and orphans.
#include "work_left.hpp"

#include <algorithm>

namespace skua {

WorkLeft::WorkLeft(const Granules& granules, const std::vector<Interval>& deal, std::vector<Word> words)
    : granules_(granules), words_(std::move(words)) {
  for (std::size_t device = 0; device < deal.size(); ++device) {
    shares_.emplace_back(*words_[device]).put(deal[device]);
  }
}

std::uint64_t WorkLeft::items_in_shares() const noexcept {
  std::uint64_t granules = 0;
  for (const Share& share : shares_) granules += share.look().size();
  // The last granule may be short, and granules that move while we look may be seen twice.
  return granules >= granules_.count() ? granules_.items() : granules * granules_.granule_items();
}

double WorkLeft::work_in_shares(const Work& work) const noexcept {
  double sum = 0;
  for (const Share& share : shares_) sum += work.of(share.look());
  return std::min(sum, static_cast<double>(granules_.items()));
}

void WorkLeft::put_orphan(Interval granules) {
  const Lock lock(mutex_);
  orphans_.push_back(granules);
  orphan_count_.fetch_add(1, std::memory_order_release);  // pairs with any_orphan's load
}

Interval WorkLeft::take_orphan(std::uint32_t wanted) {
  if (!any_orphan()) return {};
  const Lock lock(mutex_);
  if (orphans_.empty()) return {};
  Interval& orphan = orphans_.back();
  // Policies know only of what lies in Shares, and may ask for next to nothing when those are empty.
  const auto device_count = static_cast<std::uint32_t>(shares_.size());
  const std::uint32_t part = (orphan.size() - 1) / (4 * device_count) + 1;
  const Interval taken{orphan.front, orphan.front + std::min(std::max(wanted, part), orphan.size())};
  orphan.front = taken.back;
  if (orphan.empty()) {
    orphans_.pop_back();
    orphan_count_.fetch_sub(1, std::memory_order_relaxed);
  }
  return taken;
}

}  // namespace skua
