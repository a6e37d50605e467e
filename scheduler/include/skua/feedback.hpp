// What is learnt of a device's speed at one loop, and what follows for its chunks.
#pragma once

#include <cstdint>
#include <optional>

namespace skua {

/// The rate of one device at Jobs of one name. Survives outliers: the first sample (code load) does not count, a later
/// one moves the rate by 2x at most, and what a spike did has faded after a few samples. Threads: one.
class Feedback {
 public:
  /// A chunk of `items` took `busy_ns`. Samples of no items or no time are left out.
  void add_chunk(std::uint64_t items, std::int64_t busy_ns) noexcept;

  /// What one launch costs the host, or leaves the device idle. The first (code load) does not count here either.
  void add_overhead(std::int64_t overhead_ns) noexcept;

  std::optional<double> items_per_second() const noexcept { return rate_; }

  /// The least items that hide what a launch costs; 1 while nothing is known.
  std::uint64_t hiding_items() const noexcept;

 private:
  bool first_seen_ = false;
  bool first_overhead_seen_ = false;
  std::optional<double> rate_;
  double overhead_s_ = 0;
};

}  // namespace skua
