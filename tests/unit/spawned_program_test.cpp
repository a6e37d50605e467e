// Programs that answer, say too much, die and hang; a shell's scripts stand in for them.
#include <system/spawned_program.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace skua {
namespace {

using std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock;
using ::testing::HasSubstr;
using ::testing::Not;

// Waited for in full only by a fault.
constexpr milliseconds patience{30'000};
constexpr const char* shell = "/bin/sh";

std::string everything_of(SpawnedProgram& program) {
  std::string text;
  while (!program.is_gone()) text += program.receive(patience);
  return text;
}

ProgramResult run_script(const std::string& script, milliseconds limit = patience) {
  return run_program(shell, {"-c", script}, limit);
}

TEST(SpawnedProgram, AnswersEachQuestion) {
  SpawnedProgram program(shell, {"-c",
                                 "while c=$(dd bs=1 count=1 <&3 2>/dev/null) && [ -n \"$c\" ]; do "
                                 "echo $c$c >&3; done"});
  ASSERT_TRUE(program.has_started());
  EXPECT_TRUE(program.send('a'));
  EXPECT_EQ(program.receive(patience), "aa\n");
  EXPECT_TRUE(program.send('b'));
  EXPECT_EQ(program.receive(patience), "bb\n");
  EXPECT_EQ(program.receive(milliseconds(1)), "");
  EXPECT_FALSE(program.is_gone());
}

TEST(SpawnedProgram, TellsBySignalOrErrorHowItEnded) {
  SpawnedProgram killed(shell, {"-c", "kill -SEGV $$"});
  EXPECT_EQ(everything_of(killed), "");
  EXPECT_EQ(killed.end(), "by Segmentation fault");
  SpawnedProgram failed(shell, {"-c", "exit 3"});
  EXPECT_EQ(everything_of(failed), "");
  EXPECT_EQ(failed.end(), "by an error");
  EXPECT_FALSE(failed.send('?'));
}

TEST(SpawnedProgram, SaysWhyItDoesNotStart) {
  SpawnedProgram absent("/no/such/program", {});
  EXPECT_FALSE(absent.has_started());
  EXPECT_TRUE(absent.is_gone());
  EXPECT_THAT(absent.failure(), HasSubstr("No such file"));
  EXPECT_EQ(absent.end(), "without having started");
  EXPECT_EQ(run_program("/dev/null", {}, patience).end, ProgramResult::End::not_started);
}

TEST(SpawnedProgram, IsHeardToTheEndAfterAQuestionThatItDidNotReadAnyMore) {
  SpawnedProgram program(shell, {"-c", "printf 'I go' >&3"});
  ASSERT_TRUE(program.wait_for_end(SteadyTime::now() + patience).has_value());
  EXPECT_FALSE(program.send('?'));
  EXPECT_EQ(everything_of(program), "I go");
}

TEST(SpawnedProgram, HoldsNoFileOfThisProcess) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // without FD_CLOEXEC
  SpawnedProgram program(shell, {"-c", "read line <&3"});
  close(ends[1]);
  // A program that held the other end would keep this one waiting.
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(SpawnedProgram, HasTheConnectionAndNothingToReadOrToWriteElsewhere) {
  // The script writes by way of file 1, which is therefore left out.
  const auto result = run_script("cd /proc/self/fd && exec readlink 0 2 3 4 5 6 7 8 9 10 11 12 >&3");
  EXPECT_THAT(result.output, ::testing::MatchesRegex("/dev/null\n/dev/null\nsocket:\\[[0-9]+\\]\n"));
}

TEST(SpawnedProgram, IsToldNothingThatIsPreloadedAndNothingOfSkuas) {
  setenv("LD_PRELOAD", "libthat_is_not_there.so", 1);
  setenv("SKUA_DEVICES", "host:3", 1);
  setenv("NOT_SKUA_DEVICES", "LD_PRELOAD=kept", 1);
  const auto result = run_script("env >&3");
  for (const char* name : {"LD_PRELOAD", "SKUA_DEVICES", "NOT_SKUA_DEVICES"}) unsetenv(name);
  EXPECT_THAT(result.output, Not(HasSubstr("libthat_is_not_there")));
  EXPECT_THAT("\n" + result.output, Not(HasSubstr("\nSKUA_")));
  EXPECT_THAT(result.output, HasSubstr("NOT_SKUA_DEVICES=LD_PRELOAD=kept\n"));
  EXPECT_THAT(result.output, HasSubstr("PATH="));
}

TEST(SpawnedProgram, HasSignalsAsTheyAreByDefault) {
  sigset_t some;
  sigset_t before;
  sigemptyset(&some);
  sigaddset(&some, SIGTERM);
  sigaddset(&some, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &some, &before);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  const auto result = run_script("awk '/Sig(Blk|Ign)/ { printf \"%s \", $2 }' /proc/self/status >&3");
  std::signal(SIGPIPE, ignored);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::istringstream sets(result.output);
  std::uint64_t blocked_set = ~std::uint64_t{0};
  std::uint64_t ignored_set = ~std::uint64_t{0};
  sets >> std::hex >> blocked_set >> ignored_set;
  EXPECT_EQ(blocked_set, 0u);
  // The C library ignores the two signals that it keeps for itself, which follow these.
  constexpr std::uint64_t of_programs = 0x7fffffff;
  EXPECT_EQ(ignored_set & of_programs, 0u);
}

std::atomic<int> forks{0};

TEST(SpawnedProgram, RunsNoHandlerOfForks) {
  static const int installed = pthread_atfork([] { ++forks; }, nullptr, nullptr);
  ASSERT_EQ(installed, 0);
  forks = 0;
  EXPECT_EQ(run_script("exit 0").end, ProgramResult::End::completed);
  EXPECT_EQ(forks, 0);
}

TEST(SpawnedProgram, IsKilledWithItsOwner) {
  pid_t number = 0;
  {
    SpawnedProgram program(shell, {"-c", "echo $$ >&3; exec sleep 100"});
    number = static_cast<pid_t>(std::stol(program.receive(patience)));
    EXPECT_EQ(number, program.process_id());
    EXPECT_EQ(kill(number, 0), 0);
  }
  EXPECT_EQ(kill(number, 0), -1);
}

TEST(SpawnedProgram, StartsWhereThisProcessHasNoStandardFiles) {
  int kept[3];
  for (int file = 0; file < 3; ++file) kept[file] = fcntl(file, F_DUPFD_CLOEXEC, 10);
  for (int file = 0; file < 3; ++file) close(file);
  const auto result = run_script("printf hello >&3");
  for (int file = 0; file < 3; ++file) {
    if (kept[file] < 0) continue;
    dup2(kept[file], file);
    close(kept[file]);
  }
  EXPECT_EQ(result.output, "hello");
}

TEST(RunProgram, ReturnsWhatTheProgramWrote) {
  const auto result = run_script("printf hello >&3");
  EXPECT_EQ(result.end, ProgramResult::End::completed);
  EXPECT_EQ(result.output, "hello");
}

TEST(RunProgram, EndsOneThatNeverStopsTalking) {
  const auto start = SteadyTime::now();
  const auto result = run_script("while :; do echo x; done >&3", milliseconds(100));
  EXPECT_EQ(result.end, ProgramResult::End::killed_at_deadline);
  EXPECT_LT(SteadyTime::now() - start, patience);
}

TEST(RunProgram, TellsAnErrorFromASignalAndKeepsWhatWasSaidBefore) {
  const auto failed = run_script("printf before >&3; exit 1");
  EXPECT_EQ(failed.end, ProgramResult::End::died);
  EXPECT_EQ(failed.signal_number, 0);
  const auto aborted = run_script("printf before >&3; kill -ABRT $$");
  EXPECT_EQ(aborted.end, ProgramResult::End::died);
  EXPECT_EQ(aborted.signal_number, SIGABRT);
  EXPECT_EQ(aborted.output, "before");
}

TEST(RunProgram, PassesMoreThanABufferHolds) {
  const auto result = run_script("head -c 3000000 /dev/zero | tr '\\0' x >&3");
  EXPECT_EQ(result.end, ProgramResult::End::completed);
  EXPECT_EQ(result.output, std::string(3'000'000, 'x'));
}

TEST(RunProgram, WaitsForOneThatHasHungUpUntilTheDeadlineOnly) {
  const auto start = SteadyTime::now();
  const auto result = run_script("exec 3>&-; exec sleep 100", milliseconds(200));
  EXPECT_EQ(result.end, ProgramResult::End::killed_at_deadline);
  EXPECT_LT(SteadyTime::now() - start, patience);
}

}  // namespace
}  // namespace skua
