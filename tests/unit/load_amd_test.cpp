// Which of AMD's sources are asked, over a tree written for the tests.
#include <load/amd.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class AmdSensors : public ::testing::Test {
 protected:
  AmdSensors() {
    folder.write("class/drm/version", "drm 1.1.0\n");
    maps = folder.write("maps", "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/libc.so.6\n");
  }
  void add_gpu(int node, int location) {
    const std::string path = "class/kfd/kfd/topology/nodes/" + std::to_string(node);
    folder.write(path + "/properties",
                 "simd_count 416\nsimd_per_cu 4\ndomain 0\nlocation_id " + std::to_string(location) + "\n");
    folder.write(path + "/gpu_id", std::to_string(4000 + node) + "\n");
  }
  void set_busy(const std::string& address) {
    folder.write("bus/pci/devices/" + address + "/gpu_busy_percent", "37\n");
  }
  Sensors open() const {
    KfdSensorOptions kfd;
    kfd.sys = folder.path();
    RocmSmiSensorOptions rocm_smi;
    rocm_smi.sys = folder.path();
    rocm_smi.maps = maps;
    return open_amd_sensors(kfd, rocm_smi);
  }

  test::TemporaryFolder folder;
  std::filesystem::path maps;
};

TEST_F(AmdSensors, DoWithoutTheLibraryWhereTheFilesHaveAllThatItKnows) {
  for (int node = 1; node <= 2; ++node) add_gpu(node, (0x10 + node) << 8);
  set_busy("0000:11:00.0");
  set_busy("0000:12:00.0");
  EXPECT_THAT(open(), SizeIs(1));
}

TEST_F(AmdSensors, AskTheLibraryWhereTheFilesLackTheBusyPercentageOfAGpu) {
  for (int node = 1; node <= 2; ++node) add_gpu(node, (0x10 + node) << 8);
  set_busy("0000:11:00.0");
  EXPECT_THAT(open(), SizeIs(2));
}

TEST_F(AmdSensors, DoNotAskTheLibraryAboutPartitions) {
  for (int partition = 0; partition < 2; ++partition) add_gpu(1 + partition, 0x1100 | partition << 28);
  EXPECT_THAT(open(), SizeIs(1));
}

TEST_F(AmdSensors, AreNoneWithoutGpus) {
  EXPECT_THAT(open(), IsEmpty());
}

}  // namespace
}  // namespace skua
