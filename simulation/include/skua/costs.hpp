// What the items of a simulated loop cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skua {

/// Work of each item; the mean is 1. Kept as sums over blocks of items that cost the same.
class Costs {
 public:
  /// One cost for each of equally long blocks of items, not negative and not all 0; scaled to a mean of 1.
  Costs(std::uint64_t items, const std::vector<double>& of_blocks);

  std::uint64_t items() const noexcept { return items_; }
  double total() const noexcept { return static_cast<double>(items_); }
  double work(std::uint64_t begin, std::uint64_t end) const noexcept { return before(end) - before(begin); }
  double costliest_granule(std::uint64_t granule_items) const noexcept;

 private:
  double before(std::uint64_t item) const noexcept;

  std::uint64_t items_;
  std::vector<double> sums_;  ///< before each block, and of all
};

/// uniform · ramp (the last item costs three times the first) · bimodal (one block in ten costs ten times the others) ·
/// power-law (exponent 1.5) · random-walk · one-huge (one block of 2^20 costs as much as 2 % of all others).
/// Fails: InputError that names the text and the kinds.
Costs make_costs(const std::string& kind, std::uint64_t items, std::uint64_t seed);
std::vector<std::string> cost_kinds();

/// Recorded costs: one number a line, each for an equally long run of items.
/// Fails: InputError that names file and line.
Costs read_costs(const std::string& path, std::uint64_t items);

}  // namespace skua
