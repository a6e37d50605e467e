// The host's cores as devices: each a group of CPUs near one another, with a oneTBB arena when it has several.
// The thread that drives a device is its first core, so a chunk costs no hand-over to another thread.
#include "backend_host.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#ifdef SKUA_HAS_NUMA
#include <numa.h>
#endif
#ifdef SKUA_HAS_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

#include <skua/discovery.hpp>
#include <skua/input.hpp>
#include <system/thread.hpp>

#include "in_flight.hpp"

namespace skua {
namespace {

constexpr std::uint64_t host_devices_max = 4096;

/// One granule of a chunk, or a whole chunk when the kernel wants it whole.
void run_part(const Kernel& kernel, const Chunk& chunk, std::uint64_t granule_in_chunk) {
  Chunk part = chunk;
  part.begin += granule_in_chunk * chunk.granule;
  part.end = chunk.end - part.begin > chunk.granule ? part.begin + chunk.granule : chunk.end;
  if (chunk.partials != nullptr) {
    part.partials = static_cast<std::byte*>(chunk.partials) + granule_in_chunk * kernel.partial_bytes();
  }
  kernel.run_on_host(part);
}

bool is_dropped(const Chunk& chunk) {
  return chunk.dropped != nullptr && chunk.dropped->load(std::memory_order_relaxed);
}

/// Which granules of the chunk that is being run are done; each written by one thread.
using DoneMarks = std::vector<std::uint8_t>;

void run_granules(const Kernel& kernel, const Chunk& chunk, std::uint64_t first, std::uint64_t last, DoneMarks& done) {
  const BodyScope scope;
  for (std::uint64_t granule = first; granule != last && !is_dropped(chunk); ++granule) {
    run_part(kernel, chunk, granule);
    done[granule] = 1;
  }
}

std::vector<GranuleRange> ranges_of(const DoneMarks& done) {
  std::vector<GranuleRange> ranges;
  for (std::uint64_t granule = 0; granule < done.size(); ++granule) {
    if (done[granule] == 0) continue;
    if (!ranges.empty() && ranges.back().last == granule) {
      ++ranges.back().last;
    } else {
      ranges.push_back({granule, granule + 1});
    }
  }
  return ranges;
}

#ifdef SKUA_HAS_TBB
/// Keeps the threads that oneTBB lends to an arena on the device's CPUs.
class ArenaBinding final : public tbb::task_scheduler_observer {
 public:
  ArenaBinding(tbb::task_arena& arena, CpuSet cpus) : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)) {
    observe(true);
  }
  ~ArenaBinding() override { observe(false); }
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) bind_this_thread(cpus_);
  }

 private:
  CpuSet cpus_;
};

/// Runs granules on several cores, the calling thread being one of them.
class Cores {
 public:
  Cores(unsigned count, const CpuSet& cpus) : count_(count), arena_(static_cast<int>(count)), binding_(arena_, cpus) {}

  void run(const Kernel& kernel, const Chunk& chunk, DoneMarks& done) {
    if (count_ == 1) return run_granules(kernel, chunk, 0, chunk.granules(), done);
    arena_.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, chunk.granules()),
                        [&](const auto& range) { run_granules(kernel, chunk, range.begin(), range.end(), done); });
    });
  }

 private:
  unsigned count_;
  tbb::task_arena arena_;
  ArenaBinding binding_;
};
#else
class Cores {
 public:
  Cores(unsigned, const CpuSet&) {}
  void run(const Kernel& kernel, const Chunk& chunk, DoneMarks& done) {
    run_granules(kernel, chunk, 0, chunk.granules(), done);
  }
};
#endif

class HostDevice final : public Device {
 public:
  HostDevice(DeviceInfo info, unsigned cores, const Clock& clock)
      : info_(std::move(info)), cores_(cores, *info_.cpus), clock_(clock) {}

  const DeviceInfo& info() const noexcept override { return info_; }

  std::vector<std::string> attach() override {
    std::vector<std::string> notes;
    // A described machine may name CPUs that this one does not have.
    const Binding binding = choose_binding(*info_.cpus, discover_host_cpus().allowed);
    if (binding.note) notes.push_back(info_.name + ": " + *binding.note);
    if (const auto note = bind_this_thread(binding.cpus)) notes.push_back(info_.name + ": " + *note);
#ifdef SKUA_HAS_NUMA
    if (info_.numa_node && numa_available() >= 0) numa_set_preferred(static_cast<int>(info_.numa_node->index));
#endif
    return notes;
  }

  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    waiting_.push({&kernel, chunk, number});
    return std::nullopt;
  }

  std::optional<Completion> poll() override {
    if (waiting_.empty()) return std::nullopt;
    const Launch launch = waiting_.pop();
    Completion completion;
    completion.launch = launch.number;
    completion.begin_ns = clock_.now_ns();
    const std::int64_t cpu_begin_ns = this_thread_cpu_ns();
    try {
      if (launch.kernel->unit() == Kernel::Unit::chunk) {
        const BodyScope scope;
        launch.kernel->run_on_host(launch.chunk);
      } else {
        done_.assign(launch.chunk.granules(), 0);
        cores_.run(*launch.kernel, launch.chunk, done_);
        if (is_dropped(launch.chunk)) completion.done_before_drop = ranges_of(done_);
      }
    } catch (const std::exception& error) {
      completion.failure = Failure{Failure::Kind::body, error.what(), std::current_exception()};
    } catch (...) {
      completion.failure = Failure{Failure::Kind::body, "not a std::exception", std::current_exception()};
    }
    completion.body_cpu_ns = this_thread_cpu_ns() - cpu_begin_ns;
    completion.end_ns = clock_.now_ns();
    return completion;
  }

 private:
  struct Launch {
    const Kernel* kernel = nullptr;
    Chunk chunk;
    std::uint64_t number = 0;
  };

  DeviceInfo info_;
  Cores cores_;
  const Clock& clock_;
  InFlight<Launch, 1> waiting_;
  DoneMarks done_;
};

/// The CPUs that this process may use, node by node, so that neighbours in the list are near one another.
std::vector<unsigned> cpus_by_node(const Topology& topology, const CpuSet& allowed) {
  std::vector<unsigned> ordered;
  for (const NumaNode& node : topology.numa_nodes) {
    const CpuSet here = node.cpus.intersection(allowed);
    ordered.insert(ordered.end(), here.cpus().begin(), here.cpus().end());
  }
  for (const unsigned cpu : allowed.cpus()) {
    if (std::find(ordered.begin(), ordered.end(), cpu) == ordered.end()) ordered.push_back(cpu);
  }
  return ordered;
}

std::optional<NumaId> node_of(const Topology& topology, const CpuSet& cpus) {
  for (const NumaNode& node : topology.numa_nodes) {
    if (!cpus.empty() && node.cpus.intersection(cpus) == cpus) return node.id;
  }
  return std::nullopt;
}

std::uint64_t device_count(const std::string& argument, const Topology& topology, const CpuSet& allowed) {
  if (argument.empty()) {
    const auto used = std::count_if(topology.numa_nodes.begin(), topology.numa_nodes.end(),
                                    [&](const NumaNode& node) { return !node.cpus.intersection(allowed).empty(); });
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(used));
  }
  // "2,3" is what is left of "host:2;host:3".
  std::uint64_t count = 0;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    const std::uint64_t more = parse_count(argument.substr(begin, end - begin), "--devices host:" + argument);
    if (more == 0 || more > host_devices_max || (count += more) > host_devices_max) {
      throw InputError("--devices host:" + argument + ": give 1 to " + std::to_string(host_devices_max) + " devices");
    }
    begin = end + 1;
  }
  return count;
}

Devices open_with_notes(const std::string& argument, const Topology& topology, const Clock& clock,
                        std::vector<std::string> notes) {
  const HostCpus host = topology.host.allowed ? topology.host : discover_host_cpus();
  const CpuSet allowed = host.allowed.value_or(CpuSet{});
  const std::uint64_t count = device_count(argument, topology, allowed);
  const std::vector<unsigned> cpus = cpus_by_node(topology, allowed);
  const std::uint64_t usable = host.usable_count();
  Devices devices;
  for (std::uint64_t i = 0; i < count; ++i) {
    DeviceInfo info;
    info.name = "host:" + std::to_string(i);
    // Devices that must share CPUs are left to the operating system, which moves them to where time is free.
    const bool own_cpus = count <= usable && count <= cpus.size();
    info.cpus =
        own_cpus
            ? CpuSet(std::vector<unsigned>(cpus.begin() + static_cast<std::ptrdiff_t>(i * cpus.size() / count),
                                           cpus.begin() + static_cast<std::ptrdiff_t>((i + 1) * cpus.size() / count)))
            : allowed;
    info.numa_node = node_of(topology, *info.cpus);
    const std::uint64_t cores = own_cpus ? (i + 1) * usable / count - i * usable / count : 1;
    // A second chunk would only wait, out of the reach of thieves.
    info.launches_max = 1;
    info.runs_in_poll = true;
    info.rate_guess = static_cast<double>(cores);
    if (i == 0) info.notes = std::move(notes);
    devices.push_back(std::make_unique<HostDevice>(std::move(info), static_cast<unsigned>(cores), clock));
  }
  return devices;
}

}  // namespace

Devices open_host(const std::string& argument, const Topology& topology, const Clock& clock) {
  return open_with_notes(argument, topology, clock, {});
}

Devices open_host_instead(const std::string& note, const Topology& topology, const Clock& clock) {
  return open_with_notes("", topology, clock, {note});
}

}  // namespace skua
