// What is made once for each key, and then kept for all who ask, to the end of the process.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace skua {

/// Threads: any; others wait for the one that makes something.
template <class Key, class Value>
class Kept {
 public:
  /// `make()` gives what is to be kept, a std::shared_ptr<const Value>.
  /// Fails: what make() throws; nothing is kept then.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make make) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    return values_.emplace(key, make()).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Value>> values_;
};

}  // namespace skua
