// Dealing out granules in proportion to weights.
#include "placement.hpp"

#include <algorithm>
#include <cmath>

namespace skua {
namespace {

double usable(double weight) {
  return std::isfinite(weight) && weight > 0 ? weight : 0;
}

/// Items a second for a guess of 1; 1 where no rate is known.
double worth_of_a_guess(const std::vector<PlacedDevice>& devices) {
  double rates = 0;
  double guesses = 0;
  for (const PlacedDevice& device : devices) {
    if (!device.takes_part || !device.items_per_second) continue;
    rates += usable(*device.items_per_second);
    guesses += usable(device.rate_guess);
  }
  return rates > 0 && guesses > 0 ? rates / guesses : 1;
}

/// Where all rates are known, and somebody is awake.
bool do_sleepers_help(const std::vector<PlacedDevice>& devices, double work) {
  constexpr double joining_s = 100e-6;
  double awake = 0;
  double asleep = 0;
  for (const PlacedDevice& device : devices) {
    if (!device.takes_part) continue;
    if (!device.items_per_second) return true;
    (device.sleeps ? asleep : awake) += usable(*device.items_per_second);
  }
  return !(awake > 0) || work / awake - work / (awake + asleep) > joining_s;
}

}  // namespace

std::vector<double> placement_weights(const std::vector<PlacedDevice>& devices, std::uint64_t granules, double work) {
  const double worth = worth_of_a_guess(devices);
  const bool all = do_sleepers_help(devices, work);
  std::vector<double> weights;
  double total = 0;
  for (const PlacedDevice& device : devices) {
    const double weight = device.items_per_second ? *device.items_per_second : device.rate_guess * worth;
    weights.push_back(device.takes_part && (all || !device.sleeps) ? usable(weight) : 0);
    total += weights.back();
  }
  // With few granules to deal there is none to spare. Half as much again, so that rounding leaves one.
  if (granules < 4 * devices.size()) return weights;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].takes_part || devices[i].items_per_second) continue;
    weights[i] = std::max(weights[i], 1.5 * total / static_cast<double>(granules));
  }
  return weights;
}

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
