// Affinity mask, cpuset and CPU quota of this process.
#include "host_cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <skua/discovery.hpp>

#include <text/numbers.hpp>
#include <text/pieces.hpp>
#include <text/small_file.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;

/// One line of /proc/self/cgroup: hierarchy:controllers:path, without controllers in version 2.
struct Group {
  std::string controllers;
  fs::path path;  ///< relative to the mount
};

std::vector<Group> groups_of_process(const fs::path& root) {
  std::vector<Group> groups;
  std::istringstream lines(read_small_file(root / "proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    groups.push_back({line.substr(first + 1, second - first - 1), fs::path(line.substr(second + 1)).relative_path()});
  }
  return groups;
}

bool names_controller(const Group& group, const std::string& controller) {
  const auto names = split(group.controllers, ',');
  return std::find(names.begin(), names.end(), controller) != names.end();
}

/// The folder of the group and of all groups above it. In a container the path may be the host's, of which only an
/// upper part exists here: what does not exist has no files and says nothing.
std::vector<fs::path> folders_upward(const fs::path& mount, fs::path path) {
  std::vector<fs::path> folders;
  for (; !path.empty(); path = path.parent_path()) folders.push_back(mount / path);
  folders.push_back(mount);
  return folders;
}

std::optional<double> quotient(const std::optional<double>& quota, const std::optional<double>& period) {
  if (!quota || !period || !(*quota > 0) || !(*period > 0)) return std::nullopt;
  return *quota / *period;
}

/// "250000 100000" of version 2; "max 100000" is no limit.
std::optional<double> quota_of_v2(const fs::path& folder) {
  std::istringstream words(read_small_file(folder / "cpu.max").value_or(""));
  std::string quota;
  std::string period;
  words >> quota >> period;
  return quotient(number_from<double>(quota), number_from<double>(period));
}

/// Two files of version 1; a quota of -1 is no limit.
std::optional<double> quota_of_v1(const fs::path& folder) {
  const auto number_in = [&](const char* file) {
    return number_from<double>(read_small_file(folder / file).value_or(""));
  };
  return quotient(number_in("cpu.cfs_quota_us"), number_in("cpu.cfs_period_us"));
}

std::optional<CpuSet> cpuset_in(const fs::path& folder) {
  for (const char* file : {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"}) {
    const auto text = read_small_file(folder / file);
    const auto cpus = text ? CpuSet::from_list(*text) : std::nullopt;
    if (cpus && !cpus->empty()) return cpus;
  }
  return std::nullopt;
}

void tighten(HostCpus& host, const std::optional<double>& quota) {
  if (quota) host.quota_cpus = std::min(host.quota_cpus.value_or(*quota), *quota);
}

void tighten(HostCpus& host, const std::optional<CpuSet>& cpus) {
  if (!cpus) return;
  const CpuSet both = host.allowed ? host.allowed->intersection(*cpus) : *cpus;
  // A group that this process has left meanwhile shares no CPU with its mask; the mask is what the kernel obeys.
  if (!both.empty()) host.allowed = both;
}

std::optional<CpuSet> affinity_of_process() {
  constexpr int cpus_max = 1 << 16;
  for (int count = 1024; count <= cpus_max; count *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(count),
                                                                [](cpu_set_t* set) { CPU_FREE(set); });
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    // The kernel refuses a mask that is shorter than its own.
    if (!mask || sched_getaffinity(0, bytes, mask.get()) != 0) continue;
    std::vector<unsigned> cpus;
    for (int cpu = 0; cpu < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.get())) cpus.push_back(static_cast<unsigned>(cpu));
    }
    return CpuSet(std::move(cpus));
  }
  return std::nullopt;
}

}  // namespace

HostCpus read_host_cpus(const fs::path& root, std::optional<CpuSet> affinity) {
  HostCpus host;
  host.allowed = std::move(affinity);
  const fs::path mount = root / "sys/fs/cgroup";
  for (const Group& group : groups_of_process(root)) {
    if (group.controllers.empty()) {
      for (const fs::path& v2_mount : {mount, mount / "unified"}) {
        for (const fs::path& folder : folders_upward(v2_mount, group.path)) tighten(host, quota_of_v2(folder));
        tighten(host, cpuset_in(v2_mount / group.path));
      }
      continue;
    }
    // A hierarchy is mounted under its list of controllers, and usually under each one's name too.
    if (names_controller(group, "cpu")) {
      for (const fs::path& v1_mount : {mount / group.controllers, mount / "cpu"}) {
        for (const fs::path& folder : folders_upward(v1_mount, group.path)) tighten(host, quota_of_v1(folder));
      }
    }
    if (names_controller(group, "cpuset")) tighten(host, cpuset_in(mount / "cpuset" / group.path));
  }
  return host;
}

HostCpus discover_host_cpus() {
  return read_host_cpus("/", affinity_of_process());
}

}  // namespace skua
