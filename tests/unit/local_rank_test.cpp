// Which GPUs are whose among the ranks of a node, and what launchers say.
#include <gpu/local_rank.hpp>

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Environment = std::map<std::string, std::string>;

LocalRank rank_in(const Environment& environment) {
  return local_rank_from([&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
  });
}

std::pair<std::uint32_t, std::uint32_t> pair_in(const Environment& environment) {
  const LocalRank local = rank_in(environment);
  return {local.rank, local.size};
}

std::string complaint_about(const Environment& environment) {
  try {
    rank_in(environment);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;

TEST(LocalRank, IsReadFromEachLauncher) {
  EXPECT_EQ(pair_in({{"OMPI_COMM_WORLD_LOCAL_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"}}), Pair(3, 8));
  EXPECT_EQ(pair_in({{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "1"}}), Pair(0, 1));
  EXPECT_EQ(pair_in({{"PMI_LOCAL_RANK", "2"}, {"PMI_LOCAL_SIZE", "4"}}), Pair(2, 4));
  EXPECT_EQ(pair_in({{"FLUX_TASK_LOCAL_ID", "3"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_JOB_NNODES", "2"}}), Pair(3, 4));
  EXPECT_EQ(pair_in({{"SLURM_LOCALID", "1"}, {"SLURM_NTASKS_PER_NODE", "4"}}), Pair(1, 4));
}

TEST(LocalRank, OfALauncherInsideOfAnotherIsThatOfTheInnerOne) {
  // mpirun and flux within a step of Slurm's, which has one task a node.
  Environment slurm = {{"SLURM_LOCALID", "0"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x2)"}};
  Environment inner = slurm;
  inner.insert({{"MPI_LOCALRANKID", "5"}, {"MPI_LOCALNRANKS", "6"}});
  EXPECT_EQ(pair_in(inner), Pair(5, 6));
  inner = slurm;
  inner.insert({{"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_SIZE", "4"}, {"FLUX_JOB_NNODES", "1"}});
  EXPECT_EQ(pair_in(inner), Pair(1, 4));
  EXPECT_EQ(pair_in(slurm), Pair(0, 1));
}

TEST(LocalRank, TakesSlurmsListOfTasksForThisNode) {
  const auto on_node = [](const std::string& list, const char* node) {
    return pair_in({{"SLURM_LOCALID", "1"}, {"SLURM_STEP_TASKS_PER_NODE", list}, {"SLURM_NODEID", node}}).second;
  };
  EXPECT_EQ(on_node("4", "0"), 4u);
  EXPECT_EQ(on_node("4(x2)", ""), 4u) << "all nodes have as many";
  EXPECT_EQ(on_node("4(x2),3", "0"), 4u);
  EXPECT_EQ(on_node("4(x2),3", "1"), 4u);
  EXPECT_EQ(on_node("4(x2),3", "2"), 3u);
  EXPECT_EQ(on_node("2,5(x10),3", "10"), 5u);
}

TEST(LocalRank, BelievesSlurmsStepBeforeItsJob) {
  EXPECT_EQ(pair_in({{"SLURM_LOCALID", "1"},
                     {"SLURM_NTASKS_PER_NODE", "8"},
                     {"SLURM_TASKS_PER_NODE", "6"},
                     {"SLURM_STEP_TASKS_PER_NODE", "2"}}),
            Pair(1, 2));
  EXPECT_EQ(pair_in({{"SLURM_LOCALID", "1"}, {"SLURM_NTASKS_PER_NODE", "8"}, {"SLURM_TASKS_PER_NODE", "6"}}),
            Pair(1, 6));
}

TEST(LocalRank, RoundsUpWhatFluxDoesNotTellAndSaysSo) {
  const LocalRank local = rank_in({{"FLUX_TASK_LOCAL_ID", "1"}, {"FLUX_JOB_SIZE", "5"}, {"FLUX_JOB_NNODES", "2"}});
  EXPECT_EQ(local.size, 3u);
  EXPECT_THAT(local.note.value(), AllOf(HasSubstr("FLUX_JOB_SIZE=5"), HasSubstr("FLUX_JOB_NNODES=2")));
}

TEST(LocalRank, IsAnErrorThatNamesAllVariablesWhereThereIsNone) {
  const std::string complaint = complaint_about({{"SLURM_NTASKS_PER_NODE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", ""}});
  for (const char* name : {"gpu:local", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID",
                           "PMI_LOCAL_RANK", "FLUX_TASK_LOCAL_ID"}) {
    EXPECT_THAT(complaint, HasSubstr(name));
  }
}

TEST(LocalRank, NamesTheVariableAtFaultAndItsText) {
  struct Case {
    Environment environment;
    std::vector<std::string> named;
  };
  const std::vector<Case> cases = {
      {{{"OMPI_COMM_WORLD_LOCAL_RANK", "one"}}, {"OMPI_COMM_WORLD_LOCAL_RANK='one'"}},
      {{{"OMPI_COMM_WORLD_LOCAL_RANK", "-1"}}, {"OMPI_COMM_WORLD_LOCAL_RANK='-1'"}},
      {{{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}, {"OMPI_COMM_WORLD_LOCAL_SIZE is not set"}},
      {{{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "4 "}}, {"MPI_LOCALNRANKS='4 '"}},
      {{{"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "0"}}, {"MPI_LOCALRANKID='0'", "the node's 0 ranks"}},
      {{{"PMI_LOCAL_RANK", "4"}, {"PMI_LOCAL_SIZE", "4"}}, {"PMI_LOCAL_RANK='4'", "the node's 4 ranks"}},
      {{{"PMI_LOCAL_RANK", "99999999999"}}, {"PMI_LOCAL_RANK='99999999999'"}},
      {{{"SLURM_LOCALID", "0"}}, {"SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4(x2"}}, {"SLURM_TASKS_PER_NODE='4(x2'"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4(x)"}}, {"SLURM_TASKS_PER_NODE='4(x)'"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4(x2),"}}, {"SLURM_TASKS_PER_NODE='4(x2),'"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4(x0),3"}}, {"SLURM_TASKS_PER_NODE='4(x0),3'"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4,3"}}, {"SLURM_NODEID"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4,3"}, {"SLURM_NODEID", "2"}}, {"SLURM_NODEID=2"}},
      {{{"SLURM_LOCALID", "0"}, {"SLURM_TASKS_PER_NODE", "4,3"}, {"SLURM_NODEID", "x"}}, {"SLURM_NODEID='x'"}},
      {{{"FLUX_TASK_LOCAL_ID", "0"}, {"FLUX_JOB_SIZE", "4"}}, {"FLUX_JOB_NNODES is not set"}},
      {{{"FLUX_TASK_LOCAL_ID", "0"}, {"FLUX_JOB_SIZE", "4"}, {"FLUX_JOB_NNODES", "0"}}, {"FLUX_JOB_NNODES='0'"}}};
  for (const Case& one : cases) {
    const std::string complaint = complaint_about(one.environment);
    EXPECT_THAT(complaint, HasSubstr("devices gpu:local: "));
    EXPECT_THAT(complaint, Not(HasSubstr("\n")));
    for (const std::string& name : one.named) EXPECT_THAT(complaint, HasSubstr(name));
  }
}

LocalGpus gpus_of(std::uint32_t rank, std::uint32_t size, const VisibleGpus& gpus) {
  return local_gpus({rank, size, {}}, gpus);
}

TEST(LocalGpus, AreSharedOutEvenlyAndEachIsOneRanks) {
  for (std::uint32_t gpus = 1; gpus <= 9; ++gpus) {
    for (std::uint32_t size = 1; size <= gpus; ++size) {
      std::vector<std::uint32_t> all;
      for (std::uint32_t rank = 0; rank < size; ++rank) {
        const LocalGpus mine = gpus_of(rank, size, {gpus, 0, {}});
        EXPECT_GE(mine.ordinals.size(), gpus / size);
        EXPECT_LE(mine.ordinals.size(), gpus / size + 1);
        EXPECT_THAT(mine.notes, IsEmpty());
        all.insert(all.end(), mine.ordinals.begin(), mine.ordinals.end());
      }
      ASSERT_EQ(all.size(), gpus);
      for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) EXPECT_EQ(all[gpu], gpu);
    }
  }
  EXPECT_THAT(gpus_of(1, 3, {8, 0, {}}).ordinals, ElementsAre(2, 3, 4));
}

TEST(LocalGpus, AreOneForSeveralRanksWhereThereAreMoreOfThese) {
  EXPECT_THAT(gpus_of(2, 5, {2, 0, {}}).ordinals, ElementsAre(0));
  EXPECT_THAT(gpus_of(3, 5, {2, 0, {}}).ordinals, ElementsAre(1));
  EXPECT_THAT(gpus_of(4, 5, {2, 0, {}}).ordinals, ElementsAre(1));
  EXPECT_THAT(gpus_of(4, 5, {2, 0, {}}).notes, ElementsAre(HasSubstr("rank 4 of 5 on this node shares gpu:1")));
  EXPECT_THAT(gpus_of(4'000'000'000, 4'000'000'001, {3, 0, {}}).ordinals, ElementsAre(2));
}

TEST(LocalGpus, AreAllThatAMaskOfTheRanksOwnShows) {
  const VisibleGpus two_of_eight = {2, 6, "ROCR_VISIBLE_DEVICES"};
  const LocalGpus mine = gpus_of(3, 4, two_of_eight);
  EXPECT_THAT(mine.ordinals, ElementsAre(0, 1));
  EXPECT_THAT(mine.notes, ElementsAre(HasSubstr("all 2 GPUs that ROCR_VISIBLE_DEVICES shows it of 8")));
  EXPECT_THAT(gpus_of(7, 8, {1, 7, "CUDA_VISIBLE_DEVICES"}).ordinals, ElementsAre(0));
  EXPECT_THAT(gpus_of(0, 1, {3, 5, "CUDA_VISIBLE_DEVICES"}).notes, IsEmpty());
}

TEST(LocalGpus, OfAMaskThatAllRanksMustShareAreSharedOut) {
  EXPECT_THAT(gpus_of(3, 4, {4, 4, "CUDA_VISIBLE_DEVICES"}).ordinals, ElementsAre(3));
}

TEST(LocalGpus, CountAsHiddenByMasksOnlyWhatAMaskHides) {
  Topology topology;
  topology.gpus.resize(4);
  topology.gpus[2].hidden_by = "HIP_VISIBLE_DEVICES";
  topology.gpus[3].hidden_by = "no compute driver";
  const VisibleGpus gpus = visible_gpus(2, topology);
  EXPECT_EQ(gpus.count, 2u);
  EXPECT_EQ(gpus.hidden, 1u);
  EXPECT_EQ(gpus.hidden_by, "HIP_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace skua
