// What the named scenarios are made of. Unless said: eight devices, 100 ms for all of them together, and a little
// jitter so that seeds differ.
#include <skua/scenario.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <skua/faults.hpp>
#include <skua/input.hpp>

#include "scenario_machines.hpp"

namespace skua {
namespace {

constexpr std::uint64_t usual_items = 800'000;
constexpr std::uint64_t usual_granule = 32;

struct Dice {
  explicit Dice(std::uint64_t first)
      : seed(first),
        random(first),
        chosen(static_cast<std::size_t>(random() % 8)),
        midway_s(std::uniform_real_distribution<double>(0.03, 0.07)(random)) {}

  std::uint64_t seed;
  std::mt19937_64 random;
  std::size_t chosen;
  double midway_s;
};

void slow_down(Scenario& made, const Dice& dice) {
  made.machine.devices[dice.chosen].work_per_second *= 0.5;
}

/// Half of the devices at half the rate of the others.
void make_half_half(Scenario& made, Dice&) {
  for (std::size_t i = 4; i < 8; ++i) made.machine.devices[i].work_per_second = 0.5e6;
}

/// Under an even split devices 4 to 7 are done after 30 % of the time that the others take.
void make_thirty(Scenario& made, Dice&) {
  for (std::size_t i = 0; i < 8; ++i) made.machine.devices[i].work_per_second = (i < 4 ? 0.3 : 1.0) * 2e6 / 1.3;
}

/// Six devices take 300 ms longer for their first chunk; much later the first one stands still for 200 ms.
void make_spike(Scenario& made, Dice&) {
  made.costs = Costs(32'000'000, {1.0});
  made.granule_items = 1'000;
  for (std::size_t i = 2; i < 8; ++i) change_rate(made.machine.devices[i], 0, 0.3, 0);
  change_rate(made.machine.devices[0], 3.0, 3.2, 0);
}

/// Six devices do nothing at all for 300 ms.
void make_slow_start(Scenario& made, Dice&) {
  for (std::size_t i = 2; i < 8; ++i) change_rate(made.machine.devices[i], 0, 0.3, 0);
}

/// 1 ms, whose rates and launch costs earlier Jobs have shown.
void make_short(Scenario& made, const Dice& dice, double jitter) {
  made.machine = equal_machine(8, dice.seed, jitter);
  made.costs = Costs(8'000, {1.0});
  made.granule_items = 8;
  made.jobs_before = 6;
}

/// Seven parts of one H200, by multiprocessors. An item stands for 256 threads: eight fill a multiprocessor, for 1 us.
void make_parts(Scenario& made, const Dice& dice, double seconds, int jobs_before) {
  const std::vector<double> multiprocessors = {40, 24, 16, 16, 8, 8, 8};
  made.machine = equal_machine(multiprocessors.size(), dice.seed, 0.02);
  double all = 0;
  for (std::size_t i = 0; i < multiprocessors.size(); ++i) {
    SimulatedDevice& device = made.machine.devices[i];
    device.work_per_second = multiprocessors[i] * 8e6;
    device.filling_items = static_cast<std::uint64_t>(multiprocessors[i] * 8);
    device.launch_s = 2e-6;
    device.queued_s = 0.2e-6;
    device.host_s = 4.2e-6;
    device.detection_s = 5e-6;
    all += device.work_per_second;
  }
  made.costs = Costs(static_cast<std::uint64_t>(all * seconds), {1.0});
  made.granule_items = 4;
  made.jobs_before = jobs_before;
}

/// With fewer items a second each, since there are so many of them.
void make_many(Scenario& made, const Dice& dice, std::size_t count, double seconds, std::uint64_t granule_items) {
  constexpr double items_per_second = 1e5;
  made.machine = equal_machine(count, dice.seed, 0.01);
  for (SimulatedDevice& device : made.machine.devices) device.work_per_second = items_per_second;
  made.costs = Costs(static_cast<std::uint64_t>(static_cast<double>(count) * seconds * items_per_second), {1.0});
  made.granule_items = granule_items;
}

/// One device is slow, so that others fetch the kilobyte of each item that lies with it.
void make_linked(Scenario& made, const Dice& dice, Topology topology) {
  join(made.machine, std::move(topology));
  made.bytes_per_item = 1'000;
  slow_down(made, dice);
}

void behave_as_h200s(Scenario& made) {
  for (SimulatedDevice& device : made.machine.devices) {
    device.launch_s = 2e-6;
    device.queued_s = 0.2e-6;
    device.host_s = 4.2e-6;
    device.detection_s = 5e-6;
  }
}

/// 1 % of the items, together, have half of all cost; each granule of theirs a fifth of a hundredth of it.
void make_cluster(Scenario& made, double place, int jobs_before) {
  constexpr std::size_t granules = usual_items / usual_granule;
  constexpr std::size_t dear = granules / 100;
  std::vector<double> costs(granules, 1.0);
  const auto first = static_cast<std::size_t>(place * static_cast<double>(granules - dear));
  std::fill_n(costs.begin() + static_cast<std::ptrdiff_t>(first), dear, static_cast<double>(granules - dear) / dear);
  made.costs = Costs(usual_items, costs);
  made.repeatable = false;
  made.jobs_before = jobs_before;
  behave_as_h200s(made);
}

void make_cluster_anywhere(Scenario& made, Dice& dice, int jobs_before) {
  make_cluster(made, std::uniform_real_distribution<double>(0, 1)(dice.random), jobs_before);
}

/// An item is a tile, and four tiles fill a GPU, which says that it is filled by as many items as it holds threads. A
/// quarter of the tiles cost ten times as much as the others.
void make_tiles(Scenario& made, Dice&) {
  made.costs = Costs(10'000, {10.0, 1.0, 1.0, 1.0});
  made.granule_items = 1;
  made.is_launched = true;
  made.repeatable = false;
  behave_as_h200s(made);
  for (SimulatedDevice& device : made.machine.devices) {
    device.work_per_second = 12'500;
    device.filling_items = 4;
    device.told_filling_items = 270'336;
  }
}

/// A loop of few dear items, and one of many cheap ones, in turn and under one name.
void make_unnamed(Scenario& made, Dice&) {
  for (SimulatedDevice& device : made.machine.devices) device.work_per_second = 1e4;
  made.costs = Costs(8'000, {1.0, 1.0, 1.0, 100.0});
  made.repeatable = false;
  made.granule_items = 1;
  const EarlierLoop cheap{Costs(20'000'000, {1.0}), 4'096, 1e-4};
  const EarlierLoop dear{made.costs, made.granule_items};
  made.before = {cheap, dear, cheap};
}

/// Steps of 1 ms of one loop. 1 % of its items, together, have half of all cost, and drift by a twentieth of their
/// number a step.
void make_steps(Scenario& made, Dice& dice) {
  constexpr std::size_t items = 8'000;
  constexpr std::size_t dear = items / 100;
  constexpr std::size_t steps = 200;
  const std::size_t at = dice.random() % items;
  const auto costs = [&](std::size_t step) {
    std::vector<double> of_items(items, 1.0);
    const std::size_t first = at + step * dear / 20;
    for (std::size_t i = 0; i < dear; ++i) of_items[(first + i) % items] = static_cast<double>(items - dear) / dear;
    return Costs(items, of_items);
  };
  const std::size_t step = 10 + dice.random() % (steps - 10);
  for (std::size_t i = 0; i < step; ++i) made.before.push_back({costs(i), 1});
  made.costs = costs(step);
  made.granule_items = 1;
  behave_as_h200s(made);
}

/// Eight GPUs, and eight cores of the host, each of which is five hundred times slower.
void make_mixed(Scenario& made, const Dice& dice, double seconds) {
  made.machine = equal_machine(16, dice.seed, 0.01);
  double all = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    SimulatedDevice& device = made.machine.devices[i];
    device.work_per_second = i < 8 ? 1e6 : 2e3;
    device.rate_guess = i < 8 ? 500 : 1;
    if (i >= 8) device.launch_s = 1e-6;
    all += device.work_per_second;
  }
  made.costs = Costs(static_cast<std::uint64_t>(all * seconds), {1.0});
  made.granule_items = 32;
}

using Make = void (*)(Scenario&, Dice&);

void change_chosen(Scenario& made, const Dice& dice, double factor) {
  change_rate(made.machine.devices[dice.chosen], dice.midway_s, std::nullopt, factor);
}

const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> all = {
      {"equal", [](Scenario&, Dice&) {}},
      {"one-half", [](Scenario& s, Dice& d) { slow_down(s, d); }},
      {"half-half", make_half_half},
      {"ramp", [](Scenario& s, Dice& d) { s.costs = make_costs("ramp", usual_items, d.seed); }},
      {"noise", [](Scenario& s, Dice& d) { s.machine = equal_machine(8, d.seed, 0.1); }},
      {"drop", [](Scenario& s, Dice& d) { change_chosen(s, d, 0.25); }},
      {"near-stop", [](Scenario& s, Dice& d) { change_chosen(s, d, 0.02); }},
      {"stall",
       [](Scenario& s, Dice& d) { change_rate(s.machine.devices[d.chosen], d.midway_s, d.midway_s + 0.2, 0); }},
      {"slow-start", make_slow_start},
      {"hang", [](Scenario& s, Dice& d) { change_chosen(s, d, 0); }},
      {"hang-launch", [](Scenario& s, Dice& d) { s.machine.devices[d.chosen].hangs_at = d.random() % 16; }},
      {"error", [](Scenario& s, Dice& d) { s.machine.devices[d.chosen].fails_from_s = d.midway_s; }},
      {"spike", make_spike},
      {"thirty", make_thirty},
      {"neighbour", [](Scenario& s, Dice& d) { change_rate(s.machine.devices[d.chosen], 0.035, 0.07, 0.5); }},
      {"short", [](Scenario& s, Dice& d) { make_short(s, d, 0.01); }},
      {"short-noise", [](Scenario& s, Dice& d) { make_short(s, d, 0.05); }},
      {"short-one-half",
       [](Scenario& s, Dice& d) {
         make_short(s, d, 0.01);
         slow_down(s, d);
       }},
      {"short-unknown",
       [](Scenario& s, Dice& d) {
         make_short(s, d, 0.01);
         slow_down(s, d);
         s.jobs_before = 0;
       }},
      {"parts-20ms", [](Scenario& s, Dice& d) { make_parts(s, d, 0.02, 0); }},
      {"parts-1.7ms", [](Scenario& s, Dice& d) { make_parts(s, d, 1.7e-3, 3); }},
      {"parts-0.12ms", [](Scenario& s, Dice& d) { make_parts(s, d, 0.12e-3, 3); }},
      {"parts-1.7ms-unknown", [](Scenario& s, Dice& d) { make_parts(s, d, 1.7e-3, 0); }},
      {"parts-0.12ms-unknown", [](Scenario& s, Dice& d) { make_parts(s, d, 0.12e-3, 0); }},
      {"cluster", [](Scenario& s, Dice& d) { make_cluster_anywhere(s, d, 0); }},
      {"cluster-third", [](Scenario& s, Dice& d) { make_cluster_anywhere(s, d, 2); }},
      {"cluster-end", [](Scenario& s, Dice&) { make_cluster(s, 1, 0); }},
      {"tiles", make_tiles},
      {"unnamed", make_unnamed},
      {"steps", make_steps},
      {"mixed-30ms", [](Scenario& s, Dice& d) { make_mixed(s, d, 0.03); }},
      {"mixed-300ms", [](Scenario& s, Dice& d) { make_mixed(s, d, 0.3); }},
      {"long-tail", [](Scenario& s, Dice& d) { s.costs = make_costs("power-law", usual_items, d.seed); }},
      {"hives", [](Scenario& s, Dice& d) { make_linked(s, d, two_hives()); }},
      {"frontier", [](Scenario& s, Dice& d) { make_linked(s, d, frontier_node()); }},
      {"cpx", [](Scenario& s, Dice& d) { make_many(s, d, 64, 0.1, 4); }},
      {"thousand", [](Scenario& s, Dice& d) { make_many(s, d, 1'024, 1, 16); }},
  };
  return all;
}

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : makers()) names.push_back(name);
  return names;
}

Scenario make_scenario(const std::string& name, std::uint64_t seed) {
  const auto found = makers().find(name);
  if (found == makers().end()) {
    std::string names;
    for (const std::string& one : scenario_names()) names += (names.empty() ? "" : ", ") + one;
    throw InputError("--scenario " + name + ": no such scenario; there are " + names);
  }
  Dice dice(seed);
  Scenario made;
  made.name = name;
  made.machine = equal_machine(8, seed, 0.01);
  made.costs = Costs(usual_items, {1.0});
  made.granule_items = usual_granule;
  found->second(made, dice);
  return made;
}

}  // namespace skua
