// Counting, and what follows from the counted intervals.
#include "ledger.hpp"

#include <algorithm>

namespace skua {

Ledger::Ledger(const Granules& granules, const std::vector<std::string>& device_names) : granules_(granules) {
  for (std::size_t device = 0; device < device_names.size(); ++device) {
    accounts_.emplace_back();
    change(static_cast<std::uint32_t>(device), [&](DeviceReport& account) { account.name = device_names[device]; });
  }
}

void Ledger::count(std::uint32_t device, Interval granules, std::int64_t end_ns) {
  Account& account = accounts_[device];
  {
    const Lock lock(account.mutex);
    if (!account.done.empty() && account.done.back().back == granules.front) {
      account.done.back().back = granules.back;
    } else {
      account.done.push_back(granules);
    }
    account.report.items += granules_.items_in(granules);
  }
  // The launch that is seen last need not be the one that ended last.
  std::int64_t latest_ns = latest_end_ns_.load(std::memory_order_relaxed);
  while (latest_ns < end_ns && !latest_end_ns_.compare_exchange_weak(latest_ns, end_ns, std::memory_order_relaxed)) {
  }
  counted_.fetch_add(granules.size(), std::memory_order_acq_rel);
}

std::uint64_t Ledger::items_counted() const noexcept {
  const std::uint64_t granules = granules_counted();
  return granules >= granules_.count() ? granules_.items()
                                       : std::min(granules_.items(), granules * granules_.granule_items());
}

DeviceReport Ledger::account(std::uint32_t device) const {
  const Account& account = accounts_[device];
  const Lock lock(account.mutex);
  return account.report;
}

std::vector<Interval> Ledger::done() const {
  std::vector<Interval> all;
  for (const Account& account : accounts_) {
    const Lock lock(account.mutex);
    all.insert(all.end(), account.done.begin(), account.done.end());
  }
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.front < b.front; });
  return all;
}

std::vector<Interval> Ledger::not_done(Interval granules) const {
  std::vector<Interval> gaps;
  std::uint32_t next = granules.front;
  for (const Interval& counted : done()) {
    const std::uint32_t front = std::min(counted.front, granules.back);
    if (next < front) gaps.push_back({next, front});
    next = std::max(next, counted.back);
  }
  if (next < granules.back) gaps.push_back({next, granules.back});
  return gaps;
}

}  // namespace skua
