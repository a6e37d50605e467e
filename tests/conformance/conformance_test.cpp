// What holds for every backend and every policy: each item exactly once, and the same bits.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <skua/policy.hpp>
#include <skua/scheduler.hpp>

namespace skua {
namespace {

using Combination = std::tuple<std::string, std::string>;  // devices, policy

class Conformance : public testing::TestWithParam<Combination> {
 protected:
  Scheduler scheduler{SchedulerOptions{.devices = std::get<0>(GetParam()), .trace = {}}};
  JobOptions options(std::uint64_t granule_items = 0) const {
    JobOptions made;
    made.policy = std::get<1>(GetParam());
    made.granule_items = granule_items;
    return made;
  }
};

void expect_all_done(const Report& report, std::uint64_t items) {
  EXPECT_EQ(report.items, items);
  EXPECT_EQ(report.items_done, items);
  EXPECT_TRUE(report.not_done.empty());
  std::uint64_t sum = 0;
  for (const DeviceReport& device : report.devices) sum += device.items;
  EXPECT_EQ(sum, items);
}

TEST_P(Conformance, RunsEveryItemExactlyOnce) {
  for (const std::uint64_t items : {0u, 1u, 2u, 7u, 1009u, 104'729u}) {
    for (const std::uint64_t granule : {0u, 1u, 7u}) {
      if (granule > items) continue;
      std::vector<std::atomic<std::uint8_t>> runs(items);
      const Report report = scheduler.parallel_for(
          items, [&runs](std::uint64_t i) { ++runs[i]; }, options(granule));
      expect_all_done(report, items);
      for (std::uint64_t i = 0; i < items; ++i) ASSERT_EQ(runs[i], 1) << "item " << i << " of " << items;
    }
  }
}

TEST_P(Conformance, CoversALoopOfMoreThanTwoToThe33ItemsByChunks) {
  const std::uint64_t items = (std::uint64_t{1} << 33) + 7;
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> sum_of_ends{0};
  std::atomic<std::uint64_t> sum_of_begins{0};
  const Report report = scheduler.launch(
      items,
      [&](const Chunk& chunk) {
        count += chunk.items();
        sum_of_ends += chunk.end;
        sum_of_begins += chunk.begin;
      },
      options());
  expect_all_done(report, items);
  EXPECT_EQ(count, items);
  // Chunks that touch one another: all inner borders cancel out.
  EXPECT_EQ(sum_of_ends - sum_of_begins, items);
}

TEST_P(Conformance, CoversTheLargestLoopThereIs) {
  const std::uint64_t items = std::uint64_t{1} << 63;
  std::atomic<std::uint64_t> count{0};
  const Report report = scheduler.launch(
      items, [&](const Chunk& chunk) { count += chunk.items(); }, options());
  expect_all_done(report, items);
  EXPECT_EQ(count, items);
}

TEST_P(Conformance, GivesTheBitsOfOneDeviceUnderThePolicyStatic) {
  const auto body = [](std::uint64_t i) { return std::sin(static_cast<double>(i)) / (1.0 + static_cast<double>(i)); };
  Scheduler one{SchedulerOptions{.devices = "host:1", .trace = {}}};
  JobOptions plain;
  plain.policy = "static";
  plain.granule_items = 64;
  const double expected = one.parallel_reduce(100'003, 0.5, body, Plus{}, plain).value;
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(scheduler.parallel_reduce(100'003, 0.5, body, Plus{}, options(64)).value, expected);
  }
}

TEST_P(Conformance, ReducesAnEmptyLoopToItsInitialValue) {
  EXPECT_EQ(scheduler
                .parallel_reduce(
                    0, 42.0, [](std::uint64_t) { return 1.0; }, Plus{}, options())
                .value,
            42.0);
}

std::vector<std::string> policies() {
  std::vector<std::string> all = chunk_policy_names();
  all.emplace_back("fixed:64");
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllBackendsAndPolicies, Conformance,
                         testing::Combine(testing::Values("host", "host:1", "host:2", "host:5", "host:2;host:1"),
                                          testing::ValuesIn(policies())),
                         [](const auto& combination) {
                           std::string name = std::get<0>(combination.param) + "_" + std::get<1>(combination.param);
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace skua
