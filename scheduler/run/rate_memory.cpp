// A cache of the loops that ran last.
#include "rate_memory.hpp"

namespace skua {

std::shared_ptr<LoopMemory> RateMemory::of(const LoopKey& key) {
  const Lock lock(mutex_);
  const auto found = places_.find(key);
  if (found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().second;
  }
  if (entries_.size() == loops_max) {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
  entries_.emplace_front(key, std::make_shared<LoopMemory>());
  entries_.front().second->devices.resize(device_count_);
  places_.emplace(key, entries_.begin());
  return entries_.front().second;
}

}  // namespace skua
