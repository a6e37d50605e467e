// Random machines, costs, policies, faults and cancels over SimGrid. SKUA_FUZZ_SEEDS=N: as many as wanted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include <skua/faults.hpp>
#include <skua/simulate.hpp>

namespace skua {
namespace {

struct Drawn {
  Scenario scenario;
  SimulationOptions options;
  bool may_fail = false;  ///< all devices may be gone in the end
  bool has_fault = false;
};

template <class Values>
auto pick(std::mt19937_64& random, const Values& values) {
  return values[random() % values.size()];
}

Drawn draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto unit = [&](double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random);
  };
  const std::size_t count = 1 + random() % (random() % 4 == 0 ? 64 : 8);
  Drawn drawn;
  Scenario& scenario = drawn.scenario;
  scenario.name = "random";
  double rate = 0;
  for (std::size_t i = 0; i < count; ++i) {
    SimulatedDevice device;
    device.name = "simulated:" + std::to_string(i);
    device.work_per_second = 1e6 * unit(0.25, 2);
    device.launch_s = unit(0, 30e-6);
    device.host_s = random() % 3 == 0 ? unit(0, 10e-6) : 0;
    device.detection_s = unit(0, 40e-6);
    device.filling_items = 1 + random() % 64;
    device.jitter = unit(0, 0.2);
    device.launches_max = 1 + static_cast<std::uint32_t>(random() % 3);
    device.seed = random();
    rate += device.work_per_second;
    scenario.machine.devices.push_back(device);
  }
  const double ideal_s = unit(0.5e-3, 30e-3);
  const auto items = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate * ideal_s));
  scenario.costs = make_costs(pick(random, cost_kinds()), items, random());
  scenario.granule_items = 1 + random() % 64;
  scenario.repeatable = random() % 2 == 0;
  if (random() % 4 == 0) scenario.machine.host_threads = static_cast<std::uint32_t>(1 + random() % count);
  static const std::vector<std::string> faults = {"slow@any", "stall@any:for=0.02",        "occupancy@any",
                                                  "host@any", "first-chunk@any:factor=30", "error@any"};
  for (std::uint64_t i = random() % 3; i > 0; --i) {
    drawn.has_fault = true;
    const std::string fault = pick(random, faults);
    drawn.may_fail = drawn.may_fail || fault == "error@any";
    apply_faults(parse_faults(fault), ideal_s, random(), scenario.machine.devices);
  }
  if (scenario.repeatable && count > 1 && random() % 4 == 0) {
    apply_faults(parse_faults("hang@0"), ideal_s, random(), scenario.machine.devices);
    drawn.may_fail = true;
    drawn.has_fault = true;
  }
  drawn.options.traced = true;
  drawn.options.policy = pick(random, std::vector<std::string>{"factoring", "factoring", "guided", "formula", "fixed"});
  if (random() % 8 == 0) drawn.options.cancel_at_s = ideal_s * unit(0, 1.5);
  return drawn;
}

/// What list scheduling allows: from the moment at which the first device finds nothing to take, the others only have
/// what they run and hold. Twice that, since nobody steals what would take longer to begin than to wait for.
void expect_list_scheduling(const Drawn& drawn, const SimulationResult& result) {
  double longest_s = 0;
  for (const TraceEvent& event : result.trace) {
    longest_s = std::max(longest_s, static_cast<double>(event.end_ns - event.begin_ns) * 1e-9);
  }
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

void check(const Drawn& drawn) {
  const SimulationResult result = simulate(drawn.scenario, drawn.options);
  EXPECT_EQ(result.fault, "");
  const Report& report = result.report;
  SCOPED_TRACE(to_text(report));
  std::uint64_t items = 0;
  // Of a chunk whose copies ended first, what ran until its end was seen.
  constexpr double detection_s = 250e-6;
  for (const DeviceReport& device : report.devices) {
    items += device.items;
    EXPECT_LE(device.busy_s, report.makespan_s + detection_s) << device.name;
  }
  EXPECT_EQ(items, report.items_done);
  if (drawn.may_fail && !result.ended) return;
  ASSERT_TRUE(result.ended);
  if (drawn.options.cancel_at_s || drawn.may_fail) return;
  EXPECT_EQ(report.items_done, report.items);
  if (!drawn.has_fault && !drawn.scenario.machine.host_threads) expect_list_scheduling(drawn, result);
}

TEST(RandomMachine, EveryRunEndsWithEachGranuleCountedOnceAndTheBitsOfOneDevice) {
  const char* text = std::getenv("SKUA_FUZZ_SEEDS");
  const std::uint64_t seeds = text != nullptr ? std::strtoull(text, nullptr, 10) : 10'000;
  const char* first_text = std::getenv("SKUA_FUZZ_FIRST");
  const std::uint64_t first = first_text != nullptr ? std::strtoull(first_text, nullptr, 10) : 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("SKUA_FUZZ_SEEDS=1 SKUA_FUZZ_FIRST=" + std::to_string(seed) +
                 " simulated_machine_tests --gtest_filter='RandomMachine.*'");
    check(draw(seed));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace skua
