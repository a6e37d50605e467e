// What a simulated Job ran, against what it says.
#include <gtest/gtest.h>

#include <granule_record.hpp>

namespace skua {
namespace {

class GranuleRecords : public testing::Test {
 protected:
  void run(std::uint64_t granule) {
    Chunk chunk;
    chunk.begin = granule * 10;
    chunk.end = chunk.begin + 10;
    chunk.granule = 10;
    chunk.partials = &results_[granule];
    record.run_on_host(chunk);
  }
  Partials partials() const { return {sizeof(double), {{{0, 3}, reinterpret_cast<const std::byte*>(results_)}}, {}}; }

  GranuleRecord record{30, 10};
  Report report;
  const std::vector<Interval> all = {{0, 3}};

 private:
  double results_[3] = {};
};

TEST_F(GranuleRecords, AgreeWithAJobThatRanEachGranuleOnce) {
  for (std::uint64_t granule = 0; granule < 3; ++granule) run(granule);
  EXPECT_EQ(record.check_runs(report, all, false), "");
  EXPECT_EQ(record.check_sum(partials(), all), "");
}

TEST_F(GranuleRecords, FindAGranuleThatIsSaidToBeDoneAndWasNotRun) {
  run(0);
  run(2);
  EXPECT_EQ(record.check_runs(report, all, true), "granule 1 is said to be done, and was not run");
  EXPECT_NE(record.check_sum(partials(), all), "");
}

TEST_F(GranuleRecords, FindAGranuleThatIsSaidNotToBeDoneAndWasRun) {
  for (std::uint64_t granule = 0; granule < 3; ++granule) run(granule);
  report.not_done = {{10, 20}};
  EXPECT_EQ(record.check_runs(report, all, true), "granule 1 is said to be not done, and was run");
}

TEST_F(GranuleRecords, FindAGranuleThatRanTwiceThoughItMayNot) {
  for (const std::uint64_t granule : {0u, 1u, 1u, 2u}) run(granule);
  EXPECT_EQ(record.check_runs(report, all, true), "");
  EXPECT_EQ(record.check_runs(report, all, false), "granule 1 was run more than once");
}

}  // namespace
}  // namespace skua
