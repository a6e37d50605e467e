// What a simulated Job really ran, granule by granule, beside what it says it ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skua/detail/interval.hpp>
#include <skua/detail/partials.hpp>
#include <skua/kernel.hpp>
#include <skua/report.hpp>

namespace skua {

/// Leaves in each granule a number that only that granule has, and counts how often each granule was run.
/// Threads: one.
class GranuleRecord final : public Kernel {
 public:
  GranuleRecord(std::uint64_t items, std::uint64_t granule_items, Unit unit = Unit::granule);

  Unit unit() const noexcept override { return unit_; }
  std::size_t partial_bytes() const noexcept override { return sizeof(double); }
  void run_on_host(const Chunk& chunk) const override;

  /// What is wrong with a Job that ended whole: a result that is not that of one device alone.
  /// `owned`: what the Job had, in order. Empty when all is right.
  std::string check_sum(const Partials& partials, const std::vector<Interval>& owned) const;
  /// What is wrong with what the Report says of `owned`: a granule that is said to be done was not run, or ran twice
  /// though it may not; or one that is said not to be done was. Empty when all is right.
  std::string check_runs(const Report& report, const std::vector<Interval>& owned, bool repeatable) const;

 private:
  static double value(std::uint64_t first_item) noexcept {
    return 1.0 / (1.0 + static_cast<double>(first_item % 1'000'003));
  }

  std::uint64_t granule_items_;
  Unit unit_;
  mutable std::vector<std::uint32_t> runs_;
};

}  // namespace skua
