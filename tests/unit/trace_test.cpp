#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
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
  const auto events = nlohmann::json::parse(file);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["args"]["name"], "host:0");
}

TEST(Trace, SaysOnceThatTheDeviceIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no full device here";
  testing::internal::CaptureStderr();
  {
    Trace trace("/dev/full");
    for (int times = 0; times < 2; ++times) {
      trace.add({{"chunk", 0, 0, 1000, {}}});
      trace.flush();
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "skua: trace file /dev/full could not be written whole\n");
}

nlohmann::json written(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

TEST(Trace, IsAWholeDocumentAfterEachFlush) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  Trace trace(path);
  trace.flush();
  EXPECT_EQ(written(path).size(), 0u);
  for (std::size_t count = 1; count <= 3; ++count) {
    trace.add({{"chunk", 0, 0, 1000, {}}});
    trace.flush();
    EXPECT_EQ(written(path).size(), count);
  }
}

TEST(Trace, IsWrittenOutWhenThereIsMuch) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  Trace trace(path);
  for (int i = 0; i < 10'000; ++i) trace.add({{"chunk", 0, 0, 1000, {}}});
  EXPECT_GT(std::filesystem::file_size(path), 500'000u);
}

TEST(Trace, OfOneNameSharesTheFileWithinAProcess) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  {
    Trace first(path);
    Trace second(path);
    first.add({{"chunk", 0, 0, 1000, {}}});
    second.add({{"chunk", 0, 0, 1000, {}}});
  }
  Trace third(path);
  third.add({{"chunk", 0, 0, 1000, {}}});
  third.flush();
  const auto events = written(path);
  ASSERT_EQ(events.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(events[static_cast<std::size_t>(i)]["pid"], i + 1);
}

TEST(Trace, BeginsAnewWhereItsFileIsGone) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  Trace(path).add({{"chunk", 0, 0, 1000, {}}});
  std::filesystem::remove(path);
  Trace again(path);
  again.flush();
  EXPECT_EQ(written(path).size(), 0u);
}

TEST(Trace, OfAnotherProcessIsLeftAloneAndAnotherNameTakenAndSaid) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace.json").string();
  Trace trace(path);
  EXPECT_EQ(trace.note(), "");
  const pid_t child = fork();
  if (child == 0) {
    Trace other(path);
    other.add({{"chunk", 0, 0, 1000, {}}});
    other.flush();
    const std::string name = "trace." + std::to_string(getpid()) + ".json";
    const bool is_said = other.note().find(name) != std::string::npos && Trace(path).note() == other.note();
    _exit(is_said && written((folder.path() / name).string()).size() == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  trace.flush();
  EXPECT_EQ(written(path).size(), 0u);
}

TEST(Trace, HasTheProcessAndTheHostInItsName) {
  std::array<char, 256> host{};
  ASSERT_EQ(gethostname(host.data(), host.size() - 1), 0);
  EXPECT_EQ(trace_path("a%%-%h-%p.json"), std::string("a%-") + host.data() + "-" + std::to_string(getpid()) + ".json");
  EXPECT_EQ(trace_path("plain.json"), "plain.json");
  EXPECT_THROW(trace_path("%q.json"), InputError);
  EXPECT_THROW(trace_path("100%"), InputError);
}

TEST(Trace, NamesAFileThatCannotBeWritten) {
  EXPECT_THROW(Trace("/nonexistent-folder/trace.json"), InputError);
}

}  // namespace
}  // namespace skua
