// The load of NVIDIA GPUs, over a stub of the library.
#include <load/nvml.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NvmlSensorTest : public ::testing::Test {
 protected:
  NvmlSensorTest() {
    options_.library = SKUA_NVML_LOAD_STUB;
    options_.process = folder_.path();
    in_pid_namespace("pid:[4026531836]");
    behave("");
  }
  ~NvmlSensorTest() override { unsetenv("NVML_STUB"); }

  static void behave(const char* how) { setenv("NVML_STUB", how, 1); }
  void in_pid_namespace(const std::string& name) {
    std::filesystem::create_directories(folder_.path() / "ns");
    std::filesystem::remove(folder_.path() / "ns/pid");
    std::filesystem::create_symlink(name, folder_.path() / "ns/pid");
  }
  std::vector<GpuSample> samples() const { return open_nvml_sensor(options_)->sample().samples; }

  test::TemporaryFolder folder_;
  NvmlSensorOptions options_;
};

TEST_F(NvmlSensorTest, TellsWhatEachGpuDoesByItsAddress) {
  const auto seen = samples();
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[0].gpu, (GpuAddress{{1, 0x20, 0, 0}, std::nullopt}));
  EXPECT_EQ(seen[1].gpu, (GpuAddress{{1, 0x1f, 0, 0}, std::nullopt}));
  EXPECT_EQ(seen[0].load.busy, 0.75);
  EXPECT_EQ(seen[1].load.busy, 0.0);
  EXPECT_EQ(seen[0].load.own_occupancy, std::nullopt);
}

TEST_F(NvmlSensorTest, TellsOwnWorkFromOthersByTheNewestReadings) {
  const auto seen = samples();
  EXPECT_EQ(seen[0].load.own_busy, 0.30);
  EXPECT_EQ(seen[0].load.others_busy, 0.45);
  EXPECT_EQ(seen[0].load.others_present, true);
  EXPECT_EQ(seen[1].load.own_busy, std::nullopt);
  EXPECT_EQ(seen[1].load.others_busy, std::nullopt);
  EXPECT_EQ(seen[1].load.others_present, false);
}

TEST_F(NvmlSensorTest, DoesNotGiveAnOldReadingTwice) {
  const auto sensor = open_nvml_sensor(options_);
  EXPECT_EQ(sensor->sample().samples[0].load.own_busy, 0.30);
  EXPECT_EQ(sensor->sample().samples[0].load.own_busy, std::nullopt);
}

TEST_F(NvmlSensorTest, DoesNotKnowItselfInAContainer) {
  in_pid_namespace("pid:[4026532001]");
  const auto seen = samples();
  EXPECT_EQ(seen[0].load.busy, 0.75);
  EXPECT_EQ(seen[0].load.own_busy, std::nullopt);
  EXPECT_EQ(seen[0].load.others_busy, std::nullopt);
  // Of two processes one is another; one alone may be either.
  EXPECT_EQ(seen[0].load.others_present, true);
  EXPECT_EQ(seen[1].load.others_present, std::nullopt);
}

TEST_F(NvmlSensorTest, DoesNotTakeAnEmptyListForAnEmptyGpu) {
  behave("hidden");
  EXPECT_EQ(samples()[0].load.others_present, std::nullopt);
}

TEST_F(NvmlSensorTest, SeesOthersInAListThatIsTooLong) {
  behave("many");
  EXPECT_EQ(samples()[1].load.others_present, true);
}

TEST_F(NvmlSensorTest, TakesNoNumberThatCannotBe) {
  behave("all ones");
  EXPECT_EQ(samples()[0].load.busy, std::nullopt);
  behave("partitioned");
  EXPECT_EQ(samples()[0].load.busy, std::nullopt);
}

TEST_F(NvmlSensorTest, LeavesOutAGpuThatIsLostAndFailsWithTheLast) {
  const auto sensor = open_nvml_sensor(options_);
  behave("one lost");
  const SensorAnswer one = sensor->sample();
  ASSERT_THAT(one.samples, SizeIs(1));
  EXPECT_EQ(one.samples[0].gpu.pci.bus, 0x1f);
  EXPECT_EQ(one.failure, std::nullopt);
  behave("lost");
  const SensorAnswer none = sensor->sample();
  EXPECT_THAT(none.samples, IsEmpty());
  EXPECT_THAT(none.failure.value(), HasSubstr("nvml"));
}

TEST_F(NvmlSensorTest, IsNotOpenedWithoutLibraryOrDriver) {
  behave("no driver");
  EXPECT_EQ(open_nvml_sensor(options_), nullptr);
  options_.library = "libthat_is_not_there.so";
  EXPECT_EQ(open_nvml_sensor(options_), nullptr);
}

}  // namespace
}  // namespace skua
