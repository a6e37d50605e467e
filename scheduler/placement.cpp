// Dealing out granules in proportion to weights.
#include <skua/placement.hpp>

#include <algorithm>
#include <cmath>

namespace skua {
namespace {

double usable(double weight) {
  return std::isfinite(weight) && weight > 0 ? weight : 0;
}

}  // namespace

std::vector<Interval> place(std::uint32_t granules, const std::vector<double>& weights) {
  double total = 0;
  for (const double weight : weights) total += usable(weight);
  std::vector<Interval> shares;
  double before = 0;
  std::uint32_t front = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += total > 0 ? usable(weights[i]) / total : 1.0 / static_cast<double>(weights.size());
    // The last border is the end itself, whatever was lost to rounding.
    const bool last = i + 1 == weights.size();
    const auto border = last ? granules : static_cast<std::uint32_t>(std::llround(std::min(before, 1.0) * granules));
    const std::uint32_t back = std::max(front, border);
    shares.push_back({front, back});
    front = back;
  }
  return shares;
}

}  // namespace skua
