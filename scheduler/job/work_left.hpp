// What is left of a Job: the Shares of its devices, and what failed devices gave back or the Job received.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "granules.hpp"
#include "mutex.hpp"
#include "share.hpp"
#include "work.hpp"

namespace skua {

/// Threads: any.
class WorkLeft {
 public:
  using Word = std::shared_ptr<std::atomic<std::uint64_t>>;

  /// `deal`: what each device begins with; `words`: where the words of their Shares lie.
  WorkLeft(const Granules& granules, const std::vector<Interval>& deal, std::vector<Word> words);

  Share& share(std::uint32_t device) { return shares_[device]; }
  const Share& share(std::uint32_t device) const { return shares_[device]; }

  /// In all Shares; a look at each.
  std::uint64_t items_in_shares() const noexcept;
  double work_in_shares(const Work& work) const noexcept;

  /// Granules that are nobody's: a failed device's, or new ones of a Job that receives.
  void put_orphan(Interval granules) SKUA_EXCLUDES(mutex_);
  /// A look.
  bool any_orphan() const noexcept { return orphan_count_.load(std::memory_order_acquire) != 0; }
  /// At most `wanted` of them, but never crumbs. Returns an empty interval when there are none.
  Interval take_orphan(std::uint32_t wanted) SKUA_EXCLUDES(mutex_);

 private:
  const Granules& granules_;
  std::vector<Word> words_;
  std::deque<Share> shares_;
  std::atomic<std::uint32_t> orphan_count_{0};
  Mutex mutex_;
  std::vector<Interval> orphans_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
