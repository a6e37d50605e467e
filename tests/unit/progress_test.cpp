// Tests of the progress line.
#include <skua/progress.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

/// SKUA_PROGRESS for as long as it lives.
class Variable {
 public:
  explicit Variable(const char* value) { setenv("SKUA_PROGRESS", value, 1); }
  ~Variable() { unsetenv("SKUA_PROGRESS"); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
};

/// A terminal that standard error is, for as long as it lives.
class Terminal {
 public:
  Terminal() : own_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)), before_(dup(STDERR_FILENO)) {
    if (own_ < 0 || grantpt(own_) != 0 || unlockpt(own_) != 0) return;
    const int end = open(ptsname(own_), O_RDWR | O_NOCTTY);
    if (end < 0) return;
    works_ = dup2(end, STDERR_FILENO) == STDERR_FILENO;
    close(end);
  }
  ~Terminal() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    if (own_ >= 0) close(own_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool works() const { return works_; }
  /// What was written since the last call.
  std::string written() const {
    char text[1024];
    const ssize_t count = read(own_, text, sizeof(text));
    return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : "";
  }

 private:
  int own_;
  int before_;
  bool works_ = false;
};

TEST(ProgressText, SaysTheShareOnlyWhileNoRateIsKnown) {
  EXPECT_EQ(progress_text({200, 0, 1}), "  0 %");
  EXPECT_EQ(progress_text({200, 50, 0}), " 25 %");
  EXPECT_EQ(progress_text({0, 0, 0}), "100 %");
}

TEST(ProgressText, SaysTheRateTheRestAndTheEnd) {
  const std::string text = progress_text({1000, 250, 2.5});
  EXPECT_TRUE(text.starts_with(" 25 %   100 items/s   8 s left, until ")) << text;
}

TEST(ProgressText, CountsWhatItIsTold) {
  const std::string text = progress_text({1000, 250, 2.5}, {"paths", 4});
  EXPECT_TRUE(text.starts_with(" 25 %   400 paths/s   8 s left")) << text;
}

TEST(ProgressText, NamesNoHourThatIsTooFarAhead) {
  const std::string text = progress_text({1'000'000'000'000, 1, 1});
  EXPECT_EQ(text.find("until"), std::string::npos) << text;
}

TEST(ProgressLine, IsWrittenLineAfterLineWhereTheVariableSaysSo) {
  const Variable variable("1");
  testing::internal::CaptureStderr();
  {
    const ProgressLine line;
    EXPECT_TRUE(line.shown());
    line({200, 0, 1});
    line({200, 200, 0});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  0 %\n100 %\n");
}

TEST(ProgressLine, IsNeverWrittenWhereTheVariableSaysSo) {
  const Variable variable("0");
  const Terminal terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminal";
  const ProgressLine line;
  EXPECT_FALSE(line.shown());
  line({200, 50, 1});
  EXPECT_EQ(terminal.written(), "");
}

TEST(ProgressLine, IsNotWrittenToFilesUnlessAskedFor) {
  testing::internal::CaptureStderr();
  const ProgressLine line;
  EXPECT_FALSE(line.shown());
  line({200, 50, 1});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressLine, NamesTheVariableThatIsNeither0Nor1) {
  const Variable variable("yes");
  try {
    const ProgressLine line;
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "SKUA_PROGRESS=yes: must be 0 or 1");
  }
}

TEST(ProgressLine, IsWrittenOverOnATerminalAndTakenAwayWithItsLastCopy) {
  const Terminal terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminal";
  JobOptions options;
  options.progress = ProgressLine();
  options.progress({200, 0, 1});
  EXPECT_EQ(terminal.written(), "\r  0 %\x1b[K");
  JobOptions copy = options;
  options = {};
  EXPECT_EQ(terminal.written(), "");
  copy.progress({200, 50, 0});
  EXPECT_EQ(terminal.written(), "\r 25 %\x1b[K");
  copy.progress = nullptr;
  EXPECT_EQ(terminal.written(), "\r\x1b[K");
}

TEST(ProgressLine, GoesAwayFromATerminalWhenAllIsDone) {
  const Terminal terminal;
  if (!terminal.works()) GTEST_SKIP() << "no pseudo-terminal";
  const ProgressLine line;
  line({200, 50, 0});
  line({200, 200, 1});
  EXPECT_EQ(terminal.written(), "\r 25 %\x1b[K\r\x1b[K");
  line.clear();
  EXPECT_EQ(terminal.written(), "");
}

}  // namespace
}  // namespace skua
