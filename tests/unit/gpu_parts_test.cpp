#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <skua/input.hpp>

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

std::string refusal(const std::string& argument, const GpuGrain& grain) {
  try {
    parse_gpu_parts(argument, 1, [&](int) { return grain; });
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GpuParts, AreNoMoreThanTheHardwareHasQueuesFor) {
  const GpuGrain grain{1, 104, 24};
  EXPECT_EQ(refusal("0/10", grain), "");
  EXPECT_EQ(refusal("0/1+1+1+1+1+1+1+1+1+1", grain), "");
  for (const char* many : {"0/11", "0/1+1+1+1+1+1+1+1+1+1+1"}) {
    EXPECT_EQ(refusal(many, grain), "devices gpu:" + std::string(many) +
                                        ": GPU 0 can be cut into 1 to 10 parts: of its 24 hardware queues each part "
                                        "takes 2, and 4 are left to others");
  }
  EXPECT_EQ(refusal("0/2", {1, 48, 8}), "");
  EXPECT_NE(refusal("0/3", {1, 48, 8}).find("1 to 2 parts"), std::string::npos);
  EXPECT_EQ(refusal("0/1", {1, 48, 3}), "") << "a part must be possible";
  EXPECT_EQ(refusal("0/104", {1, 104}), "") << "nobody knows how many queues there are";
}

}  // namespace
}  // namespace skua
