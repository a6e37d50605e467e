#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <skua/input.hpp>

#include <gpu/cu_mask.hpp>
#include <gpu/parts.hpp>

namespace skua {
namespace {

/// 132 multiprocessors, of which 15 groups of 8 can be handed out.
std::vector<GpuPartSpec> parse(const std::string& argument, int gpus = 4) {
  return parse_gpu_parts(argument, gpus, [](int) { return GpuGrain{8, 120}; });
}

void expect_error(const std::string& argument, const std::string& what) {
  try {
    parse(argument);
    ADD_FAILURE() << argument << " was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("gpu:" + argument), std::string::npos) << error.what();
  }
}

TEST(GpuParts, MeanAllGpusWhenNothingIsSaid) {
  EXPECT_EQ(parse("", 2), (std::vector<GpuPartSpec>{{0, {}, {}}, {1, {}, {}}}));
}

TEST(GpuParts, KeepTheOrderInWhichGpusAreNamed) {
  EXPECT_EQ(parse("3,0"), (std::vector<GpuPartSpec>{{3, {}, {}}, {0, {}, {}}}));
}

TEST(GpuParts, CutAGpuIntoEqualPartsOfWholeGroups) {
  const auto parts = parse("0/7");
  ASSERT_EQ(parts.size(), 7u);
  for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(parts[i], (GpuPartSpec{0, i, 16})) << "15 groups give 2 to each";
}

TEST(GpuParts, CutAGpuByComputeUnits) {
  const auto parts = parse("1,0/40+24+16+16+8+8+8");
  ASSERT_EQ(parts.size(), 8u);
  EXPECT_EQ(parts[0], (GpuPartSpec{1, {}, {}}));
  EXPECT_EQ(parts[1], (GpuPartSpec{0, 0, 40}));
  EXPECT_EQ(parts[7], (GpuPartSpec{0, 6, 8}));
}

TEST(GpuParts, AskForTheGrainOfCutGpusOnly) {
  int asked = 0;
  parse_gpu_parts("0,1/2", 2, [&](int ordinal) {
    ++asked;
    EXPECT_EQ(ordinal, 1);
    return GpuGrain{1, 64};
  });
  EXPECT_EQ(asked, 1);
}

TEST(GpuParts, NameWhatIsWrong) {
  expect_error("4", "there are 0 to 3");
  expect_error("x", "not a number");
  expect_error("0,0", "named twice");
  expect_error("0/0", "1 to 15 parts");
  expect_error("0/16", "1 to 15 parts");
  expect_error("0/40+41", "multiples of 8");
  expect_error("0/80+48", "120 compute units together");
  expect_error("0/18446744073709551608+18446744073709551608", "120 compute units together");
  expect_error("0/8+", "not a number");
  expect_error("0,", "not a number");
}

TEST(ComputeUnitMask, SetsConsecutiveBitsOfAGpuWithOneDie) {
  EXPECT_EQ(compute_unit_mask(0, 40, 104, 1), (std::vector<std::uint32_t>{0xffffffff, 0xff, 0, 0}));
  EXPECT_EQ(compute_unit_mask(100, 4, 104, 1), (std::vector<std::uint32_t>{0, 0, 0, 0xf0}));
}

TEST(ComputeUnitMask, KeepsPartsOfWholeDiesApart) {
  constexpr std::uint32_t units = 304;
  constexpr std::uint32_t xcds = 8;
  const auto first_xcd = compute_unit_mask(0, 38, units, xcds);
  for (std::uint32_t bit = 0; bit < units; ++bit) {
    EXPECT_EQ(first_xcd[bit / 32] >> (bit % 32) & 1, bit % xcds == 0 ? 1u : 0u) << bit;
  }
}

TEST(ComputeUnitMask, GivesEveryUnitToOnePart) {
  std::vector<std::uint32_t> all((304 + 31) / 32);
  std::uint32_t first = 0;
  for (const std::uint32_t count : {152u, 76u, 38u, 38u}) {
    const auto mask = compute_unit_mask(first, count, 304, 8);
    for (std::size_t word = 0; word < all.size(); ++word) {
      EXPECT_EQ(all[word] & mask[word], 0u);
      all[word] |= mask[word];
    }
    first += count;
  }
  EXPECT_TRUE(std::all_of(all.begin(), all.end() - 1, [](std::uint32_t word) { return word == 0xffffffff; }));
  EXPECT_EQ(all.back(), 0xffffu);
}

}  // namespace
}  // namespace skua
