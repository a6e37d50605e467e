// What was learnt of each device at each loop, between Jobs.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include <decide/feedback.hpp>
#include <job/mutex.hpp>

namespace skua {

/// Which loop: the type of its kernel, and with it the place in the source; and the name that the program gave it.
struct LoopKey {
  std::type_index kernel;
  std::string name;
  auto operator<=>(const LoopKey&) const = default;
};

/// Threads: any; what it gives, one for each device.
class RateMemory {
 public:
  /// More loops than this are not remembered: those that ran longest ago are forgotten.
  static constexpr std::size_t loops_max = 1024;

  explicit RateMemory(std::size_t device_count) : device_count_(device_count) {}

  /// One for each device. Whoever holds it keeps it, even when it is forgotten here.
  std::shared_ptr<std::vector<Feedback>> of(const LoopKey& key) SKUA_EXCLUDES(mutex_);

 private:
  using Entry = std::pair<LoopKey, std::shared_ptr<std::vector<Feedback>>>;

  std::size_t device_count_;
  Mutex mutex_;
  std::list<Entry> entries_ SKUA_GUARDED_BY(mutex_);  ///< the latest first
  std::map<LoopKey, std::list<Entry>::iterator> places_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
