// What was learnt of each device at each loop, between Jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include <decide/feedback.hpp>
#include <decide/place_costs.hpp>
#include <job/mutex.hpp>

namespace skua {

/// Which loop: the type of its kernel, and with it the place in the source; and the name that the program gave it.
struct LoopKey {
  std::type_index kernel;
  std::string name;
  auto operator<=>(const LoopKey&) const = default;
};

/// Of one loop.
struct LoopMemory {
  std::vector<Feedback> devices;  ///< one for each
  PlaceCosts costs;
  std::uint64_t items = 0;  ///< of the loop that the costs are of
};

/// Threads: any; what it gives, one for each device.
class RateMemory {
 public:
  /// More loops than this are not remembered: those that ran longest ago are forgotten.
  static constexpr std::size_t loops_max = 1024;

  explicit RateMemory(std::size_t device_count) : device_count_(device_count) {}

  /// Whoever holds it keeps it, even when it is forgotten here.
  std::shared_ptr<LoopMemory> of(const LoopKey& key) SKUA_EXCLUDES(mutex_);

 private:
  using Entry = std::pair<LoopKey, std::shared_ptr<LoopMemory>>;

  std::size_t device_count_;
  Mutex mutex_;
  std::list<Entry> entries_ SKUA_GUARDED_BY(mutex_);  ///< the latest first
  std::map<LoopKey, std::list<Entry>::iterator> places_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
