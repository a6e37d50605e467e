// Whether the simulation forecasts what was measured: seven unequal parts of one H200 (bench/README.md has the table).
#include <gtest/gtest.h>

#include <ostream>

#include <skua/simulate.hpp>

namespace skua {
namespace {

/// One loop of bench/gpu: the rate comes from the whole GPU's Job, the makespan is that of the seven parts.
struct Measured {
  std::uint64_t items = 0;
  double whole_gpu_s = 0;    ///< makespan over 132 multiprocessors
  double seven_parts_s = 0;  ///< makespan over 40+24+16+16+8+8+8
};

void PrintTo(const Measured& measured, std::ostream* stream) {
  *stream << measured.items << " items";
}

constexpr double multiprocessors = 132;
/// What a multiprocessor runs at once: 1,024 threads of 8 items each, at the least.
constexpr std::uint64_t resident_items = 8 * 1024;

Scenario seven_parts(const Measured& measured) {
  Scenario scenario;
  const double rate = static_cast<double>(measured.items) / measured.whole_gpu_s / multiprocessors;
  for (const unsigned units : {40u, 24u, 16u, 16u, 8u, 8u, 8u}) {
    SimulatedDevice device;
    device.name = "gpu:0." + std::to_string(scenario.machine.devices.size());
    device.work_per_second = rate * units;
    device.rate_guess = units;
    device.launch_s = 8e-6;
    device.queued_s = 0;
    device.host_s = 4e-6;
    device.detection_s = 1e-6;
    device.filling_items = resident_items * units;
    scenario.machine.devices.push_back(device);
  }
  scenario.costs = Costs(measured.items, {1.0});
  scenario.granule_items = measured.items / 8192;
  scenario.jobs_before = 1;
  return scenario;
}

class MeasuredRun : public testing::TestWithParam<Measured> {};

TEST_P(MeasuredRun, IsForecastWithinFivePercent) {
  const Measured& measured = GetParam();
  const SimulationResult result = simulate(seven_parts(measured), {});
  ASSERT_TRUE(result.ended);
  EXPECT_EQ(result.fault, "");
  EXPECT_NEAR(result.report.makespan_s / measured.seven_parts_s, 1, 0.05);
}

INSTANTIATE_TEST_SUITE_P(OptionOnTheH200, MeasuredRun,
                         testing::Values(Measured{std::uint64_t{1} << 33, 93.2e-3, 102.6e-3},
                                         Measured{std::uint64_t{1} << 30, 12.27e-3, 13.57e-3},
                                         Measured{std::uint64_t{1} << 26, 0.843e-3, 0.966e-3}),
                         [](const auto& run) {
                           return std::to_string(static_cast<int>(run.param.seven_parts_s * 1e6)) + "us";
                         });

}  // namespace
}  // namespace skua
