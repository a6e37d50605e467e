// The grammar of --faults, and what faults do to devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/faults.hpp>
#include <skua/input.hpp>

namespace skua {
namespace {

std::vector<SimulatedDevice> with(const std::string& faults, std::uint64_t seed = 1, std::size_t count = 4) {
  std::vector<SimulatedDevice> devices(count);
  apply_faults(parse_faults(faults), 1.0, seed, devices);
  return devices;
}

TEST(Faults, ReadKindDeviceAndOptions) {
  const auto faults = parse_faults("slow@3:at=0.5,factor=0.1,for=2;hang@any");
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].kind, FaultKind::slow);
  EXPECT_EQ(faults[0].device, 3u);
  EXPECT_EQ(faults[0].at_s, 0.5);
  EXPECT_EQ(faults[0].factor, 0.1);
  EXPECT_EQ(faults[0].for_s, 2);
  EXPECT_EQ(faults[1].kind, FaultKind::hang);
  EXPECT_FALSE(faults[1].device);
  EXPECT_FALSE(parse_faults("stall@0:at=random")[0].at_s);
}

TEST(Faults, RefuseWhatTheyDoNotKnow) {
  for (const char* text : {"", "slow", "melt@0", "slow@", "slow@x", "slow@-1", "slow@0:", "slow@0:at", "slow@0:at=x",
                           "slow@0:at=-1", "slow@0:when=1", "slow@0;", "slow@0:at=nan", "slow@99999999999"}) {
    EXPECT_THROW(parse_faults(text), InputError) << text;
  }
}

TEST(Faults, NameTheDeviceThatIsNotThere) {
  try {
    with("hang@4");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no device 4"));
  }
}

TEST(Faults, SlowDownForAWhile) {
  const SimulatedDevice device = with("slow@1:at=0.2,for=0.5,factor=0.5")[1];
  EXPECT_NEAR(work_between(device, 0, 1), 1e6 * (0.2 + 0.25 + 0.3), 1e-3);
  EXPECT_NEAR(end_of_work(device, 0, 0.45e6), 0.7, 1e-9);
}

TEST(Faults, MultiplyWhereTheyOverlap) {
  const SimulatedDevice device = with("slow@0:at=0.2,for=0.4,factor=0.5;slow@0:at=0.4,for=0.4,factor=0.5")[0];
  EXPECT_NEAR(work_between(device, 0, 1), 1e6 * (0.2 + 0.1 + 0.05 + 0.1 + 0.2), 1e-3);
}

TEST(Faults, LetAHangNeverEnd) {
  const SimulatedDevice device = with("hang@0:at=0.3")[0];
  EXPECT_NEAR(work_between(device, 0, 100), 0.3e6, 1e-3);
  EXPECT_EQ(end_of_work(device, 0, 0.4e6), std::numeric_limits<double>::infinity());
}

TEST(Faults, LetAStallComeBack) {
  EXPECT_NEAR(end_of_work(with("stall@0:at=0.3,for=5")[0], 0, 0.4e6), 5.4, 1e-9);
}

TEST(Faults, ChangeReadingsHostAndFirstChunk) {
  const auto devices = with("occupancy@0:factor=16;host@1:factor=2;first-chunk@2;error@3:at=0.7");
  EXPECT_EQ(devices[0].told_filling_items, 16u);
  EXPECT_EQ(devices[0].filling_items, 1u);
  EXPECT_NEAR(devices[1].step_s, 400e-6, 1e-12);
  EXPECT_EQ(devices[2].first_chunk_factor, 300);
  EXPECT_EQ(devices[3].fails_from_s, 0.7);
}

TEST(Faults, ChooseDeviceAndMomentBySeed) {
  const auto chosen = [](std::uint64_t seed) {
    const auto devices = with("error@any", seed);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].fails_from_s) return std::pair(i, *devices[i].fails_from_s);
    }
    return std::pair(devices.size(), 0.0);
  };
  std::vector<std::size_t> seen(4, 0);
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(chosen(seed), chosen(seed));
    ASSERT_LT(chosen(seed).first, 4u);
    ++seen[chosen(seed).first];
    EXPECT_GE(chosen(seed).second, 0.3);
    EXPECT_LE(chosen(seed).second, 0.7);
  }
  for (const std::size_t times : seen) EXPECT_GT(times, 5u);
}

}  // namespace
}  // namespace skua
