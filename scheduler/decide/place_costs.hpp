// What the items of a loop cost where they lie, as earlier Jobs of it have shown.
#pragma once

#include <cstddef>
#include <vector>

namespace skua {

/// What the chunks of one device took, by the place where they lay. Threads: one.
class PlaceTimes {
 public:
  /// [from, to) of the loop, as parts of it, was thought to be so much of its work, and took `seconds`.
  struct Part {
    double from = 0;
    double to = 0;
    double work = 0;
    double seconds = 0;
  };

  void add(const Part& part);
  /// Whether it ran for so long that what a chunk takes besides its work is little.
  bool tells() const noexcept { return seconds_ > 20 * slack_s_; }
  /// What a chunk may take besides its work: launching it, and its last items, at which most of the device is idle.
  void set_slack(double seconds) noexcept { slack_s_ = seconds; }
  double slack_s() const noexcept { return slack_s_; }
  /// The device begins a chunk while it ends the one before: what one of them is seen to take, the other may have
  /// taken.
  void set_overlap(bool overlap) noexcept { overlap_ = overlap; }
  bool overlap() const noexcept { return overlap_; }
  bool empty() const noexcept { return parts_.empty(); }
  const std::vector<Part>& parts() const noexcept { return parts_; }

 private:
  void join_pairs();

  std::vector<Part> parts_;
  double seconds_ = 0;
  double slack_s_ = 0;
  bool overlap_ = false;
};

/// Costs are those of stretches that end where chunks ended: so they are known best where chunks were short, which is
/// where items are dear. Work is counted so that all of the loop has 1.
/// A value.
class PlaceCosts {
 public:
  /// More stretches than this are not kept apart.
  static constexpr std::size_t stretches_max = 256;

  /// All items cost the same, as far as is known.
  PlaceCosts() = default;

  bool is_even() const noexcept { return borders_.empty(); }
  /// The work before a point of the loop.
  double before(double point) const noexcept;
  /// The next point after this one at which items begin to cost something else.
  double next_border(double point) const noexcept;
  /// The point that has so much work before it.
  double point_after(double work) const noexcept;

  /// What is thought after a Job that these costs forecast, and whose devices took these times. Costs that lie near one
  /// another are taken for one: what launches cost, and a device's moods, are in the times, too.
  PlaceCosts after(const std::vector<const PlaceTimes*>& of_devices) const;

 private:
  struct Stretch {
    double from = 0;
    double to = 0;
    double cost = 0;  ///< against the loop's mean as it was thought to be
  };

  std::vector<Stretch> joined(std::vector<Stretch> seen) const;

  std::vector<double> borders_;  ///< of stretches, from 0 to 1; empty: even
  std::vector<double> sums_;     ///< the work before each border
};

}  // namespace skua
