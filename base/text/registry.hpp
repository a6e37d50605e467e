// Makers by name, to which a program can add its own.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace skua {

/// `Maker` is a std::function or the like: empty by default.
/// Threads: any.
template <class Maker>
class Registry {
 public:
  explicit Registry(std::map<std::string, Maker> first) : makers_(std::move(first)) {}

  /// Returns an empty Maker for a name that nobody has added.
  Maker find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = makers_.find(name);
    return found == makers_.end() ? Maker{} : found->second;
  }

  /// Returns false, and changes nothing, when the name is taken.
  bool add(const std::string& name, Maker maker) {
    const std::lock_guard lock(mutex_);
    return makers_.emplace(name, std::move(maker)).second;
  }

  /// In alphabetical order.
  std::vector<std::string> names() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, maker] : makers_) names.push_back(name);
    return names;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Maker> makers_;
};

}  // namespace skua
