// The kernel's CPU lists.
#include <skua/detail/cpu_set.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

TEST(CpuSet, ReadsTheKernelsListForm) {
  const auto set = CpuSet::from_list("0-3,8,10-11\n");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->cpus(), (std::vector<unsigned>{0, 1, 2, 3, 8, 10, 11}));
}

TEST(CpuSet, TheEmptyTextIsTheEmptySet) {
  ASSERT_TRUE(CpuSet::from_list(""));
  EXPECT_TRUE(CpuSet::from_list(" \n")->empty());
}

TEST(CpuSet, WritesWhatItRead) {
  for (const char* text : {"", "5", "0-95", "0,2,4-5,1048575"}) EXPECT_EQ(CpuSet::from_list(text)->to_list(), text);
}

TEST(CpuSet, SortsAndDropsRepeats) {
  EXPECT_EQ(CpuSet({7, 3, 7, 4}).to_list(), "3-4,7");
  EXPECT_EQ(CpuSet::from_list("4-6,5-7")->to_list(), "4-7");
}

TEST(CpuSet, RefusesWhatIsNotAList) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,", ",1", "1,,2", "0-1048576", "4294967296", "1 2", "0x3"}) {
    EXPECT_FALSE(CpuSet::from_list(text)) << text;
  }
}

TEST(CpuSet, RefusesAListThatGrowsWithoutBound) {
  std::string text = "0-1048575";
  for (int i = 0; i < 100; ++i) text += ",0-1048575";
  EXPECT_FALSE(CpuSet::from_list(text));
}

TEST(CpuSet, KnowsItsMembers) {
  const auto set = *CpuSet::from_list("2-3,9");
  EXPECT_EQ(set.size(), 3u);
  EXPECT_TRUE(set.contains(9));
  EXPECT_FALSE(set.contains(4));
}

TEST(CpuSet, IntersectionHoldsWhatIsInBoth) {
  EXPECT_EQ(CpuSet::from_list("0-9")->intersection(*CpuSet::from_list("8-12,3")).to_list(), "3,8-9");
  EXPECT_TRUE(CpuSet({1}).intersection(CpuSet({2})).empty());
}

}  // namespace
}  // namespace skua
