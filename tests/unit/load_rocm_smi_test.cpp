// The load of AMD GPUs by the management library: a stub that misbehaves.
#include <load/rocm_smi.hpp>

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
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
    sys.write("class/drm/version", "drm 1.1.0\n");
    sys.write("class/kfd/kfd/topology/nodes/0/properties", "simd_count 0\n");
    options.sys = sys.path();
    options.libraries = {"libthat_is_not_there.so", SKUA_ROCM_SMI_LOAD_STUB};
    options.maps = sys.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n");
    // Waited for in full only by a library that hangs.
    options.deadline = milliseconds(60'000);
    options.patience = milliseconds(60'000);
    behave("");
  }
  ~RocmSmiSensorTest() override { unsetenv("SMI_STUB"); }

  static void behave(const char* how) { setenv("SMI_STUB", how, 1); }

  test::TemporaryFolder sys;
  RocmSmiSensorOptions options;
};

/// Asks until the library has said something.
SensorAnswer next_answer(Sensor& sensor) {
  for (;;) {
    SensorAnswer answer = sensor.sample();
    if (!answer.samples.empty() || answer.failure) return answer;
  }
}

TEST_F(RocmSmiSensorTest, TellsTheBusyPartByAddress) {
  const auto sensor = open_rocm_smi_sensor(options);
  const SensorAnswer answer = next_answer(*sensor);
  ASSERT_THAT(answer.samples, SizeIs(2));
  EXPECT_EQ(answer.samples[0].gpu, (GpuAddress{{0, 3, 0, 0}, std::nullopt}));
  EXPECT_EQ(answer.samples[1].gpu, (GpuAddress{{1, 0x43, 0, 0}, std::nullopt}));
  EXPECT_EQ(answer.samples[0].load.busy, 0.40);
  EXPECT_EQ(answer.samples[1].load.busy, std::nullopt);
}

TEST_F(RocmSmiSensorTest, FunctionsOfAPartitionableGpuAreItsPartitions) {
  behave("partitions");
  const SensorAnswer answer = next_answer(*open_rocm_smi_sensor(options));
  ASSERT_THAT(answer.samples, SizeIs(2));
  EXPECT_EQ(answer.samples[0].gpu, (GpuAddress{{0, 0xc1, 0, 0}, 2}));
  EXPECT_EQ(answer.samples[1].gpu, (GpuAddress{{0, 0xc1, 0, 0}, 3}));
}

TEST_F(RocmSmiSensorTest, KeepsTheLibraryForTheNextSample) {
  const auto sensor = open_rocm_smi_sensor(options);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, 0.40);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, 0.41);
}

TEST_F(RocmSmiSensorTest, TakesNoNumberThatCannotBe) {
  behave("all ones");
  const auto sensor = open_rocm_smi_sensor(options);
  EXPECT_EQ(next_answer(*sensor).samples[0].load.busy, std::nullopt);
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatDies) {
  behave("segfault later");
  const auto sensor = open_rocm_smi_sensor(options);
  EXPECT_EQ(next_answer(*sensor).failure, std::nullopt);
  EXPECT_EQ(next_answer(*sensor).failure, std::nullopt);
  EXPECT_THAT(next_answer(*sensor).failure.value(), AllOf(HasSubstr("rocm_smi"), HasSubstr("Segmentation fault")));
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatHangs) {
  behave("hang");
  options.deadline = milliseconds(50);
  options.patience = milliseconds(1);
  const auto sensor = open_rocm_smi_sensor(options);
  EXPECT_EQ(sensor->sample().failure, std::nullopt);
  EXPECT_THAT(next_answer(*sensor).failure.value(), HasSubstr("no answer within 50 ms"));
}

TEST_F(RocmSmiSensorTest, GivesUpALibraryThatRefuses) {
  behave("busy");
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).failure.value(), HasSubstr("status 16"));
  options.libraries = {"libthat_is_not_there.so"};
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).failure.value(), HasSubstr("failed to load"));
}

TEST_F(RocmSmiSensorTest, GivesUpWhereItsProgramIsNotThereOrAnotherSkuas) {
  options.program = "/no/such/probe";
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).failure.value(),
              AllOf(HasSubstr("/no/such/probe does not start"), HasSubstr("load is read without it")));
  options.program = sys.write("probe", "#!/bin/sh\nprintf 'skua-probe 3\\n' >&3\nexec sleep 100\n");
  std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).failure.value(), HasSubstr("another skua's"));
  options.program = "/bin/false";
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).failure.value(), HasSubstr("does not run here"));
}

TEST_F(RocmSmiSensorTest, ForksNothing) {
  static std::atomic<int> forks{0};
  ASSERT_EQ(pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  EXPECT_THAT(next_answer(*open_rocm_smi_sensor(options)).samples, SizeIs(2));
  EXPECT_EQ(forks, 0);
}

TEST_F(RocmSmiSensorTest, IsNotOpenedBesideAnotherSuchLibraryOrWithoutGpus) {
  auto changed = options;
  changed.maps = sys.write("maps_with", "7f00-7f01 r-xp 00000000 08:01 1 /opt/rocm/lib/libamd_smi.so.24\n");
  EXPECT_EQ(open_rocm_smi_sensor(changed), nullptr);
  const test::TemporaryFolder empty;
  changed = options;
  changed.sys = empty.path();
  EXPECT_EQ(open_rocm_smi_sensor(changed), nullptr);
}

}  // namespace
}  // namespace skua
