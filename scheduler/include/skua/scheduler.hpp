// The Scheduler: opens the devices once, runs Jobs over them.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <skua/backends.hpp>
#include <skua/kernel.hpp>
#include <skua/placement.hpp>
#include <skua/reduction.hpp>
#include <skua/report.hpp>
#include <skua/topology.hpp>
#if defined(__CUDACC__) || defined(__HIPCC__)
#include <skua/gpu_loops.hpp>
#endif

namespace skua {

/// A body threw; the message names device and items, std::rethrow_if_nested gives the body's own exception.
class BodyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Every device failed before the Job was done; the message names each with its reason.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wish to stop a Job early. Copies share the wish, so a body may hold one by value.
/// Threads: any.  Blocks: never.
class Cancellation {
 public:
  void request() const noexcept { requested_->store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> requested_ = std::make_shared<std::atomic<bool>>(false);
};

struct Progress {
  std::uint64_t items = 0;
  std::uint64_t items_done = 0;
  double elapsed_s = 0;
};

/// forbidden: every item is run at most once. allowed: late chunks may be run again on idle devices; what a body writes
/// must then be the same each time, and may be written by two threads at once.
enum class Repeat { forbidden, allowed };

struct JobOptions {
  std::string name = "loop";        ///< rates are remembered between Jobs of one name
  std::uint64_t granule_items = 0;  ///< 0: chosen from the number of items alone (default_granule_items)
  std::string policy = "factoring";
  Placement placement = Placement::by_rate;
  Repeat repeat = Repeat::forbidden;  ///< parallel_reduce always allows it
  std::optional<Cancellation> cancellation;
  std::function<void(const Progress&)> progress;  ///< called by the waiting thread
  std::chrono::milliseconds progress_every{200};
};

/// The granule of a Job that names none: the least power of two that gives at most 8,192 granules.
std::uint64_t default_granule_items(std::uint64_t items) noexcept;

struct SchedulerOptions {
  std::string devices;  ///< as --devices; empty: SKUA_DEVICES, or else "auto"
  std::string trace;    ///< file; empty: SKUA_TRACE, or else none
  /// How long a Job that is complete waits for a launch that is still running (a dropped copy) before the device is
  /// given up.
  std::chrono::milliseconds patience{10'000};
};

/// Runs loops over devices.
/// Threads: any; Jobs of several threads run one after another. A Job started from inside a body is refused
/// (std::logic_error).
class Scheduler {
 public:
  /// Opens the devices of this machine, or of SKUA_TOPOLOGY's.
  /// Fails: InputError for bad options or SKUA_* variables.
  explicit Scheduler(const SchedulerOptions& options = {});
  /// Runs over devices that the caller made, by the steady clock; their `gpu` and `numa_node` are places in `topology`.
  Scheduler(Devices devices, const SchedulerOptions& options = {}, Topology topology = {});
  /// Waits for Jobs that run. Never hangs on a device that was given up.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs body(i) for every i of [0, items).
  /// Blocks: until all are done.
  /// Fails: BodyError, DeviceError, InputError for options; a cancelled Job is a Report that says so.
  template <class Body, class Compiler = CompiledBy>
  Report parallel_for(std::uint64_t items, Body body, const JobOptions& options = {}) {
    using Loop = typename Kernels<Compiler>::template For<Body>;
    return run(items, std::make_shared<Loop>(std::move(body)), options);
  }

  /// Combines init and body(i) for every i of [0, items): granule by granule in item order, then over a fixed tree, so
  /// that the bits depend on items, granule and the kind of backend only. float sums are carried and returned in
  /// double. Blocks, fails: as parallel_for. A cancelled Job has the combination of what was done.
  template <class T, class Body, class Combine = Plus, class Compiler = CompiledBy>
  Reduction<Carried<T>> parallel_reduce(std::uint64_t items, T init, Body body, Combine combine = {},
                                        const JobOptions& options = {});

  /// Runs launcher(const Chunk&) once for each chunk: it starts the caller's own kernel on skua::stream(chunk), or, on
  /// a host device, does the work before it returns. Blocks, fails: as parallel_for.
  template <class Launcher>
  Report launch(std::uint64_t items, Launcher launcher, const JobOptions& options = {}) {
    return run(items, std::make_shared<LaunchKernel<Launcher>>(std::move(launcher)), options);
  }

  /// Runs any kernel. Its granules' results lie in `partials` afterwards, when it leaves any.
  /// Owns: keeps the kernel until no device runs it any more.
  Report run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options = {},
             Partials* partials = nullptr);

  std::size_t device_count() const noexcept;
  const DeviceInfo& device(std::size_t index) const;
  const Topology& topology() const noexcept;

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

template <class T, class Body, class Combine, class Compiler>
Reduction<Carried<T>> Scheduler::parallel_reduce(std::uint64_t items, T init, Body body, Combine combine,
                                                 const JobOptions& options) {
  using Value = Carried<T>;
  JobOptions repeatable = options;
  repeatable.repeat = Repeat::allowed;
  Partials partials;
  Reduction<Value> reduction;
  using Loop = typename Kernels<Compiler>::template Reduce<Value, Body, Combine>;
  reduction.report = run(items, std::make_shared<Loop>(std::move(body), combine), repeatable, &partials);
  reduction.value = combine_partials(partials, static_cast<Value>(init), combine);
  return reduction;
}

}  // namespace skua
