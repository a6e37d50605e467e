// The kinds of costs, and recorded ones.
#include <skua/costs.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>

#include <skua/input.hpp>

namespace skua {
namespace {

constexpr std::uint64_t blocks_max = std::uint64_t{1} << 20;

using Random = std::mt19937_64;
using Unit = std::uniform_real_distribution<double>;
using Draw = std::vector<double> (*)(std::size_t blocks, Random& random);

std::vector<double> uniform(std::size_t, Random&) {
  return {1.0};
}

std::vector<double> ramp(std::size_t blocks, Random&) {
  std::vector<double> costs(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    costs[i] = 1 + 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(blocks);
  }
  return costs;
}

std::vector<double> bimodal(std::size_t blocks, Random& random) {
  std::vector<double> costs(blocks);
  Unit unit(0, 1);
  for (double& cost : costs) cost = unit(random) < 0.1 ? 10 : 1;
  return costs;
}

/// One item in 1,000 costs a hundred times the least, and one in a million ten thousand times.
std::vector<double> power_law(std::size_t blocks, Random& random) {
  std::vector<double> costs(blocks);
  Unit unit(0, 1);
  for (double& cost : costs) cost = std::pow(1 - unit(random), -1 / 1.5);
  return costs;
}

std::vector<double> random_walk(std::size_t blocks, Random& random) {
  std::vector<double> costs(blocks);
  Unit step(-0.1, 0.1);
  double logarithm = 0;
  for (double& cost : costs) {
    logarithm = std::clamp(logarithm + step(random), -2.0, 2.0);
    cost = std::exp(logarithm);
  }
  return costs;
}

std::vector<double> one_huge(std::size_t blocks, Random& random) {
  std::vector<double> costs(blocks, 1.0);
  costs[static_cast<std::size_t>(random() % blocks)] = std::max(1.0, 0.02 * static_cast<double>(blocks));
  return costs;
}

const std::map<std::string, Draw>& kinds() {
  static const std::map<std::string, Draw> all = {{"uniform", uniform},         {"ramp", ramp},
                                                  {"bimodal", bimodal},         {"power-law", power_law},
                                                  {"random-walk", random_walk}, {"one-huge", one_huge}};
  return all;
}

}  // namespace

Costs::Costs(std::uint64_t items, const std::vector<double>& of_blocks) : items_(items) {
  sums_.reserve(of_blocks.size() + 1);
  sums_.push_back(0);
  for (const double cost : of_blocks) sums_.push_back(sums_.back() + cost);
  const double scale = static_cast<double>(items) / sums_.back();
  for (double& sum : sums_) sum *= scale;
}

double Costs::before(std::uint64_t item) const noexcept {
  if (item >= items_) return total();
  const double blocks = static_cast<double>(sums_.size() - 1);
  const double at = static_cast<double>(item) / static_cast<double>(items_) * blocks;
  const auto block = std::min(static_cast<std::size_t>(at), sums_.size() - 2);
  return sums_[block] + (at - static_cast<double>(block)) * (sums_[block + 1] - sums_[block]);
}

double Costs::costliest_granule(std::uint64_t granule_items) const noexcept {
  if (sums_.size() == 2) return static_cast<double>(std::min(granule_items, items_));
  double most = 0;
  for (std::uint64_t begin = 0; begin < items_; begin += granule_items) {
    most = std::max(most, work(begin, std::min(items_, begin + granule_items)));
  }
  return most;
}

std::vector<std::string> cost_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, draw] : kinds()) names.push_back(name);
  return names;
}

Costs make_costs(const std::string& kind, std::uint64_t items, std::uint64_t seed) {
  const auto found = kinds().find(kind);
  if (found == kinds().end()) {
    std::string names;
    for (const std::string& name : cost_kinds()) names += (names.empty() ? "" : ", ") + name;
    throw InputError("--costs " + kind + ": neither a file that ends in .csv nor one of " + names);
  }
  Random random(seed);
  const auto blocks = static_cast<std::size_t>(std::clamp<std::uint64_t>(items, 1, blocks_max));
  return Costs(items, found->second(blocks, random));
}

Costs read_costs(const std::string& path, std::uint64_t items) {
  std::ifstream stream(path);
  if (!stream) throw InputError(path + ": cannot be read");
  std::vector<double> costs;
  std::string line;
  double sum = 0;
  for (int number = 1; std::getline(stream, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(number);
    const double cost = parse_number(line, where);
    if (cost < 0) throw InputError(where + ": a cost must not be negative");
    sum += cost;
    costs.push_back(cost);
  }
  if (costs.empty()) throw InputError(path + ": no cost in it");
  if (!(sum > 0) || !std::isfinite(sum)) throw InputError(path + ": the costs must add up to a number above 0");
  return Costs(items, costs);
}

}  // namespace skua
