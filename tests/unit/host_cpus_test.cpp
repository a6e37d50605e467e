// Affinity mask, cpuset and quota, over made-up control groups.
#include <probe/host_cpus.hpp>

#include <sched.h>

#include <gtest/gtest.h>

#include <skua/discovery.hpp>

#include "support/temporary_folder.hpp"

namespace skua {
namespace {

using test::TemporaryFolder;

const std::optional<CpuSet> host_96 = CpuSet::from_list("0-95");

TEST(HostCpus, AQuotaOfTwoAndAHalfGivesThree) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  const HostCpus host = read_host_cpus(root.path(), host_96);
  EXPECT_EQ(host.quota_cpus, 2.5);
  EXPECT_EQ(host.usable_count(), 3u);
}

TEST(HostCpus, MaxIsNoQuota) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  const HostCpus host = read_host_cpus(root.path(), host_96);
  EXPECT_FALSE(host.quota_cpus);
  EXPECT_EQ(host.usable_count(), 96u);
}

TEST(HostCpus, MinusOneOfVersionOneIsNoQuota) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/job\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(read_host_cpus(root.path(), host_96).quota_cpus);
}

TEST(HostCpus, ReadsAQuotaOfVersionOne) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "5:memory:/x\n4:cpu:/job\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
  root.write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_host_cpus(root.path(), host_96).quota_cpus, 4.0);
}

TEST(HostCpus, TheTightestQuotaOnTheWayUpCounts) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/a/b/c\n");
  root.write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  root.write("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(read_host_cpus(root.path(), host_96).quota_cpus, 2.0);
}

TEST(HostCpus, FindsTheQuotaOfAContainerThatSeesTheHostsPath) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/system.slice/container.scope\n");
  root.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(read_host_cpus(root.path(), host_96).quota_cpus, 1.5);
}

TEST(HostCpus, TheCpusetNarrowsTheMask) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("sys/fs/cgroup/job/cpuset.cpus.effective", "4-7,90-99\n");
  EXPECT_EQ(read_host_cpus(root.path(), host_96).allowed, CpuSet::from_list("4-7,90-95"));
}

TEST(HostCpus, ReadsTheCpusetOfVersionOne) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "3:cpuset:/job\n");
  root.write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "2-3\n");
  EXPECT_EQ(read_host_cpus(root.path(), host_96).allowed, CpuSet::from_list("2-3"));
}

TEST(HostCpus, GarbageSaysNothing) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "what\n0::/job\n:::\n");
  root.write("sys/fs/cgroup/job/cpu.max", "many 0\n");
  root.write("sys/fs/cgroup/job/cpuset.cpus.effective", "all of them\n");
  const HostCpus host = read_host_cpus(root.path(), host_96);
  EXPECT_EQ(host.allowed, host_96);
  EXPECT_FALSE(host.quota_cpus);
}

TEST(HostCpus, WithoutControlGroupsTheMaskCounts) {
  const TemporaryFolder root;
  EXPECT_EQ(read_host_cpus(root.path(), CpuSet::from_list("5")).usable_count(), 1u);
  EXPECT_FALSE(read_host_cpus(root.path(), std::nullopt).allowed);
}

TEST(HostCpus, FollowsTheRealAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  const auto allowed = discover_host_cpus().allowed;
  ASSERT_TRUE(allowed && !allowed->empty());
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(allowed->cpus().back(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(discover_host_cpus().allowed, CpuSet({allowed->cpus().back()}));
  EXPECT_EQ(discover_host_cpus().usable_count(), 1u);
  sched_setaffinity(0, sizeof(before), &before);
}

}  // namespace
}  // namespace skua
