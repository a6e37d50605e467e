// The program libexec/skua/probe: where it is found, and how it lives and dies.
#include <probe/probe_program.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <program/protocol.hpp>
#include <system/spawned_program.hpp>
#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr milliseconds patience{30'000};

TEST(ProbeProgram, IsFoundBesideTheProgramsOfTheBuildFolder) {
  const auto found = find_probe_program();
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::filesystem::equivalent(*found, SKUA_PROBE_BUILT)) << *found;
}

TEST(ProbeProgram, IsLookedForBesideLibrariesAndProgramsWhereverTheyAreMoved) {
  const test::TemporaryFolder prefix;
  const auto expected = (prefix.path() / "libexec/skua/probe").string();
  EXPECT_THAT(probe_places_beside(prefix.path() / "bin/program"), Contains(std::filesystem::path(expected)));
  // The folder for libraries has a name of the distribution's.
  bool is_beside_lib = false;
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
    for (const auto& place : probe_places_beside(prefix.path() / folder / "libskua_topology.so")) {
      is_beside_lib = is_beside_lib || place == expected;
    }
  }
  EXPECT_TRUE(is_beside_lib);
}

TEST(ProbeProgram, IsLookedForWhereALinkToTheLibraryLeads) {
  const test::TemporaryFolder folder;
  folder.write("real/bin/program", "");
  std::filesystem::create_symlink(folder.path() / "real/bin/program", folder.path() / "link");
  const auto real = std::filesystem::canonical(folder.path() / "real");
  EXPECT_THAT(probe_places_beside(folder.path() / "link"), Contains(real / "libexec/skua/probe"));
}

TEST(ProbeProgram, RefusesWhatItIsNotAskedByThisSkua) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"0", "gpus", "a.so"}, {"1", "fly", "a.so"}, {"1", "gpus"}}) {
    const auto result = run_program(SKUA_PROBE_BUILT, words, patience);
    EXPECT_EQ(result.end, ProgramResult::End::died);
    EXPECT_EQ(result.signal_number, 0);
  }
}

TEST(ProbeProgram, GreetsBeforeItTouchesALibrary) {
  const auto result =
      run_program(SKUA_PROBE_BUILT, {probe_version, probe_task_gpus, "libthat_is_not_there.so"}, patience);
  EXPECT_EQ(result.end, ProgramResult::End::completed);
  EXPECT_EQ(result.output, probe_greeting);
}

TEST(ProbeProgram, DiesWithItsParentWhileTheLibraryHangs) {
  setenv("SMI_STUB", "hang", 1);
  // What the dead leave comes to this process, so that it can see how it ended.
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    SpawnedProgram program(SKUA_PROBE_BUILT, {probe_version, probe_task_gpus, SKUA_ROCM_SMI_STUB});
    std::string said;
    while (said.find("asking it to start") == std::string::npos && !program.is_gone())
      said += program.receive(patience);
    const pid_t number = program.process_id();
    if (write(ends[1], &number, sizeof(number)) != sizeof(number)) _exit(1);
    for (;;) pause();
  }
  unsetenv("SMI_STUB");
  pid_t program = -1;
  ASSERT_EQ(read(ends[0], &program, sizeof(program)), static_cast<ssize_t>(sizeof(program)));
  ASSERT_GT(program, 0);
  kill(parent, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_EQ(waitpid(program, &status, 0), program);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  close(ends[0]);
  close(ends[1]);
}

TEST(ProbeProgram, SaysInNotesWhatIsWrongWithIt) {
  EXPECT_THAT(why_probe_is_useless(std::nullopt, ""), HasSubstr("libexec/skua/probe is not there"));
  EXPECT_THAT(why_probe_is_useless("/opt/probe", "Permission denied"), StartsWith("/opt/probe does not start: Perm"));
  EXPECT_THAT(why_probe_is_useless("/opt/probe", ""), HasSubstr("another skua's"));
}

}  // namespace
}  // namespace skua
