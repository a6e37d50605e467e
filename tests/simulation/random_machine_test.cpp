// Random machines, costs, policies, faults, drops and cancels: what must hold after every run, over each engine.
//   SKUA_FUZZ_SEEDS=N   as many seeds as wanted (10,000)     SKUA_FUZZ_FIRST=S   from this one on (0)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <tuple>

#include <skua/faults.hpp>
#include <skua/simulate.hpp>

#include "support/simulation_engines.hpp"

namespace skua {
namespace {

struct Drawn {
  Scenario scenario;
  SimulationOptions options;
  bool is_sound = true;  ///< one device at least does its work to the end
  bool has_fault = false;
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  double between(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }
  bool chance(double probability) { return between(0, 1) < probability; }
  template <class Values>
  auto pick(const Values& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 random_;
};

SimulatedDevice draw_device(Dice& dice) {
  SimulatedDevice device;
  device.work_per_second = 1e5 * std::pow(30.0, dice.between(0, 1));
  device.launch_s = dice.chance(0.8) ? dice.between(0, 30e-6) : 0;
  if (dice.chance(0.3)) device.queued_s = dice.between(0, 2e-6);
  if (dice.chance(0.3)) device.host_s = dice.between(0, 10e-6);
  device.detection_s = dice.chance(0.8) ? dice.between(0, 40e-6) : 0;
  if (dice.chance(0.3)) device.filling_items = 1 + dice.below(64);
  if (dice.chance(0.5)) device.jitter = dice.between(0, 0.3);
  device.launches_max = 1 + static_cast<std::uint32_t>(dice.below(3));
  device.stops_when_dropped = dice.chance(0.6);
  device.stops_at_granules = device.stops_when_dropped && dice.chance(0.5);
  device.seed = dice.below(1'000'000);
  return device;
}

/// What happens to one device. Nobody can replace what hangs in a loop that may not be repeated.
void draw_fault(Dice& dice, double ideal_s, bool repeatable, SimulatedDevice& device) {
  static const std::vector<std::string> named = {"slow@0", "stall@0:for=0.02",        "occupancy@0",
                                                 "host@0", "first-chunk@0:factor=30", "error@0"};
  const std::uint64_t launch = dice.below(6);
  switch (dice.below(repeatable ? 8 : 5)) {
    case 0:
      device.refuses_at = launch;
      return;
    case 1:
      device.fails_at = launch;
      return;
    case 2:
      device.lost_at = launch;
      return;
    case 3:
      device.first_chunk_extra_s = dice.between(0, 0.1);
      return;
    case 5:
      device.hangs_at = launch;
      return;
    case 6:
      return change_rate(device, ideal_s * dice.between(0, 1), std::nullopt, dice.chance(0.5) ? 0 : 0.001);
    default: {
      std::vector<SimulatedDevice> alone = {device};
      apply_faults(parse_faults(dice.pick(named)), ideal_s, dice.below(1'000'000), alone);
      device = alone.front();
    }
  }
}

void draw_devices(Dice& dice, double ideal_s, Drawn& drawn) {
  Scenario& scenario = drawn.scenario;
  const std::size_t count = 1 + dice.below(dice.chance(0.2) ? 64 : 8);
  drawn.has_fault = dice.chance(0.6);
  drawn.is_sound = !drawn.has_fault || dice.chance(0.9);
  const std::size_t sound = drawn.is_sound ? dice.below(count) : count;
  for (std::size_t i = 0; i < count; ++i) {
    SimulatedDevice device = draw_device(dice);
    device.name = "simulated:" + std::to_string(i);
    const double likely = i == sound || !drawn.has_fault ? 0 : drawn.is_sound ? 0.4 : 0.9;
    for (int faults = 0; faults < 2; ++faults) {
      if (dice.chance(likely)) draw_fault(dice, ideal_s, scenario.repeatable, device);
    }
    scenario.machine.devices.push_back(device);
  }
  if (dice.chance(0.25)) scenario.machine.host_threads = static_cast<std::uint32_t>(1 + dice.below(count));
  if (!dice.chance(0.3)) return;
  for (std::size_t i = 0; i < count; ++i) scenario.placement.push_back(dice.between(0.01, 1));
}

Drawn draw(std::uint64_t seed) {
  static const std::vector<std::string> policies = {"factoring", "factoring", "factoring", "formula",
                                                    "guided",    "fixed",     "fixed:100", "static"};
  Dice dice(seed);
  Drawn drawn;
  Scenario& scenario = drawn.scenario;
  scenario.name = "random";
  drawn.options.policy = dice.pick(policies);
  scenario.repeatable = drawn.options.policy != "static" && dice.chance(0.6);
  const double ideal_s = dice.between(0.5e-3, 30e-3);
  draw_devices(dice, ideal_s, drawn);
  double rate = 0;
  for (const SimulatedDevice& device : scenario.machine.devices) rate += device.work_per_second;
  scenario.granule_items = 1 + dice.below(64);
  const auto items_max = static_cast<std::uint64_t>(rate * ideal_s);
  const std::uint64_t items = dice.chance(0.2) ? dice.below(20 * scenario.granule_items) : items_max;
  scenario.costs = make_costs(dice.pick(cost_kinds()), items, dice.below(1'000'000));
  if (dice.chance(0.15)) drawn.options.cancel_at_s = ideal_s * dice.between(0, 1.5) * dice.between(0, 1);
  return drawn;
}

/// What list scheduling allows: from the moment at which the first device finds nothing to take, the others only have
/// what they run and hold. Twice that, since nobody steals what would take longer to begin than to wait for.
void expect_list_scheduling(const Drawn& drawn, const SimulationResult& result) {
  double longest_s = 0;
  for (const SimulatedChunk& chunk : result.chunks) longest_s = std::max(longest_s, chunk.end_s - chunk.begin_s);
  double mean_busy_s = 0;
  double most_overhead_s = 0;
  std::uint32_t most_launches = 1;
  for (std::size_t i = 0; i < result.report.devices.size(); ++i) {
    const SimulatedDevice& device = drawn.scenario.machine.devices[i];
    const DeviceReport& account = result.report.devices[i];
    mean_busy_s += account.busy_s / static_cast<double>(result.report.devices.size());
    const double of_launch_s = device.launch_s + device.host_s + device.detection_s;
    most_overhead_s = std::max(most_overhead_s, static_cast<double>(account.chunks + 2) * of_launch_s);
    most_launches = std::max(most_launches, device.launches_max);
  }
  EXPECT_LE(result.report.makespan_s, mean_busy_s + 2 * most_launches * longest_s + most_overhead_s);
}

void check_account(const Report& report, std::uint64_t items_owned, std::uint64_t granules) {
  std::uint64_t items = 0;
  std::uint64_t steals = 0;
  for (const DeviceReport& device : report.devices) {
    items += device.items;
    steals += device.steals;
    EXPECT_LE(device.busy_s, report.makespan_s + 1e-6) << device.name;
  }
  EXPECT_EQ(items, report.items_done);
  std::uint64_t not_done = 0;
  for (const ItemRange& range : report.not_done) not_done += range.end - range.begin;
  EXPECT_EQ(report.items_done + not_done, items_owned);
  // Granules do not bounce: a steal is followed by a launch of the thief, or by a steal from it.
  EXPECT_LE(steals, granules * 3 + 8 * report.devices.size());
}

void check(Drawn& drawn, SimulationEngine engine) {
  drawn.options.engine = engine;
  const bool is_plain_sailing = !drawn.has_fault && !drawn.options.cancel_at_s &&
                                !drawn.scenario.machine.host_threads && drawn.options.policy != "static" &&
                                drawn.scenario.placement.empty();
  drawn.options.traced = is_plain_sailing;
  const SimulationResult result = simulate(drawn.scenario, drawn.options);
  EXPECT_EQ(result.fault, "");
  const Report& report = result.report;
  const std::uint64_t granule = drawn.scenario.granule_items;
  check_account(report, report.items, (report.items + granule - 1) / granule);
  if (!drawn.is_sound) return;
  EXPECT_TRUE(result.ended) << "went on for ever";
  if (!report.cancelled) {
    EXPECT_EQ(report.items_done, report.items);
  }
  if (is_plain_sailing) expect_list_scheduling(drawn, result);
}

std::uint64_t number_from(const char* variable, std::uint64_t usual) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

constexpr std::uint64_t seeds_each = 250;

std::uint64_t blocks() {
  return (number_from("SKUA_FUZZ_SEEDS", 10'000) + seeds_each - 1) / seeds_each;
}

using Parameter = std::tuple<SimulationEngine, std::uint64_t>;

std::string name_of(const testing::TestParamInfo<Parameter>& info) {
  return to_text(std::get<0>(info.param)) + "_" + std::to_string(std::get<1>(info.param));
}

std::string how_to_repeat(SimulationEngine engine, std::uint64_t seed) {
  return "SKUA_FUZZ_SEEDS=1 SKUA_FUZZ_FIRST=" + std::to_string(seed) +
         " simulation_tests --gtest_filter='*RandomMachine*" + to_text(engine) + "*'";
}

class RandomMachine : public testing::TestWithParam<Parameter> {};

TEST_P(RandomMachine, EndsWithEachGranuleCountedOnceAndTheBitsOfOneDevice) {
  const auto [engine, block] = GetParam();
  const std::uint64_t first = number_from("SKUA_FUZZ_FIRST", 0);
  const std::uint64_t end = first + std::min((block + 1) * seeds_each, number_from("SKUA_FUZZ_SEEDS", 10'000));
  for (std::uint64_t seed = first + block * seeds_each; seed < end; ++seed) {
    SCOPED_TRACE(how_to_repeat(engine, seed));
    Drawn drawn = draw(seed);
    check(drawn, engine);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMachine,
                         testing::Combine(testing::ValuesIn(simulation_engines()),
                                          testing::Range<std::uint64_t>(0, blocks())),
                         name_of);

/// A Job over a part of a loop, which receives other parts while it runs or when it is done.
TEST(RandomPart, OfALoopTakesMoreInWhileItRuns) {
  const std::uint64_t first = number_from("SKUA_FUZZ_FIRST", 0);
  for (std::uint64_t seed = first; seed < first + std::min<std::uint64_t>(500, number_from("SKUA_FUZZ_SEEDS", 500));
       ++seed) {
    SCOPED_TRACE("SKUA_FUZZ_SEEDS=1 SKUA_FUZZ_FIRST=" + std::to_string(seed) +
                 " simulation_tests --gtest_filter='RandomPart*'");
    Drawn drawn = draw(seed);
    drawn.options.engine = SimulationEngine::plain;
    drawn.options.cancel_at_s.reset();
    const std::uint64_t items = drawn.scenario.costs.items();
    const std::uint64_t granule = drawn.scenario.granule_items;
    const auto granules = static_cast<std::uint32_t>((items + granule - 1) / granule);
    Dice dice(seed + 1'000'000);
    std::vector<std::uint32_t> borders;
    for (int i = 0; i < 6; ++i) borders.push_back(static_cast<std::uint32_t>(dice.below(granules + 1)));
    std::sort(borders.begin(), borders.end());
    drawn.options.own = Interval{borders[0], borders[1]};
    drawn.options.received = {{dice.between(0, 0.02), {borders[2], borders[3]}},
                              {dice.between(0, 0.1), {borders[4], borders[5]}}};
    const SimulationResult result = simulate(drawn.scenario, drawn.options);
    EXPECT_EQ(result.fault, "");
    std::uint64_t owned = 0;
    for (const Interval& part :
         {*drawn.options.own, drawn.options.received[0].granules, drawn.options.received[1].granules}) {
      owned +=
          std::min<std::uint64_t>(items, part.back * granule) - std::min<std::uint64_t>(items, part.front * granule);
    }
    if (drawn.is_sound) {
      EXPECT_TRUE(result.ended) << "went on for ever";
      EXPECT_EQ(result.report.items_done, owned);
      check_account(result.report, owned, granules);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace skua
