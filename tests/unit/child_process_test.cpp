// Children that answer, say too much, die and hang.
#include <system/child_process.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace skua {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock;

// Waited for in full only by a fault.
constexpr milliseconds patience{30'000};

std::string everything_of(ChildProcess& child) {
  std::string text;
  while (!child.is_gone()) text += child.receive(patience);
  return text;
}

TEST(ChildProcess, AnswersEachQuestion) {
  ChildProcess child([](int connection) {
    for (char question = 0; read(connection, &question, 1) == 1;) write_or_exit(connection, std::string(2, question));
  });
  ASSERT_TRUE(child.has_started());
  EXPECT_TRUE(child.send('a'));
  EXPECT_EQ(child.receive(patience), "aa");
  EXPECT_TRUE(child.send('b'));
  EXPECT_EQ(child.receive(patience), "bb");
  EXPECT_EQ(child.receive(milliseconds(1)), "");
  EXPECT_FALSE(child.is_gone());
}

TEST(ChildProcess, TellsBySignalOrErrorHowItEnded) {
  ChildProcess killed([](int) { std::raise(SIGSEGV); });
  EXPECT_EQ(everything_of(killed), "");
  EXPECT_EQ(killed.end(), "by Segmentation fault");
  ChildProcess failed([](int) { throw std::runtime_error("no"); });
  EXPECT_EQ(everything_of(failed), "");
  EXPECT_EQ(failed.end(), "by an error");
  EXPECT_FALSE(failed.send('?'));
}

TEST(ChildProcess, IsHeardToTheEndAfterAQuestionThatItDidNotReadAnyMore) {
  ChildProcess child([](int connection) { write_or_exit(connection, "I go"); });
  ASSERT_TRUE(child.wait_for_end(SteadyTime::now() + patience).has_value());
  EXPECT_FALSE(child.send('?'));
  EXPECT_EQ(everything_of(child), "I go");
}

TEST(ChildProcess, HoldsNoFileOfTheProgram) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ChildProcess child([](int connection) {
    char nothing = 0;
    while (read(connection, &nothing, 1) == 1) continue;
  });
  close(ends[1]);
  // A child that held the other end would keep this one waiting.
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(ChildProcess, IsKilledWithItsOwner) {
  pid_t number = 0;
  {
    ChildProcess child([](int connection) {
      write_or_exit(connection, std::to_string(getpid()));
      for (;;) pause();
    });
    number = static_cast<pid_t>(std::stol(child.receive(patience)));
    EXPECT_EQ(kill(number, 0), 0);
  }
  EXPECT_EQ(kill(number, 0), -1);
}

TEST(IsolatedCall, ReturnsWhatTheChildWrote) {
  const auto result = run_isolated([](int file) { ASSERT_EQ(write(file, "hello", 5), 5); }, milliseconds(2000));
  EXPECT_EQ(result.end, IsolatedResult::End::completed);
  EXPECT_EQ(result.output, "hello");
}

TEST(IsolatedCall, EndsAChildThatNeverStopsTalking) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_isolated(
      [](int file) {
        while (write(file, "x", 1) == 1) {
        }
      },
      milliseconds(100));
  EXPECT_EQ(result.end, IsolatedResult::End::killed_at_deadline);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST(IsolatedCall, AnExceptionEndsTheChildOnly) {
  const auto result = run_isolated([](int) { throw std::runtime_error("no"); }, milliseconds(2000));
  EXPECT_EQ(result.end, IsolatedResult::End::died);
  EXPECT_EQ(result.signal_number, 0);
}

TEST(IsolatedCall, TellsTheSignalAndKeepsWhatWasSaidBefore) {
  const auto result = run_isolated(
      [](int file) {
        write_or_exit(file, "before");
        std::raise(SIGABRT);
      },
      patience);
  EXPECT_EQ(result.end, IsolatedResult::End::died);
  EXPECT_EQ(result.signal_number, SIGABRT);
  EXPECT_EQ(result.output, "before");
}

TEST(IsolatedCall, PassesMoreThanABufferHolds) {
  const std::string text(3'000'000, 'x');
  const auto result = run_isolated([&](int file) { write_or_exit(file, text); }, patience);
  EXPECT_EQ(result.end, IsolatedResult::End::completed);
  EXPECT_EQ(result.output, text);
}

TEST(IsolatedCall, WaitsForAChildThatHasHungUpUntilTheDeadlineOnly) {
  const auto start = SteadyTime::now();
  const auto result = run_isolated(
      [](int file) {
        close(file);
        for (;;) pause();
      },
      milliseconds(50));
  EXPECT_EQ(result.end, IsolatedResult::End::killed_at_deadline);
  EXPECT_LT(SteadyTime::now() - start, patience);
}

}  // namespace
}  // namespace skua
