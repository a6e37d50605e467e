// Cutting an AMD GPU, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <gpu/backend.hpp>
#include <skua/input.hpp>

#include "support/amd_machines.hpp"
#include "support/hip_stub.hpp"

namespace skua {
namespace {

using Masks = std::vector<std::vector<std::uint32_t>>;

class GpuPartition : public testing::Test {
 protected:
  Devices open(const std::string& argument) {
    static const SteadyClock clock;
    return open_gpus(argument, topology, clock);
  }
  std::string error_of(const std::string& argument) {
    try {
      open(argument);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  void become(const std::string& machine) {
    hip_stub::become(test::amd_machine(machine));
    topology = test::amd_machine(machine).topology();
  }
  static bool notes_speak_of_blocking(const Devices& devices) {
    std::size_t notes = 0;
    for (const auto& device : devices) {
      for (const std::string& note : device->info().notes) notes += note.find("are blocking") != std::string::npos;
    }
    EXPECT_LE(notes, 1u) << "it is said once";
    return notes > 0;
  }

  hip_stub::State& stub = hip_stub::reset();
  Topology topology;
};

TEST_F(GpuPartition, IsByMasksOfComputeUnits) {
  const Devices devices = open("1/40+64");
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1]->info().name, "gpu:1.1");
  const std::vector<std::uint32_t> first{0xffffffff, 0xff, 0, 0};
  const std::vector<std::uint32_t> second{0, 0xffffff00, 0xffffffff, 0xff};
  EXPECT_EQ(stub.masks, (Masks{first, first, second, second})) << "a stream for each of two launches";
}

TEST_F(GpuPartition, IsAcrossXcds) {
  become("Mi300a");
  EXPECT_EQ(open("0/9").size(), 9u);
  EXPECT_EQ(stub.masks[0][0], 0xffffffu) << "a unit of each of the 4 shader engines of 6 XCDs";
  EXPECT_EQ(stub.masks[2][0], 0xff000000u);
  EXPECT_NE(error_of("0/38+190").find("multiples of 24"), std::string::npos) << error_of("0/38+190");
  EXPECT_NE(error_of("0/10").find("1 to 9 parts"), std::string::npos) << error_of("0/10");
}

TEST_F(GpuPartition, OnSomeXcdsOnlyWouldNeverEnd) {
  become("Mi300x");
  stub.arch = "gfx900";  // so that neither the runtime nor the graph speaks of XCDs
  topology = {};
  EXPECT_NE(error_of("0/4+300").find("did not finish a small task"), std::string::npos) << error_of("0/4+300");
}

TEST_F(GpuPartition, MakesNoMoreQueuesThanTheHardwareHas) {
  become("Mi210");
  EXPECT_NE(error_of("0/11").find("its 24 hardware queues"), std::string::npos) << error_of("0/11");
  stub.slow_launches = 0;
  EXPECT_EQ(open("0/10").size(), 10u);
  EXPECT_EQ(stub.slow_launches, 0);
  become("Radeon");
  EXPECT_NE(error_of("0/3").find("1 to 2 parts"), std::string::npos) << error_of("0/3");
}

TEST_F(GpuPartition, IsRefusedWhereTheProcessHasMasksOfItsOwn) {
  for (const char* variable : {"ROC_GLOBAL_CU_MASK", "HSA_CU_MASK"}) {
    setenv(variable, "0xff", 1);
    EXPECT_EQ(error_of("1/2"), "devices gpu:1: it cannot be cut: " + std::string(variable) +
                                   " is set, and the parts would not be those that are asked for");
    EXPECT_EQ(open("1").size(), 1u) << "a whole GPU is what the mask leaves of it";
    unsetenv(variable);
  }
}

TEST_F(GpuPartition, SaysOnceThatItsStreamsAreBlocking) {
  EXPECT_TRUE(notes_speak_of_blocking(open("0/2,1/2")));
  EXPECT_FALSE(notes_speak_of_blocking(open("0,1")));
}

TEST_F(GpuPartition, AsksForNoMoreQueuesOfTheProgramsStreams) {
  unsetenv("GPU_MAX_HW_QUEUES");
  open("0/2,1");
  EXPECT_EQ(std::getenv("GPU_MAX_HW_QUEUES"), nullptr);
}

TEST_F(GpuPartition, IsByGreenContextsWhereHipHasThem) {
  become("Mi300x");
  open("0/3");
  const Masks masks = stub.masks;
  for (const unsigned alignment : {1u, 2u}) {
    become("Mi300x");
    stub.green_alignment = alignment;
    const Devices devices = open("0/3");
    EXPECT_EQ(stub.masks, masks) << "of the same units";
    EXPECT_FALSE(notes_speak_of_blocking(devices));
    hip_stub::enqueue(nullptr, std::chrono::hours(1), [] {});
    open("0/3");
    EXPECT_EQ(stub.launches_behind_null, 0);
  }
}

TEST_F(GpuPartition, CountsPairsOfUnitsAsGreenContextsDo) {
  become("Radeon");
  stub.green_alignment = 2;
  stub.green_units = 2;
  open("0/6+42");
  EXPECT_EQ(stub.masks[0], (std::vector<std::uint32_t>{0x3f, 0}));
  EXPECT_EQ(stub.masks[2], (std::vector<std::uint32_t>{0xffffffc0, 0xffff}));
}

TEST_F(GpuPartition, KeepsToTheAlignmentOfGreenContexts) {
  become("Radeon");
  topology = {};
  stub.green_alignment = 4;
  EXPECT_NE(error_of("0/6+42").find("multiples of 4"), std::string::npos) << error_of("0/6+42");
  EXPECT_EQ(open("0/4+44").size(), 2u);
}

TEST_F(GpuPartition, IsByMasksWhereGreenContextsFail) {
  become("Mi210");
  stub.green_alignment = 2;
  stub.green_contexts_fail = true;
  const Devices devices = open("1/2");
  EXPECT_EQ(devices.size(), 2u);
  EXPECT_TRUE(notes_speak_of_blocking(devices));
}

}  // namespace
}  // namespace skua
