// Threads of the operating system, by pthreads and hwloc.
#include "thread.hpp"

#include <hwloc.h>
#include <pthread.h>
#include <time.h>

#include <cerrno>
#include <system_error>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace skua {
namespace {

/// hwloc's view of this machine, loaded once; binding needs no more than the CPU numbers.
hwloc_topology_t machine() {
  static const hwloc_topology_t loaded = [] {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) return hwloc_topology_t{nullptr};
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(topology) != 0) {
      hwloc_topology_destroy(topology);
      return hwloc_topology_t{nullptr};
    }
    return topology;
  }();
  return loaded;
}

}  // namespace

void name_this_thread(const std::string& name) noexcept {
  char kept[16] = {};
  name.copy(kept, sizeof kept - 1);
  pthread_setname_np(pthread_self(), kept);
}

Binding choose_binding(const CpuSet& near, const std::optional<CpuSet>& allowed) {
  if (!allowed) return {near, std::nullopt};
  const CpuSet both = near.intersection(*allowed);
  if (!both.empty() || near.empty()) return {both, std::nullopt};
  return {*allowed, "none of the near CPUs " + near.to_list() + " is allowed; runs on " + allowed->to_list()};
}

std::optional<std::string> bind_this_thread(const CpuSet& cpus) {
  if (cpus.empty()) return std::nullopt;
  const hwloc_topology_t topology = machine();
  if (topology == nullptr) return "not bound: hwloc cannot read this machine";
  const hwloc_bitmap_t set = hwloc_bitmap_alloc();
  for (const unsigned cpu : cpus.cpus()) hwloc_bitmap_set(set, cpu);
  const int failed = hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_THREAD);
  const int error = errno;
  hwloc_bitmap_free(set);
  if (failed == 0) return std::nullopt;
  return "not bound to CPUs " + cpus.to_list() + ": " + std::generic_category().message(error);
}

std::int64_t this_thread_cpu_ns() noexcept {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

void spin_pause() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace skua
