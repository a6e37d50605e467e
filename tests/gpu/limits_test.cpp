// Loops that no GPU can run, in sources that a GPU's compiler makes: on the host they run, GPUs refuse them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <skua/skua.hpp>

#include "support/loops_on_gpu.hpp"

namespace skua {
namespace {

const JobOptions named{.name = "tally"};

TEST(LoopsForTheHost, RunThereThoughAGpusCompilerMadeThem) {
  Scheduler scheduler({.devices = "host:2"});
  EXPECT_EQ(sum_in_large_values(scheduler, 1000, named), 499'500u);
  EXPECT_EQ(last_item(scheduler, 10'000, named).value, 9'999u);
  std::vector<unsigned> runs(1000);
  count_runs_by_large_body(scheduler, runs.size(), runs.data(), named);
  EXPECT_EQ(runs, std::vector<unsigned>(1000, 1));
}

TEST(LoopsForTheHost, AreRefusedOnGpusWithNameAndReason) {
  std::unique_ptr<Scheduler> scheduler;
  try {
    scheduler = std::make_unique<Scheduler>(SchedulerOptions{.devices = "gpu:0"});
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
  const auto refusal = [&](const auto& loop) -> std::string {
    try {
      loop(*scheduler, 1000);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto expect = [](const std::string& text, const char* part) {
    for (const char* each : {part, "'tally'", "gpu:0"}) EXPECT_NE(text.find(each), std::string::npos) << text;
  };
  expect(refusal([](Scheduler& on, std::uint64_t items) { sum_in_large_values(on, items, named); }), "160 bytes");
  expect(refusal([](Scheduler& on, std::uint64_t items) { last_item(on, items, named); }), "ordered");
  expect(refusal([](Scheduler& on, std::uint64_t items) { count_runs_by_large_body(on, items, nullptr, named); }),
         "4008 bytes");
}

}  // namespace
}  // namespace skua
