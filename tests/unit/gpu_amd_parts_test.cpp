// How the compute units of AMD's GPUs are dealt to parts.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include <gpu/amd_parts.hpp>

#include "support/amd_machines.hpp"

namespace skua {
namespace {

RuntimeGpu gpu_of(const test::AmdMachine& machine) {
  RuntimeGpu gpu;
  gpu.arch = machine.arch;
  gpu.compute_units = machine.compute_units;
  return gpu;
}

RuntimeGpu known_gpu_of(const test::AmdMachine& machine) {
  RuntimeGpu gpu = gpu_of(machine);
  gpu.xcds = machine.xcds;
  gpu.shader_engines = machine.shader_engines;
  gpu.hardware_queues = machine.hardware_queues;
  return gpu;
}

class AmdParts : public testing::TestWithParam<test::AmdMachine> {};

INSTANTIATE_TEST_SUITE_P(Machines, AmdParts, testing::ValuesIn(test::amd_machines()), test::name_of_machine);

TEST_P(AmdParts, AreCutWhereEveryShaderEngineOfEveryXcdHasHadAUnit) {
  const GpuGrain grain = amd_grain(known_gpu_of(GetParam()));
  EXPECT_EQ(grain.quantum, GetParam().shader_engines);
  EXPECT_GE(grain.available / grain.quantum, 4u);
  EXPECT_LT(GetParam().compute_units - grain.available, grain.quantum);
  EXPECT_EQ(grain.hardware_queues, GetParam().hardware_queues);
}

TEST_P(AmdParts, MeetEveryXcdWhereNobodyTellsTheirNumber) {
  const GpuGrain grain = amd_grain(gpu_of(GetParam()));
  for (std::uint32_t first = 0; first < grain.available; first += grain.quantum) {
    const auto mask = compute_unit_mask(first, grain.quantum, GetParam().compute_units);
    std::set<std::uint32_t> met;
    for (std::uint32_t bit = 0; bit < GetParam().compute_units; ++bit) {
      if (mask[bit / 32] >> (bit % 32) & 1) met.insert(bit % GetParam().xcds);
    }
    EXPECT_EQ(met.size(), GetParam().xcds) << "from " << first;
  }
  EXPECT_GE(grain.available / grain.quantum, 4u);
  EXPECT_FALSE(grain.hardware_queues);
}

TEST_P(AmdParts, HaveEachUnitOnce) {
  const GpuGrain grain = amd_grain(known_gpu_of(GetParam()));
  std::set<std::uint32_t> all;
  for (std::uint32_t first = 0; first < grain.available; first += grain.quantum) {
    const auto mask = compute_unit_mask(first, grain.quantum, GetParam().compute_units);
    for (std::uint32_t bit = 0; bit < mask.size() * 32; ++bit) {
      if ((mask[bit / 32] >> (bit % 32) & 1) == 0) continue;
      EXPECT_TRUE(all.insert(bit).second) << bit;
    }
  }
  EXPECT_EQ(all.size(), grain.available);
  EXPECT_LT(*all.rbegin(), GetParam().compute_units);
}

GpuGrain grain_of(const std::string& arch, std::uint32_t units, std::optional<std::uint32_t> xcds = {},
                  std::optional<std::uint32_t> engines = {}) {
  RuntimeGpu gpu;
  gpu.arch = arch;
  gpu.compute_units = units;
  gpu.xcds = xcds;
  gpu.shader_engines = engines;
  return amd_grain(gpu);
}

TEST(AmdGrain, FollowsTheShaderEnginesOfAnArchitectureWhereTheyAreNotTold) {
  EXPECT_EQ(grain_of("gfx906", 60).quantum, 4u);
  EXPECT_EQ(grain_of("gfx908", 120).quantum, 8u);
  EXPECT_EQ(grain_of("gfx90a", 110).available, 104u);
  EXPECT_EQ(grain_of("gfx942", 304, 8).quantum, 32u);
  EXPECT_EQ(grain_of("gfx942", 80, 4).quantum, 16u) << "MI308X";
  EXPECT_EQ(grain_of("gfx950", 256, 8).quantum, 32u);
  EXPECT_EQ(grain_of("gfx1201", 32).quantum, 1u) << "nobody knows";
}

TEST(AmdGrain, LeavesShaderEnginesUnevenBeforeAGpuCouldHardlyBeCut) {
  EXPECT_EQ(grain_of("gfx942", 80, 8, 32).quantum, 8u);
  EXPECT_EQ(grain_of("gfx90a", 24).quantum, 1u);
  EXPECT_EQ(grain_of("gfx1036", 1, 1, 2).available, 1u);
}

TEST(AmdGrain, TakesNoEnginesThatAreNotOfWholeXcds) {
  EXPECT_EQ(grain_of("gfx942", 304, 8, 12).quantum, 8u);
  EXPECT_EQ(grain_of("gfx942", 304, 0, 0).quantum, 1u);
}

TEST(ComputeUnitMask, SetsConsecutiveBits) {
  EXPECT_EQ(compute_unit_mask(0, 40, 104), (std::vector<std::uint32_t>{0xffffffff, 0xff, 0, 0}));
  EXPECT_EQ(compute_unit_mask(100, 4, 104), (std::vector<std::uint32_t>{0, 0, 0, 0xf0}));
}

}  // namespace
}  // namespace skua
