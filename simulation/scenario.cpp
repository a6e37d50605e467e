// What the named scenarios are made of. Unless said: eight devices, 100 ms for all of them together, and a little
// jitter so that seeds differ.
#include <skua/scenario.hpp>

#include <algorithm>
#include <map>
#include <random>

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
