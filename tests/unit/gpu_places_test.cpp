// Partitions and functions, by what drivers and libraries write.
#include <graph/gpu_places.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

using Places = std::vector<GpuPlace>;

WrittenPlace written(std::uint8_t bus, std::uint8_t function, std::uint64_t unique_id, bool is_partitionable) {
  return {{0, bus, 0, function}, 0, unique_id, is_partitionable};
}

TEST(GpuPlaces, RocmSmisNumberHoldsDomainUpperBitsAndFunction) {
  const WrittenPlace whole = written_place_from_bdf(0x1'0000'c3fa);
  EXPECT_EQ(whole.pci, (PciAddress{1, 0xc3, 0x1f, 2}));
  EXPECT_EQ(whole.upper_bits, 0u);
  const WrittenPlace part = written_place_from_bdf(std::uint64_t{5} << 28 | 0xc300);
  EXPECT_EQ(part.pci, (PciAddress{0, 0xc3, 0, 0}));
  EXPECT_EQ(part.upper_bits, 5u);
}

TEST(GpuPlaces, TheFunctionOfAPartitionableGpuIsItsPartition) {
  EXPECT_EQ(gpu_places({written(0xc1, 0, 0, true), written(0xc1, 3, 0, true)}),
            (Places{{{0, 0xc1, 0, 0}, 0, false}, {{0, 0xc1, 0, 0}, 3, false}}));
  // Also where a container shows nothing else of that GPU.
  EXPECT_EQ(gpu_places({written(0xc1, 3, 0, true)}), (Places{{{0, 0xc1, 0, 0}, 3, false}}));
}

TEST(GpuPlaces, AFunctionOfAnyOtherGpuIsAFunction) {
  EXPECT_EQ(gpu_places({written(0xc1, 1, 0, false)}), (Places{{{0, 0xc1, 0, 1}, std::nullopt, false}}));
  EXPECT_EQ(gpu_places({written(0xc1, 0, 8, false), written(0xc1, 1, 9, false)}),
            (Places{{{0, 0xc1, 0, 0}, std::nullopt, false}, {{0, 0xc1, 0, 1}, std::nullopt, false}}));
}

TEST(GpuPlaces, AGpuByItselfHasNoPartition) {
  EXPECT_EQ(gpu_places({written(0xc1, 0, 8, true), written(0xc2, 0, 8, true)}),
            (Places{{{0, 0xc1, 0, 0}, std::nullopt, false}, {{0, 0xc2, 0, 0}, std::nullopt, false}}));
}

TEST(GpuPlaces, UpperBitsAreThePartitionWhereverTheyStand) {
  std::vector<WrittenPlace> both = {written(0xc1, 0, 8, false), written(0xc1, 0, 8, false)};
  both[1].upper_bits = 1;
  EXPECT_EQ(gpu_places(both), (Places{{{0, 0xc1, 0, 0}, 0, false}, {{0, 0xc1, 0, 0}, 1, false}}));
  EXPECT_EQ(gpu_places({both[1]}), (Places{{{0, 0xc1, 0, 0}, 1, false}}));
}

TEST(GpuPlaces, PartitionsWithoutNumbersAreCountedWhereTheyShareAKnownId) {
  EXPECT_EQ(gpu_places({written(0xc1, 0, 8, true), written(0xc1, 0, 8, true)}),
            (Places{{{0, 0xc1, 0, 0}, 0, true}, {{0, 0xc1, 0, 0}, 1, true}}));
  EXPECT_EQ(gpu_places({written(0xc1, 0, 0, true), written(0xc1, 0, 0, true)}),
            (Places{{{0, 0xc1, 0, 0}, std::nullopt, false}, {{0, 0xc1, 0, 0}, std::nullopt, false}}));
}

}  // namespace
}  // namespace skua
