// What the caller of a Job had queued on devices before: the Job waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <skua/backends.hpp>
#include <skua/earlier_work.hpp>

namespace skua {

/// Threads: the one that starts Jobs, unless said.
class Earlier {
 public:
  explicit Earlier(const Devices& devices);

  /// Looks anew, for the next Job, at the devices' default queues and at what the Job names.
  /// Fails: InputError that says which of `after` cannot be waited for.
  void look(const std::vector<Awaited>& after, std::int64_t now_ns);
  /// Whether the Job waits no more; asks again.
  bool has_ended(std::int64_t now_ns);
  bool can_wait(const Device& device) const noexcept;
  /// How long after the last look another one is worth its cost.
  std::chrono::nanoseconds pause(std::int64_t now_ns) const noexcept;
  /// What has not ended yet, as far as is known.
  const std::vector<std::shared_ptr<const EarlierWork>>& works() const noexcept { return works_; }
  void forget() noexcept { works_.clear(); }
  /// For people: what was not waited for, and that it took long.
  std::vector<std::string> notes() const;

 private:
  std::vector<Awaited> queues_;  ///< of all devices, each once
  std::vector<std::shared_ptr<const EarlierWork>> works_;
  std::vector<std::string> notes_;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
};

}  // namespace skua
