// What the named situations are made of.
#include "scenarios.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace skua::test {
namespace {

struct Dice {
  std::mt19937_64 random;
  std::size_t chosen;  ///< one device of eight
  double midway_s;     ///< somewhere in the middle of 100 ms

  explicit Dice(std::uint64_t seed)
      : random(seed),
        chosen(static_cast<std::size_t>(random() % 8)),
        midway_s(0.03 + 0.04 * std::uniform_real_distribution<double>(0, 1)(random)) {}
};

void change_chosen(Scenario& made, const Dice& dice, std::vector<SpeedChange> changes) {
  made.devices[dice.chosen].changes = std::move(changes);
}

void make_half_half(Scenario& made, Dice&) {
  for (std::size_t i = 4; i < 8; ++i) made.devices[i].work_per_second = 0.5e6;
}

/// Under an even split devices 4 to 7 are busy 30 % of the time; together all do 8e6 a second.
void make_thirty(Scenario& made, Dice&) {
  for (std::size_t i = 0; i < 8; ++i) made.devices[i].work_per_second = i < 4 ? 0.3 * 2e6 / 1.3 : 2e6 / 1.3;
}

/// From 0.5 to 1.5: the sum over all items is their number.
void make_ramp(Scenario& made, Dice&) {
  made.work = [](std::uint64_t begin, std::uint64_t end) {
    const auto before = [](double i) { return 0.5 * i + 0.5 * i * i / static_cast<double>(scenario_items); };
    return before(static_cast<double>(end)) - before(static_cast<double>(begin));
  };
}

/// A power law: one item in 1,000 costs a hundred times the least, and one in a million ten thousand times.
void make_long_tail(Scenario& made, Dice& dice) {
  constexpr double exponent = 1.5;
  const auto before = std::make_shared<std::vector<double>>(made.items + 1, 0.0);
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::uint64_t i = 0; i < made.items; ++i) {
    (*before)[i + 1] = (*before)[i] + std::pow(1 - unit(dice.random), -1 / exponent);
  }
  const double scale = static_cast<double>(made.items) / before->back();
  for (double& sum : *before) sum *= scale;
  made.work = [before](std::uint64_t begin, std::uint64_t end) { return (*before)[end] - (*before)[begin]; };
  for (std::uint64_t begin = 0; begin < made.items; begin += made.granule_items) {
    const double granule = made.work(begin, std::min(begin + made.granule_items, made.items));
    made.costliest_granule = std::max(made.costliest_granule, granule);
  }
}

/// Where each item's data lies, and what a device adds to its work by fetching it from there.
void put_data(Scenario& made, double (*added)(std::size_t to, std::size_t from)) {
  const std::size_t count = made.devices.size();
  const std::uint64_t each = made.items / count;
  for (std::size_t to = 0; to < count; ++to) {
    made.devices[to].fetch_work = [=](std::uint64_t begin, std::uint64_t end) {
      double sum = 0;
      for (std::uint64_t at = begin; at < end;) {
        const std::size_t from = std::min<std::size_t>(at / each, count - 1);
        const std::uint64_t until = from + 1 == count ? end : std::min(end, (from + 1) * each);
        sum += static_cast<double>(until - at) * added(to, from);
        at = until;
      }
      return sum;
    };
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(added(to, a), (a + count - to) % count) < std::pair(added(to, b), (b + count - to) % count);
    });
    std::vector<std::uint32_t> places(count);
    for (std::uint32_t place = 0; place < count; ++place) places[order[place]] = place;
    made.options.distances.push_back(std::move(places));
  }
}

/// An item's 1 KB takes 10 ns over a link of 100 GB/s: 1 % of its work. XGMI within a hive, PCIe between. One device is
/// slow, so that others fetch what lies with it.
void make_hives(Scenario& made, Dice& dice) {
  made.devices[dice.chosen].work_per_second = 0.5e6;
  put_data(made, [](std::size_t to, std::size_t from) {
    if (to == from) return 0.0;
    return to / 4 == from / 4 ? 0.01 : 0.04;
  });
}

/// The same with halves of one package joined by 200 GB/s, and others by 100 or 50.
void make_frontier(Scenario& made, Dice& dice) {
  made.devices[dice.chosen].work_per_second = 0.5e6;
  put_data(made, [](std::size_t to, std::size_t from) {
    if (to == from) return 0.0;
    return to / 2 == from / 2 ? 0.005 : (to + from) % 2 == 0 ? 0.01 : 0.02;
  });
}

/// With fewer items a second, since there are so many of them.
void make_many(Scenario& made, std::uint64_t seed, std::size_t count, double seconds) {
  constexpr double items_per_second = 1e5;
  made.devices = equal_devices(seed, 0.01, count);
  for (Behaviour& device : made.devices) device.work_per_second = items_per_second;
  made.items = static_cast<std::uint64_t>(static_cast<double>(count) * seconds * items_per_second);
  made.granule_items = 4;
}

/// A loop of 1 ms, whose rates and launch costs earlier Jobs have shown.
void make_short(Scenario& made, std::uint64_t seed, double noise) {
  made.items = 8'000;
  made.granule_items = 8;
  for (Behaviour& device : made.devices) device.noise = noise;
  for (std::size_t i = 0; i < made.devices.size(); ++i) made.devices[i].seed = seed * 8 + i;
  made.jobs_before = 6;
}

/// Seven parts of one H200, by multiprocessors. An item stands for 256 threads: eight fill a multiprocessor, for 1 us.
void make_parts(Scenario& made, std::uint64_t seed, double seconds, int jobs_before) {
  made.devices = equal_devices(seed, 0.02, 7);
  const std::vector<double> multiprocessors = {40, 24, 16, 16, 8, 8, 8};
  double all = 0;
  for (std::size_t i = 0; i < multiprocessors.size(); ++i) {
    Behaviour& device = made.devices[i];
    device.work_per_second = multiprocessors[i] * 8e6;
    device.filling_items = static_cast<std::uint64_t>(multiprocessors[i] * 8);
    device.launch_s = 2e-6;
    device.queued_s = 0.2e-6;
    device.host_s = 4.2e-6;
    all += device.work_per_second;
  }
  made.items = static_cast<std::uint64_t>(all * seconds);
  made.granule_items = 4;
  made.jobs_before = jobs_before;
  made.options.detection_s = 5e-6;
}

using Make = void (*)(Scenario&, Dice&, std::uint64_t seed);

const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> all = {
      {"equal", [](Scenario&, Dice&, std::uint64_t) {}},
      {"one-half", [](Scenario& s, Dice& d, std::uint64_t) { s.devices[d.chosen].work_per_second = 0.5e6; }},
      {"half-half", [](Scenario& s, Dice& d, std::uint64_t) { make_half_half(s, d); }},
      {"thirty", [](Scenario& s, Dice& d, std::uint64_t) { make_thirty(s, d); }},
      {"ramp", [](Scenario& s, Dice& d, std::uint64_t) { make_ramp(s, d); }},
      {"noise", [](Scenario& s, Dice&, std::uint64_t seed) { s.devices = equal_devices(seed, 0.1); }},
      {"drop",
       [](Scenario& s, Dice& d, std::uint64_t) {
         change_chosen(s, d, {{d.midway_s, 0.25}});
       }},
      {"near-stop",
       [](Scenario& s, Dice& d, std::uint64_t) {
         change_chosen(s, d, {{d.midway_s, 0.02}});
       }},
      {"neighbour",
       [](Scenario& s, Dice& d, std::uint64_t) {
         change_chosen(s, d, {{0.035, 0.5}, {0.070, 1}});
       }},
      {"stall",
       [](Scenario& s, Dice& d, std::uint64_t) {
         change_chosen(s, d, {{d.midway_s, 0}, {d.midway_s + 0.2, 1}});
       }},
      {"slow-start",
       [](Scenario& s, Dice&, std::uint64_t) {
         for (std::size_t i = 2; i < 8; ++i) s.devices[i].changes = {{0, 0}, {0.3, 1}};
       }},
      {"hang", [](Scenario& s, Dice& d, std::uint64_t) { s.devices[d.chosen].hangs_at = d.random() % 16; }},
      {"error",
       [](Scenario& s, Dice& d, std::uint64_t) {
         s.devices[d.chosen].fails_at = d.random() % 16;
         s.unit_bound_s = 0.1 * 8 / 7;
       }},
      {"long-tail", [](Scenario& s, Dice& d, std::uint64_t) { make_long_tail(s, d); }},
      {"hives", [](Scenario& s, Dice& d, std::uint64_t) { make_hives(s, d); }},
      {"frontier", [](Scenario& s, Dice& d, std::uint64_t) { make_frontier(s, d); }},
      {"cpx", [](Scenario& s, Dice&, std::uint64_t seed) { make_many(s, seed, 64, 0.1); }},
      {"thousand", [](Scenario& s, Dice&, std::uint64_t seed) { make_many(s, seed, 1024, 1); }},
      {"short", [](Scenario& s, Dice&, std::uint64_t seed) { make_short(s, seed, 0.01); }},
      {"short-noise", [](Scenario& s, Dice&, std::uint64_t seed) { make_short(s, seed, 0.05); }},
      {"short-one-half",
       [](Scenario& s, Dice& d, std::uint64_t seed) {
         make_short(s, seed, 0.01);
         s.devices[d.chosen].work_per_second = 0.5e6;
       }},
      {"short-unknown",
       [](Scenario& s, Dice& d, std::uint64_t seed) {
         make_short(s, seed, 0.01);
         s.devices[d.chosen].work_per_second = 0.5e6;
         s.jobs_before = 0;
       }},
      {"parts-20ms", [](Scenario& s, Dice&, std::uint64_t seed) { make_parts(s, seed, 0.02, 0); }},
      {"parts-1.7ms", [](Scenario& s, Dice&, std::uint64_t seed) { make_parts(s, seed, 1.7e-3, 3); }},
      {"parts-0.12ms", [](Scenario& s, Dice&, std::uint64_t seed) { make_parts(s, seed, 0.12e-3, 3); }},
      {"parts-1.7ms-unknown", [](Scenario& s, Dice&, std::uint64_t seed) { make_parts(s, seed, 1.7e-3, 0); }},
      {"parts-0.12ms-unknown", [](Scenario& s, Dice&, std::uint64_t seed) { make_parts(s, seed, 0.12e-3, 0); }},
  };
  return all;
}

}  // namespace

std::vector<Behaviour> equal_devices(std::uint64_t seed, double noise, std::size_t count) {
  std::vector<Behaviour> devices(count);
  for (std::size_t i = 0; i < count; ++i) {
    devices[i].seed = seed * count + i;
    devices[i].noise = noise;
  }
  return devices;
}

/// All have a little noise, so that seeds differ.
Scenario scenario(const std::string& name, std::uint64_t seed) {
  const auto found = makers().find(name);
  if (found == makers().end()) throw std::invalid_argument(name + ": no such scenario");
  Dice dice(seed);
  Scenario made;
  made.name = name;
  made.devices = equal_devices(seed, 0.01);
  found->second(made, dice, seed);
  made.total_work = static_cast<double>(made.items);
  return made;
}

Outcome run_scenario(const Scenario& situation, const std::string& policy) {
  VirtualMachine machine(situation.devices, situation.work);
  Outcome outcome;
  for (int job = 0; job <= situation.jobs_before; ++job) {
    VirtualMachine::Options options = situation.options;
    if (job > 0) options.placement = machine.rates();
    outcome.run = machine.run(sum_job(situation.items, situation.granule_items, policy), options);
  }
  outcome.bound_s = situation.unit_bound_s > 0 ? situation.unit_bound_s
                                               : machine.fluid_bound_s(situation.total_work, outcome.run.begin_s);
  double fastest = 0;
  for (const Behaviour& device : situation.devices) fastest = std::max(fastest, device.work_per_second);
  outcome.bound_s = std::max(outcome.bound_s, situation.costliest_granule / fastest);
  return outcome;
}

double plain_sum(std::uint64_t items, std::uint64_t granule_items) {
  const SumKernel kernel(&term, Plus{});
  std::vector<double> sums((items + granule_items - 1) / granule_items);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Chunk chunk;
    chunk.begin = i * granule_items;
    chunk.end = std::min(items, chunk.begin + granule_items);
    chunk.granule = granule_items;
    chunk.partials = &sums[i];
    kernel.run_on_host(chunk);
  }
  Partials partials;
  partials.bytes_each = sizeof(double);
  const auto count = static_cast<std::uint32_t>(sums.size());
  if (count > 0) partials.pieces = {{{0, count}, reinterpret_cast<const std::byte*>(sums.data())}};
  return combine_partials(partials, 0.0, Plus{});
}

}  // namespace skua::test
