// Runs loops over devices: what programs use.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <skua/backends.hpp>
#include <skua/detail/loop_kernels.hpp>
#include <skua/detail/partials.hpp>
#include <skua/device.hpp>
#include <skua/job_errors.hpp>
#include <skua/job_options.hpp>
#include <skua/reduction.hpp>
#include <skua/report.hpp>
#include <skua/topology.hpp>
#if defined(__CUDACC__) || defined(__HIPCC__)
#include <skua/detail/gpu_loops.hpp>
#endif

namespace skua {

struct SchedulerOptions {
  std::string devices{};  ///< as --devices; empty: SKUA_DEVICES, or else "auto"
  /// File; empty: SKUA_TRACE, or else none. In its name %p is the number of this process and %h the host's name, so
  /// that each process has its own; Schedulers of one process share it. It is written while Jobs run, and can be read
  /// then.
  std::string trace{};
  bool peers = true;  ///< whether GPUs that the Scheduler opens are to reach one another's memory
  /// How long a Job that is over waits for a launch that still runs, on a device that is not the host's, before it
  /// takes the device to hang; longer where the launch was forecast to take longer, or has taken long already. The same
  /// while a Job runs that only that device holds up. Before anything is known of a loop its first chunks are waited
  /// for without end.
  std::chrono::milliseconds patience{10'000};
};

/// Runs loops over devices. All loops take (items, init, data..., body, combine, options), as far as they have them.
///
/// When a call has returned or thrown, nothing of its loop runs any more: it waits for what copies have replaced, and
/// for what ran when it was cancelled; that wait is part of the makespan. Only where a device hangs does it not wait
/// for ever: then all is said in the Report, when everything was done in spite of it, or else in a DeviceHangs. A
/// device that comes back takes part in later Jobs.
///
/// A Job sees what the program has put on the default streams of its GPUs before, and what JobOptions::after names;
/// what it did is seen by the host and by all streams after it (docs/gpus.md).
///
/// Threads: any; Jobs of several threads run one after another. A Job that is started from inside a body, from a thread
/// or task that a body started, or from a progress callback is refused (std::logic_error), and so is one in a process
/// that was forked after the Scheduler was made.
class Scheduler {
 public:
  /// Opens the devices of this machine, or of SKUA_TOPOLOGY's.
  /// Fails: InputError for bad options or values of SKUA_* variables, and where the system gives no thread for each
  /// device. A SKUA_* variable that skua does not know is a note in each Report.
  explicit Scheduler(const SchedulerOptions& options = {});
  /// Runs over devices that the caller made, by the steady clock; their `gpu` and `numa_node` are places in `topology`.
  template <std::same_as<Devices> Opened>  // no braces: those are SchedulerOptions
  explicit Scheduler(Opened devices, const SchedulerOptions& options = {}, Topology topology = {})
      : Scheduler(Over{std::move(devices)}, options, std::move(topology)) {}
  /// Waits for Jobs that run. Never hangs on a device that hangs.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Runs body(i) for every i of [0, items).
  /// Blocks: until all are done.
  /// Fails: BodyError, DeviceError, DeviceHangs, InputError for options; a cancelled Job is a Report that says so.
  template <class Body, class Compiler = CompiledBy>
  Report parallel_for(std::uint64_t items, Body body, const JobOptions& options = {}) {
    using Loop = typename Kernels<Compiler>::template For<Body>;
    return run(items, std::make_shared<Loop>(std::move(body)), options);
  }

  /// Combines init and body(i) for every i of [0, items): granule by granule in item order (on GPUs in any order within
  /// a granule, so that they refuse a combination that is skua::ordered), then over a fixed tree. So the bits depend on
  /// items, granule and the kind of device only; over devices of several kinds at once, on who ran what, too. float
  /// sums are carried and returned in double. Large values lie on no stack of skua's: make the result with `new`, too.
  /// On a GPU they have up to 128 bytes. Blocks, fails: as parallel_for. A cancelled Job has the combination of what
  /// was done.
  template <class T, class Body, class Combine = Plus, class Compiler = CompiledBy>
  requires(!std::same_as<Combine, JobOptions>) Reduction<Carried<T>> parallel_reduce(std::uint64_t items, const T& init,
                                                                                     Body body, Combine combine = {},
                                                                                     const JobOptions& options = {});

  /// The same, for a sum.
  template <class T, class Body, class Compiler = CompiledBy>
  Reduction<Carried<T>> parallel_reduce(std::uint64_t items, const T& init, Body body, const JobOptions& options) {
    return parallel_reduce<T, Body, Plus, Compiler>(items, init, std::move(body), Plus{}, options);
  }

  /// Runs launcher(const Chunk&) once for each chunk: it starts the caller's own kernel on skua::stream(chunk), or, on
  /// a host device, does the work before it returns. A host device of several cores calls it for a piece of the chunk
  /// on each of them (whole granules), from several threads at once, unless it is given as whole_chunks(launcher).
  /// What it started cannot be stopped. Two chunks or pieces of one device may run at once, in different slots
  /// (Chunk::slot), unless it is skua::one_at_a_time(launcher). Blocks, fails: as parallel_for.
  template <class Launcher>
  Report launch(std::uint64_t items, Launcher launcher, const JobOptions& options = {}) {
    return run(items, std::make_shared<LaunchKernel<Launcher>>(std::move(launcher)), options);
  }

  /// Runs any kernel. Its granules' results lie in `partials` afterwards, when it leaves any.
  /// Owns: keeps the kernel until no device runs it any more.
  /// Blocks, fails: as parallel_for.
  Report run(std::uint64_t items, std::shared_ptr<const Kernel> kernel, const JobOptions& options = {},
             Partials* partials = nullptr);

  std::size_t device_count() const noexcept;
  /// Fails: std::out_of_range.
  const DeviceInfo& device(std::size_t index) const;
  const Topology& topology() const noexcept;

 private:
  struct Over {
    Devices devices;
  };
  Scheduler(Over over, const SchedulerOptions& options, Topology topology);

  class Crew;
  std::unique_ptr<Crew> crew_;
};

template <class T, class Body, class Combine, class Compiler>
requires(!std::same_as<Combine, JobOptions>) Reduction<Carried<T>> Scheduler::parallel_reduce(
    std::uint64_t items, const T& init, Body body, Combine combine, const JobOptions& options) {
  using Value = Carried<T>;
  static_assert(keeps_body<Value, Body>,
                "the body gives a number that the reduction's type does not hold. That type is the type of init: write "
                "0.0 for fractions, and std::uint64_t{0} for counts");
  static_assert(
      keeps_combination<Value, Combine>,
      "the combination gives a number that the reduction's type does not hold. That type is the type of init: "
      "write 0.0 for fractions, and std::uint64_t{0} for counts");
  JobOptions repeatable = options;
  repeatable.repeat = Repeat::allowed;
  Partials partials;
  using Loop = typename Kernels<Compiler>::template Reduce<Value, Body, Combine>;
  Report report = run(items, std::make_shared<Loop>(std::move(body), combine), repeatable, &partials);
  const auto adding_since = std::chrono::steady_clock::now();
  const auto extended = [&]() -> Report&& {
    report.extend(std::chrono::duration<double>(std::chrono::steady_clock::now() - adding_since).count());
    return std::move(report);
  };
  // What is large must not be copied over the stack: init is a reference, or a number that is converted.
  using Init = std::conditional_t<std::same_as<T, Value>, const T&, Value>;
  const Init first = static_cast<Init>(init);
  return {combine_partials<Value>(partials, first, combine), extended()};
}

}  // namespace skua
