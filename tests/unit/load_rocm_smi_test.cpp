// The load of AMD GPUs by the management library: a stub that misbehaves.
#include <load/rocm_smi.hpp>

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RocmSmiSensorTest : public ::testing::Test {
 protected:
  RocmSmiSensorTest() {
    sys_.write("class/drm/version", "drm 1.1.0\n");
    sys_.write("class/kfd/kfd/topology/nodes/0/properties", "simd_count 0\n");
    options_.sys = sys_.path();
    options_.libraries = {"libthat_is_not_there.so", SKUA_ROCM_SMI_LOAD_STUB};
    options_.maps = sys_.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n");
    // Waited for in full only by a library that hangs.
    options_.deadline = milliseconds(60'000);
    options_.patience = milliseconds(60'000);
    behave("");
  }
  ~RocmSmiSensorTest() override { unsetenv("SMI_STUB"); }

  static void behave(const char* how) { setenv("SMI_STUB", how, 1); }

  test::TemporaryFolder sys_;
  RocmSmiSensorOptions options_;
};

/// Asks until the library has said something.
SensorAnswer next_answer(Sensor& sensor) {
  for (;;) {
    SensorAnswer answer = sensor.sample();
    if (!answer.samples.empty() || answer.failure) return answer;
  }
}

TEST_F(RocmSmiSensorTest, TellsTheBusyPartByAddress) {
  const auto sensor = open_rocm_smi_sensor(options_);
  const SensorAnswer answer = next_answer(*sensor);
  ASSERT_THAT(answer.samples, SizeIs(2));
  EXPECT_EQ(answer.samples[0].gpu, (GpuAddress{{0, 3, 0, 0}, std::nullopt}));
  EXPECT_EQ(answer.samples[1].gpu, (GpuAddress{{1, 0x43, 0, 0}, std::nullopt}));
  EXPECT_EQ(answer.samples[0].load.busy, 0.40);
  EXPECT_EQ(answer.samples[1].load.busy, std::nullopt);
}

TEST_F(RocmSmiSensorTest, KeepsTheLibraryForTheNextSample) {
  const auto sensor = open_rocm_smi_sensor(options_);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, 0.40);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, 0.41);
}

TEST_F(RocmSmiSensorTest, TakesNoNumberThatCannotBe) {
  behave("all ones");
  const auto sensor = open_rocm_smi_sensor(options_);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, std::nullopt);
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatDies) {
  behave("segfault later");
  const auto sensor = open_rocm_smi_sensor(options_);
  EXPECT_EQ(next_answer(*sensor).failure, std::nullopt);
  EXPECT_EQ(next_answer(*sensor).failure, std::nullopt);
  EXPECT_THAT(next_answer(*sensor).failure.value(), AllOf(HasSubstr("rocm_smi"), HasSubstr("Segmentation fault")));
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatHangs) {
  behave("hang");
  options_.deadline = milliseconds(50);
  options_.patience = milliseconds(1);
  const auto sensor = open_rocm_smi_sensor(options_);
  EXPECT_EQ(sensor->sample().failure, std::nullopt);
  EXPECT_THAT(next_answer(*sensor).failure.value(), HasSubstr("no answer within 50 ms"));
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatRefuses) {
  behave("busy");
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options_)).failure.value(), HasSubstr("status 16"));
  options_.libraries = {"libthat_is_not_there.so"};
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options_)).failure.value(), HasSubstr("failed to load"));
}

TEST_F(RocmSmiSensorTest, IsNotOpenedBesideAnotherSuchLibraryOrWithoutGpus) {
  auto options = options_;
  options.maps = sys_.write("maps_with", "7f00-7f01 r-xp 00000000 08:01 1 /opt/rocm/lib/libamd_smi.so.24\n");
  EXPECT_EQ(open_rocm_smi_sensor(options), nullptr);
  const test::TemporaryFolder empty;
  options = options_;
  options.sys = empty.path();
  EXPECT_EQ(open_rocm_smi_sensor(options), nullptr);
}

}  // namespace
}  // namespace skua
