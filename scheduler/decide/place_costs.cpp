// From the times of chunks to the costs of places.
#include "place_costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace skua {
namespace {

// Costs within this factor of one another are one.
constexpr double near = 1.15;
constexpr std::size_t parts_max = 2048;
// Where less than this part of the work would lie elsewhere if all items cost the same, they do: stealing makes up for
// it, and what a GPU is seen to take varies as much.
constexpr double misplaced_min = 0.08;

bool are_near(double one, double other, double factor) {
  return one <= other * factor && other <= one * factor;
}

/// The median of values, each of which counts by its weight.
double weighted_median(std::vector<std::pair<double, double>> values) {
  std::sort(values.begin(), values.end());
  double all = 0;
  for (const auto& [value, weight] : values) all += weight;
  double before = 0;
  for (const auto& [value, weight] : values) {
    before += weight;
    if (2 * before >= all) return value;
  }
  return 0;
}

/// Work of the loop that a device does in a second. What is far dearer than was thought does not count for much.
double rate_of(const PlaceTimes& times) {
  std::vector<std::pair<double, double>> rates;
  for (const PlaceTimes::Part& part : times.parts()) rates.emplace_back(part.work / part.seconds, part.work);
  return weighted_median(std::move(rates));
}

/// What the chunks took besides their work, as a rule: short ones show it. No more than the slack, since what lies
/// there may be dear, too.
double cost_of_a_chunk(const PlaceTimes& times, double rate) {
  std::vector<double> besides;
  for (const PlaceTimes::Part& part : times.parts()) besides.push_back(part.seconds - part.work / rate);
  const auto quarter = besides.begin() + static_cast<std::ptrdiff_t>(besides.size() / 4);
  std::nth_element(besides.begin(), quarter, besides.end());
  return std::clamp(*quarter, 0.0, times.slack_s());
}

/// By how much each chunk took longer than its work is thought to. Where chunks overlap, an end is seen late, and what
/// comes after it seems short: the two are set against one another.
std::vector<double> excess_seconds(const PlaceTimes& times, double rate) {
  constexpr std::size_t beside = 2;
  const double besides_s = cost_of_a_chunk(times, rate);
  std::vector<double> excess;
  for (const PlaceTimes::Part& part : times.parts()) excess.push_back(part.seconds - besides_s - part.work / rate);
  if (!times.overlap()) return excess;
  for (std::size_t i = 0; i < excess.size(); ++i) {
    for (std::size_t next = i + 1; next < std::min(i + 1 + beside, excess.size()); ++next) {
      const double shifted = std::min(excess[i], -excess[next]);
      if (!(shifted > 0)) continue;
      excess[i] -= shifted;
      excess[next] += shifted;
    }
  }
  return excess;
}

/// Which chunks tell that their place costs something else. One alone does where it took more or less than thought by
/// what chunks may take besides. Several in a row of a place that was thought to be dear do together: they may all have
/// been shorter, each by too little.
std::vector<bool> which_tell(const PlaceTimes& times, const std::vector<double>& excess_s) {
  constexpr double mean_cost = 1;
  constexpr double same = 1 + 1e-6;
  const std::vector<PlaceTimes::Part>& parts = times.parts();
  const auto cost = [&](std::size_t i) { return parts[i].work / (parts[i].to - parts[i].from); };
  std::vector<bool> tell;
  for (const double excess : excess_s) tell.push_back(std::abs(excess) >= times.slack_s());
  for (std::size_t first = 0, last = 0; first < parts.size(); first = last) {
    double sum_s = 0;
    for (last = first; last < parts.size() && are_near(cost(last), cost(first), same); ++last) sum_s += excess_s[last];
    if (cost(first) <= mean_cost * same || sum_s > -times.slack_s()) continue;
    std::fill(tell.begin() + static_cast<std::ptrdiff_t>(first), tell.begin() + static_cast<std::ptrdiff_t>(last),
              true);
  }
  return tell;
}

/// At `x` on the way from `from[i]` to `from[i + 1]`, as far on that from `to[i]` to `to[i + 1]`.
double between(const std::vector<double>& from, const std::vector<double>& to, double x) {
  const auto above = std::upper_bound(from.begin(), from.end(), x);
  if (above == from.begin()) return to.front();
  if (above == from.end()) return to.back();
  const auto i = static_cast<std::size_t>(above - from.begin()) - 1;
  return to[i] + (x - from[i]) / (from[i + 1] - from[i]) * (to[i + 1] - to[i]);
}

}  // namespace

void PlaceTimes::add(const Part& part) {
  if (!(part.to > part.from) || !(part.work > 0) || !(part.seconds > 0)) return;
  if (parts_.size() == parts_max) join_pairs();
  seconds_ += part.seconds;
  parts_.push_back(part);
}

/// Two short ones that followed one another in time and in place become one.
void PlaceTimes::join_pairs() {
  constexpr double short_part = 4.0 / parts_max;
  double all_s = 0;
  for (const Part& part : parts_) all_s += part.seconds;
  std::vector<Part> joined;
  for (const Part& next : parts_) {
    const bool is_next = !joined.empty() && joined.back().to == next.from;
    if (is_next && joined.back().seconds + next.seconds < short_part * all_s) {
      Part& last = joined.back();
      last = {last.from, next.to, last.work + next.work, last.seconds + next.seconds};
    } else {
      joined.push_back(next);
    }
  }
  // Where hardly any did, every second one is forgotten.
  if (joined.size() > parts_max / 2) {
    for (std::size_t i = 0; 2 * i < joined.size(); ++i) joined[i] = joined[2 * i];
    joined.resize(joined.size() / 2);
  }
  parts_ = std::move(joined);
}

double PlaceCosts::before(double point) const noexcept {
  return is_even() ? point : between(borders_, sums_, point);
}

double PlaceCosts::point_after(double work) const noexcept {
  return is_even() ? work : between(sums_, borders_, work);
}

double PlaceCosts::next_border(double point) const noexcept {
  const auto above = std::upper_bound(borders_.begin(), borders_.end(), point);
  return above == borders_.end() ? 1 : *above;
}

/// All of the loop, in order: what was seen, and between that what was known.
std::vector<PlaceCosts::Stretch> PlaceCosts::joined(std::vector<Stretch> seen) const {
  std::sort(seen.begin(), seen.end(), [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
  std::vector<Stretch> all;
  double at = 0;
  const auto add_known = [&](double to) {
    if (to > at) all.push_back({at, to, (before(to) - before(at)) / (to - at)});
    at = std::max(at, to);
  };
  const auto fill_up_to = [&](double point) {
    auto border = std::upper_bound(borders_.begin(), borders_.end(), at);
    for (; border != borders_.end() && *border < point; ++border) add_known(*border);
    add_known(point);
  };
  for (const Stretch& stretch : seen) {
    fill_up_to(stretch.from);
    if (stretch.to > at) all.push_back({at, stretch.to, stretch.cost});
    at = std::max(at, stretch.to);
  }
  fill_up_to(1);
  double factor = near;
  do {
    std::vector<Stretch> fewer;
    for (const Stretch& next : all) {
      if (!fewer.empty() && are_near(fewer.back().cost, next.cost, factor)) {
        Stretch& last = fewer.back();
        last.cost = (last.cost * (last.to - last.from) + next.cost * (next.to - next.from)) / (next.to - last.from);
        last.to = next.to;
      } else {
        fewer.push_back(next);
      }
    }
    all = std::move(fewer);
    factor *= factor;
  } while (all.size() > stretches_max);
  return all;
}

PlaceCosts PlaceCosts::after(const std::vector<const PlaceTimes*>& of_devices) const {
  constexpr double least = 1e-6;  // of the mean: nothing is free
  std::vector<Stretch> seen;
  bool any_far = !is_even();
  for (const PlaceTimes* times : of_devices) {
    if (times->empty() || !times->tells()) continue;
    const double rate = rate_of(*times);
    const std::vector<double> excess_s = excess_seconds(*times, rate);
    const std::vector<bool> tell = which_tell(*times, excess_s);
    for (std::size_t i = 0; i < excess_s.size(); ++i) {
      const PlaceTimes::Part& part = times->parts()[i];
      const double work = part.work + (tell[i] ? excess_s[i] * rate : 0);
      seen.push_back({part.from, part.to, std::max(least, work / (part.to - part.from))});
      any_far = any_far || !are_near(seen.back().cost, 1, near);
    }
  }
  PlaceCosts learnt;
  if (!any_far || seen.empty()) return any_far ? *this : learnt;
  std::vector<Stretch> all = joined(std::move(seen));
  std::vector<std::pair<double, double>> costs;
  for (const Stretch& stretch : all) costs.emplace_back(stretch.cost, stretch.to - stretch.from);
  const double usual = weighted_median(std::move(costs));
  double sum = 0;
  for (Stretch& stretch : all) {
    if (are_near(stretch.cost, usual, near)) stretch.cost = usual;
    sum += stretch.cost * (stretch.to - stretch.from);
  }
  double misplaced = 0;
  for (const Stretch& stretch : all) misplaced += std::abs(stretch.cost / sum - 1) * (stretch.to - stretch.from) / 2;
  if (misplaced < misplaced_min) return learnt;
  double before = 0;
  for (const Stretch& stretch : all) {
    learnt.borders_.push_back(stretch.from);
    learnt.sums_.push_back(before / sum);
    before += stretch.cost * (stretch.to - stretch.from);
  }
  learnt.borders_.push_back(1);
  learnt.sums_.push_back(1);
  return learnt;
}

}  // namespace skua
