// Occupancy and busy percentages, from trees written for the tests.
#include <load/kfd.hpp>

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

constexpr int other = 1;

/// GPUs of 104 compute units, with ids 4001, 4002 and so on at buses 0x11, 0x12 and so on.
class KfdSensorTest : public ::testing::Test {
 protected:
  KfdSensorTest() {
    options.sys = folder.path();
    options.process = folder.path() / "self";
    in_pid_namespace("pid:[4026531836]");
    folder.write(kfd / "topology/nodes/0/properties", "cpu_cores_count 8\nsimd_count 0\n");
    for (int gpu = 1; gpu <= 3; ++gpu) add_gpu(gpu, (0x10 + gpu) << 8);
  }

  void in_pid_namespace(const std::string& name) {
    fs::create_directories(options.process / "ns");
    fs::remove(options.process / "ns/pid");
    fs::create_symlink(name, options.process / "ns/pid");
  }
  void add_gpu(int gpu, int location, const std::string& more = "") {
    const fs::path node = kfd / "topology/nodes" / std::to_string(gpu);
    folder.write(node / "properties",
                 "simd_count 416\nsimd_per_cu 4\ndomain 0\nlocation_id " + std::to_string(location) + "\n" + more);
    folder.write(node / "gpu_id", std::to_string(4000 + gpu) + "\n");
  }
  static fs::path process_folder(int process) { return kfd / "proc" / std::to_string(process); }
  void add_process(int process) { fs::create_directories(folder.path() / process_folder(process) / "queues"); }
  void set_occupancy(int process, int gpu, const std::string& text) {
    add_process(process);
    folder.write(process_folder(process) / ("stats_" + std::to_string(4000 + gpu)) / "cu_occupancy", text);
  }
  void add_queue(int process, int number, int gpu) {
    folder.write(process_folder(process) / "queues" / std::to_string(number) / "gpuid",
                 std::to_string(4000 + gpu) + "\n");
  }
  GpuLoad load(int gpu) const { return load_by(*open_kfd_sensor(options), gpu); }
  static GpuLoad load_by(Sensor& sensor, int gpu, std::optional<std::uint32_t> partition = std::nullopt) {
    const GpuAddress wanted{{0, static_cast<std::uint8_t>(0x10 + gpu), 0, 0}, partition};
    for (const GpuSample& sample : sensor.sample().samples) {
      if (sample.gpu == wanted) return sample.load;
    }
    ADD_FAILURE() << "no GPU " << gpu;
    return {};
  }

  inline static const fs::path kfd = "class/kfd/kfd";
  const int own = getpid();
  test::TemporaryFolder folder;
  KfdSensorOptions options;
};

TEST_F(KfdSensorTest, ReadsEachGpuByItself) {
  set_occupancy(own, 1, "17\n");
  set_occupancy(own, 3, "4\n");
  EXPECT_DOUBLE_EQ(load(1).own_occupancy.value(), 17.0 / 104.0);
  EXPECT_EQ(load(2).own_occupancy, std::nullopt);
  EXPECT_EQ(load(2).total_occupancy, std::nullopt);
  EXPECT_DOUBLE_EQ(load(3).own_occupancy.value(), 4.0 / 104.0);
}

TEST_F(KfdSensorTest, TakesNoNumberThatCannotBe) {
  for (const char* text : {"", "4294967295\n", "18446744073709551615\n", "9999\n", "105\n", "-1\n", "12 units\n"}) {
    set_occupancy(own, 1, text);
    EXPECT_EQ(load(1).own_occupancy, std::nullopt) << text;
    EXPECT_EQ(load(1).total_occupancy, std::nullopt) << text;
  }
  set_occupancy(own, 1, "104\n");
  EXPECT_EQ(load(1).own_occupancy, 1.0);
  set_occupancy(own, 1, "0\n");
  EXPECT_EQ(load(1).own_occupancy, 0.0);
}

TEST_F(KfdSensorTest, TellsOwnWorkFromOthers) {
  set_occupancy(own, 1, "26\n");
  set_occupancy(own, 2, "26\n");
  set_occupancy(other, 1, "52\n");
  set_occupancy(other, 2, "0\n");
  add_queue(other, 0, 1);
  EXPECT_DOUBLE_EQ(load(1).own_occupancy.value(), 0.25);
  EXPECT_DOUBLE_EQ(load(1).others_occupancy.value(), 0.5);
  EXPECT_DOUBLE_EQ(load(1).total_occupancy.value(), 0.75);
  EXPECT_EQ(load(1).others_present, true);
  EXPECT_EQ(load(2).others_occupancy, 0.0);
  EXPECT_EQ(load(2).others_present, false);
}

TEST_F(KfdSensorTest, SeesAnotherThatIsIdleButHasAQueue) {
  set_occupancy(own, 1, "26\n");
  set_occupancy(other, 1, "0\n");
  add_queue(other, 7, 1);
  EXPECT_EQ(load(1).others_occupancy, 0.0);
  EXPECT_EQ(load(1).others_present, true);
}

TEST_F(KfdSensorTest, DoesNotCountAnotherWithoutACounterAsIdle) {
  set_occupancy(own, 1, "26\n");
  set_occupancy(own, 2, "26\n");
  add_process(other);
  add_queue(other, 0, 1);
  EXPECT_EQ(load(1).others_occupancy, std::nullopt);
  EXPECT_EQ(load(1).total_occupancy, std::nullopt);
  EXPECT_EQ(load(1).others_present, true);
  // It has no queue on the second GPU, where the counter says nothing new.
  EXPECT_EQ(load(2).others_occupancy, 0.0);
}

TEST_F(KfdSensorTest, DoesNotKnowWhetherAnotherIsThereWithoutItsQueues) {
  set_occupancy(own, 1, "26\n");
  set_occupancy(other, 1, "0\n");
  fs::remove(folder.path() / process_folder(other) / "queues");
  EXPECT_EQ(load(1).others_present, std::nullopt);
}

TEST_F(KfdSensorTest, CallsNobodyAnotherWhileThisProcessIsNotListed) {
  set_occupancy(other, 1, "52\n");
  add_queue(other, 0, 1);
  EXPECT_EQ(load(1).own_occupancy, std::nullopt);
  EXPECT_EQ(load(1).others_occupancy, std::nullopt);
  EXPECT_EQ(load(1).others_present, std::nullopt);
  EXPECT_EQ(load(1).total_occupancy, 0.5);
}

TEST_F(KfdSensorTest, TakesNoHostProcessOfTheSameNumberForItselfInAContainer) {
  set_occupancy(own, 1, "26\n");
  set_occupancy(other, 1, "26\n");
  in_pid_namespace("pid:[4026532001]");
  EXPECT_EQ(load(1).own_occupancy, std::nullopt);
  EXPECT_EQ(load(1).others_occupancy, std::nullopt);
  EXPECT_EQ(load(1).others_present, std::nullopt);
  EXPECT_EQ(load(1).total_occupancy, 0.5);
}

TEST_F(KfdSensorTest, SaysNothingOfProcessesThatAreNotShown) {
  const GpuLoad unknown = load(1);
  EXPECT_EQ(unknown, GpuLoad());
}

TEST_F(KfdSensorTest, ReadsTheBusyPercentage) {
  const fs::path file = "bus/pci/devices/0000:11:00.0/gpu_busy_percent";
  folder.write(file, "37\n");
  EXPECT_DOUBLE_EQ(load(1).busy.value(), 0.37);
  EXPECT_EQ(load(2).busy, std::nullopt);
  for (const char* text : {"101\n", "65535\n", "", "busy\n"}) {
    folder.write(file, text);
    EXPECT_EQ(load(1).busy, std::nullopt) << text;
  }
}

TEST_F(KfdSensorTest, DoesNotTakeTheLoadOfAWholeGpuForThatOfAPartition) {
  for (int partition = 0; partition < 2; ++partition) add_gpu(4 + partition, 0x1500 | partition << 28);
  folder.write("bus/pci/devices/0000:15:00.0/gpu_busy_percent", "37\n");
  std::size_t partitions = 0;
  for (const GpuSample& sample : open_kfd_sensor(options)->sample().samples) {
    if (sample.gpu.pci.bus != 0x15) continue;
    ++partitions;
    EXPECT_EQ(sample.load.busy, std::nullopt);
  }
  EXPECT_EQ(partitions, 2u);
}

/// 104 compute units on 8 dies: 13 on each.
using KfdSensorOfSeveralDies = KfdSensorTest;

TEST_F(KfdSensorOfSeveralDies, TakesNoCountForAPartOfTheWholeThatMayBeOfOneDie) {
  add_gpu(1, 0x1100, "num_xcc 8\n");
  add_queue(other, 0, 1);
  const auto sensor = open_kfd_sensor(options);
  for (const char* units : {"1\n", "13\n"}) {
    set_occupancy(own, 1, "0\n");
    set_occupancy(other, 1, units);
    EXPECT_EQ(load_by(*sensor, 1).own_occupancy, 0.0) << "nothing runs on the first die, to which all is dealt in turn";
    EXPECT_EQ(load_by(*sensor, 1).others_occupancy, std::nullopt) << units;
    EXPECT_EQ(load_by(*sensor, 1).total_occupancy, std::nullopt) << units;
    EXPECT_EQ(load_by(*sensor, 1).others_present, true) << units;
  }
  set_occupancy(own, 2, "26\n");
  EXPECT_EQ(load_by(*sensor, 2).own_occupancy, 0.25) << "the next GPU has one die";
}

TEST_F(KfdSensorOfSeveralDies, TrustsTheCountsOnceOneIsMoreThanADieHas) {
  for (int gpu = 1; gpu <= 2; ++gpu) add_gpu(gpu, (0x10 + gpu) << 8, "num_xcc 8\n");
  const auto sensor = open_kfd_sensor(options);
  set_occupancy(own, 1, "8\n");
  set_occupancy(own, 2, "13\n");
  EXPECT_EQ(load_by(*sensor, 1).own_occupancy, std::nullopt);
  set_occupancy(own, 2, "14\n");
  EXPECT_EQ(load_by(*sensor, 2).own_occupancy, 14.0 / 104.0);
  EXPECT_EQ(load_by(*sensor, 1).own_occupancy, 8.0 / 104.0) << "the driver is one for all GPUs";
  set_occupancy(own, 2, "0\n");
  EXPECT_EQ(load_by(*sensor, 1).own_occupancy, 8.0 / 104.0) << "and stays what it is";
}

TEST_F(KfdSensorOfSeveralDies, SaysNothingWhereTheDriverDoesNotTellHowManyThereAre) {
  add_gpu(1, 0x1100, "gfx_target_version 90402\n");
  add_gpu(2, 0x1200, "gfx_target_version 90010\n");
  set_occupancy(own, 1, "104\n");
  set_occupancy(own, 2, "104\n");
  EXPECT_EQ(load(1).own_occupancy, std::nullopt);
  EXPECT_EQ(load(2).own_occupancy, 1.0);
}

TEST_F(KfdSensorOfSeveralDies, TrustsWhatAPartitionShowsOnceItIsNotTheFirstOnesToo) {
  for (int partition = 0; partition < 2; ++partition) {
    add_gpu(4 + partition, 0x1500 | partition << 28, "num_xcc 1\n");
    add_queue(own, partition, 4 + partition);
    set_occupancy(own, 4 + partition, "52\n");
  }
  const auto sensor = open_kfd_sensor(options);
  EXPECT_EQ(load_by(*sensor, 5, 0).own_occupancy, 0.5);
  EXPECT_EQ(load_by(*sensor, 5, 1).own_occupancy, std::nullopt)
      << "the older driver shows the first one's here as well";
  set_occupancy(own, 5, "0\n");
  EXPECT_EQ(load_by(*sensor, 5, 1).own_occupancy, std::nullopt);
  add_queue(other, 0, 5);
  set_occupancy(other, 5, "26\n");
  EXPECT_EQ(load_by(*sensor, 5, 1).others_occupancy, 0.25) << "that process has no work on the first one";
  EXPECT_EQ(load_by(*sensor, 5, 1).own_occupancy, 0.0);
}

TEST(KfdSensorWithoutGpus, IsNotOpened) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(open_kfd_sensor({folder.path(), "/proc/self"}), nullptr);
  folder.write("class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 8\nsimd_count 0\n");
  EXPECT_EQ(open_kfd_sensor({folder.path(), "/proc/self"}), nullptr);
}

}  // namespace
}  // namespace skua
