#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>
#include <support/temporary_folder.hpp>
#include <trace/trace.hpp>

namespace skua {
namespace {

nlohmann::json events_of(const std::vector<TraceEvent>& events) {
  return nlohmann::json::parse(trace_json({}, events)).at("traceEvents");
}

TEST(Trace, IsAValidDocumentWithoutEvents) {
  EXPECT_TRUE(events_of({}).empty());
}

TEST(Trace, KeepsAnyName) {
  for (const std::string& name :
       {std::string("mul\"x\""), std::string("dir\\k"), std::string("\x01"), std::string("a\nb"), std::string("it's"),
        std::string(), std::string(70'000, 'x'), std::string("f<int>(a & b)")}) {
    EXPECT_EQ(events_of({{name, 0, 0, 1, {}}})[0]["name"], name);
  }
  EXPECT_EQ(events_of({{"\xff", 0, 0, 1, {}}})[0]["name"], "\xEF\xBF\xBD");
}

TEST(Trace, WritesWhatIsNoNumberAsNull) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(events_of({{"chunk", 0, 0, 1, {{"rate", nan}}}})[0]["args"]["rate"].is_null());
}

TEST(Trace, CountsInMicroseconds) {
  const auto event = events_of({{"chunk", 3, 1'500, 4'000, {{"items", 7}}}})[0];
  EXPECT_EQ(event["ph"], "X");
  EXPECT_EQ(event["tid"], 3);
  EXPECT_DOUBLE_EQ(event["ts"], 1.5);
  EXPECT_DOUBLE_EQ(event["dur"], 2.5);
  EXPECT_EQ(event["args"]["items"], 7);
}

TEST(Trace, IsWrittenWhenItEnds) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  {
    Trace trace(path);
    trace.name_track(0, "host:0");
    trace.add({{"chunk", 0, 0, 1000, {}}});
  }
  std::ifstream file(path);
  const auto events = nlohmann::json::parse(file).at("traceEvents");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["args"]["name"], "host:0");
}

TEST(Trace, SaysOnceThatTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no full device here";
  testing::internal::CaptureStderr();
  {
    Trace trace("/dev/full");
    trace.flush();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "skua: trace file /dev/full could not be written whole\n");
}

TEST(Trace, NamesAFileThatCannotBeWritten) {
  EXPECT_THROW(Trace("/nonexistent-folder/trace.json"), InputError);
}

}  // namespace
}  // namespace skua
