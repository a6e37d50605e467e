// Random machines, loops, policies, faults and cancellations: what must hold after every run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/scenarios.hpp"

namespace skua {
namespace {

using test::Behaviour;
using test::never_s;
using test::VirtualMachine;

/// The sum, and how often each granule was run.
class CountingKernel final : public Kernel {
 public:
  explicit CountingKernel(std::uint64_t granules) : runs(granules, 0) {}
  std::size_t partial_bytes() const noexcept override { return sum_.partial_bytes(); }
  void run_on_host(const Chunk& chunk) const override {
    ++runs[chunk.begin / chunk.granule];
    sum_.run_on_host(chunk);
  }
  mutable std::vector<std::uint32_t> runs;

 private:
  test::SumKernel sum_{&test::term, Plus{}};
};

struct Situation {
  std::vector<Behaviour> devices;
  JobSpec job;
  std::shared_ptr<CountingKernel> kernel;
  VirtualMachine::Options options;
  bool fails = false;  ///< some device may fail, stall or hang
  std::string text;
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::mt19937_64 random_;
};

Behaviour random_device(Dice& dice, bool repeatable, bool& fails) {
  Behaviour device;
  device.seed = dice.below(1'000'000);
  device.work_per_second = 1e5 * std::pow(30.0, dice.unit());
  device.launch_s = dice.chance(0.5) ? 12e-6 : 0;
  device.noise = dice.chance(0.5) ? 0 : 0.3;
  device.launches_max = 1 + static_cast<std::uint32_t>(dice.below(3));
  device.ends_dropped = dice.chance(0.5);
  if (dice.chance(0.2)) device.first_chunk_s = 0.1 * dice.unit();
  if (dice.chance(0.2)) {
    const double from_s = 0.1 * dice.unit();
    device.changes.push_back({from_s, dice.chance(0.3) ? 0.0 : dice.unit()});
    device.changes.push_back({from_s + 0.1 * dice.unit(), 1});
  }
  if (!dice.chance(0.3)) return device;
  switch (dice.below(5)) {
    case 0:
      device.refuses_at = dice.below(6);
      break;
    case 1:
      device.fails_at = dice.below(6);
      break;
    case 2:
      device.lost_at = dice.below(6);
      break;
    case 3:
      // Nobody can replace what hangs in a loop that may not be repeated.
      if (repeatable) device.hangs_at = dice.below(6);
      break;
    default:
      if (repeatable) device.changes.push_back({0.3, 0.001});
      break;
  }
  fails = true;
  return device;
}

Situation random_situation(std::uint64_t seed) {
  Dice dice(seed);
  static const std::vector<std::string> policies = {"factoring", "factoring", "factoring", "formula",
                                                    "guided",    "fixed",     "fixed:100", "static"};
  Situation situation;
  const std::string policy = policies[dice.below(policies.size())];
  const bool repeatable = policy != "static" && dice.chance(0.6);
  const std::uint64_t count = dice.chance(0.2) ? 1 + dice.below(64) : 1 + dice.below(8);
  for (std::uint64_t i = 0; i < count; ++i) {
    situation.devices.push_back(random_device(dice, repeatable, situation.fails));
  }
  // One device is sound, so that every Job can end.
  Behaviour& sound = situation.devices[dice.below(count)];
  sound = Behaviour{};
  const std::uint64_t granule_items = 1 + dice.below(64);
  const std::uint64_t granules = dice.chance(0.2) ? dice.below(20) : dice.below(3000);
  const std::uint64_t items = granules * granule_items + dice.below(granule_items);
  situation.job = test::sum_job(items, granule_items, policy);
  situation.job.repeatable = repeatable;
  situation.kernel = std::make_shared<CountingKernel>(granules + 1);
  situation.job.kernel = situation.kernel;
  if (dice.chance(0.15)) situation.options.cancel_at_s = 1e-2 * dice.unit() * dice.unit();
  if (dice.chance(0.3)) {
    for (std::uint64_t i = 0; i < count; ++i) situation.options.placement.push_back(0.01 + dice.unit());
  }
  situation.text = policy + ", " + std::to_string(count) + " devices, " + std::to_string(granules) + " granules of " +
                   std::to_string(granule_items) + (repeatable ? ", repeatable" : "");
  return situation;
}

void check(const Situation& situation, const VirtualMachine::Run& run) {
  ASSERT_TRUE(run.ended) << "went on for ever";
  const Job& job = *run.job;
  std::uint64_t sum = 0;
  std::uint64_t steals = 0;
  for (const DeviceReport& device : run.report.devices) {
    sum += device.items;
    steals += device.steals;
    EXPECT_LE(device.items, job.spec().items);
    EXPECT_LE(device.busy_s, run.report.makespan_s + 20e-6) << device.name;
  }
  EXPECT_EQ(sum, run.report.items_done);
  std::uint64_t not_done = 0;
  for (const ItemRange& range : run.report.not_done) not_done += range.end - range.begin;
  EXPECT_EQ(run.report.items_done + not_done, job.spec().items);
  // Granules do not bounce: a steal is followed by a launch of the thief, or by a steal from it.
  EXPECT_LE(steals, std::uint64_t{job.granules()} * 3 + 8 * job.device_count());
  if (job.stopped() != Stop::none) {
    EXPECT_TRUE(std::isfinite(situation.options.cancel_at_s)) << "stopped, though one device was sound";
    return;
  }
  EXPECT_EQ(job.check_exactly_once(), "");
  EXPECT_EQ(test::sum_of(run), test::plain_sum(job.spec().items, job.spec().granule_items));
  for (std::uint32_t granule = 0; granule < job.granules(); ++granule) {
    const std::uint32_t runs = situation.kernel->runs[granule];
    EXPECT_TRUE(runs == 1 || (runs > 1 && job.spec().repeatable)) << "granule " << granule << " ran " << runs;
    if (testing::Test::HasFailure()) return;
  }
}

constexpr std::uint64_t seeds_each = 250;

/// SKUA_FUZZ_SEEDS=N: more of them, or fewer.
std::uint64_t rounds() {
  const char* text = std::getenv("SKUA_FUZZ_SEEDS");
  return (text != nullptr ? std::strtoull(text, nullptr, 10) : 10'000) / seeds_each;
}

class Fuzz : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Fuzz, EveryRunEndsWithEachGranuleCountedOnceAndTheBitsOfOneDevice) {
  for (std::uint64_t seed = GetParam() * seeds_each; seed < (GetParam() + 1) * seeds_each; ++seed) {
    const Situation situation = random_situation(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + situation.text);
    check(situation, VirtualMachine(situation.devices).run(situation.job, situation.options));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Fuzz, testing::Range<std::uint64_t>(0, rounds()));

}  // namespace
}  // namespace skua
