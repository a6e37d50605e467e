// What is learnt of a device's speed at one loop, and what follows for its chunks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace skua {

/// The rate of one device at one loop. Survives outliers: the first sample (code load) does not count, a later one
/// moves the rate by 2x at most, and what a spike did has faded after a few samples. But samples that lie far off on
/// the same side, and agree, are a change: the third of them in a row is believed. Threads: one.
class Feedback {
 public:
  /// A Job begins. Its first chunks are large again, and those that ended the Job before were small, which a device
  /// runs at a lower rate: what counts now is the rate over that whole Job.
  /// `is_doubted`: it may be another loop, and its first chunk tells.
  void begin_job(bool is_doubted = false) noexcept;

  /// A chunk of so much work (items of the mean cost) took `busy_ns`. Samples of none or no time are left out.
  void add_chunk(double work, std::int64_t busy_ns) noexcept;

  /// It had so many items: for a loop of which nobody knows how many fill the device.
  void look_for_filling(std::uint64_t items, std::int64_t busy_ns) noexcept;

  /// What the device did in the Job that has ended was so much work, as is known now.
  void correct(double work, double busy_s) noexcept;

  /// The rate is thought to have changed by this factor, before any chunk has shown it.
  void scale(double factor) noexcept;

  /// How long the device stood still between two chunks, though the second was launched in time. The first (code load)
  /// does not count.
  void add_gap(std::int64_t gap_ns) noexcept;

  /// What a launch cost the host. The first (code load) does not count.
  void add_launch(std::int64_t host_ns) noexcept;

  std::optional<double> items_per_second() const noexcept { return rate_; }
  /// The same, and while nothing better is known that of the first chunk, code load and all.
  std::optional<double> least_items_per_second() const noexcept { return rate_ ? rate_ : first_; }

  /// Whether a chunk of this Job has shown the rate to be about right. Until then it is hearsay from earlier Jobs.
  bool is_confirmed() const noexcept { return confirmed_; }

  /// The least items of a chunk that hide what a launch costs, on a device that holds `launches` at once; 1 while
  /// nothing is known.
  std::uint64_t hiding_items(std::uint32_t launches) const noexcept;

  /// As many items as take no longer than fewer do, as far as chunks have shown it; 1 while nothing is known.
  std::uint64_t filling_items() const noexcept;
  /// What the smallest chunk takes; 0 while nothing is known.
  double least_seconds() const noexcept { return least_s_; }

  /// The items that take as long as so many gaps between two chunks; 0 while nothing is known.
  std::uint64_t items_in_gaps(double gaps) const noexcept;

 private:
  struct Timed {
    double items = 0;
    double seconds = 0;
  };
  struct Cost {
    double last = -1;  ///< the sample before; negative before the first
    double seconds = 0;
    void add(std::int64_t ns) noexcept;
  };

  void look_for_change(double sample, double seconds) noexcept;

  std::optional<double> first_;
  bool confirmed_ = false;
  bool doubted_ = false;
  std::optional<double> rate_;
  double far_sample_ = 0;      ///< the last one beyond what a sample may move the rate
  unsigned far_in_a_row_ = 0;  ///< such samples that agree
  double far_s_ = 0;           ///< what they took
  double job_items_ = 0;
  double job_busy_s_ = 0;          ///< without what outliers had too much
  double job_took_s_ = 0;          ///< with all of it
  std::array<Timed, 4> recent_{};  ///< the last chunks, the latest first
  std::uint64_t filling_items_ = 1;
  double least_s_ = 0;
  bool is_filling_known_ = false;
  bool is_filled_ = false;  ///< by that many: more take longer
  Cost gap_;
  Cost launch_;
};

}  // namespace skua
