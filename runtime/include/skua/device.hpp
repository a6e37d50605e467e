// The contract of a device: something that runs chunks. backend_host.cpp is the one to copy from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/kernel.hpp>
#include <skua/topology.hpp>

namespace skua {

enum class DeviceKind { host, gpu, simulated };

/// What is known of a device before it runs anything.
struct DeviceInfo {
  std::string name;  ///< "host:0"
  DeviceKind kind = DeviceKind::host;
  std::optional<GpuId> gpu;  ///< the GPU of the Topology that it is, or is a part of
  std::optional<NumaId> numa_node;
  std::optional<CpuSet> cpus;  ///< where the thread that drives it should run
  double rate_guess = 1.0;     ///< speed against the other devices, before anything is measured: cores, compute units
  std::uint32_t launches_max = 2;  ///< how many chunks it holds at once
  bool runs_in_poll = false;       ///< poll() itself runs the chunks, on the calling thread
  std::vector<std::string> notes;  ///< what could not be had, for people
};

/// Why a chunk was not completed.
struct Failure {
  /// body: the user's code threw. launch: the device refused or failed this chunk. lost: it will run nothing any more.
  enum class Kind { body, launch, lost };
  Kind kind = Kind::launch;
  std::string message;
  std::exception_ptr exception;  ///< for Kind::body
};

/// Marks the calling thread as being inside a body, for as long as it lives; backends hold one around what users wrote.
class BodyScope {
 public:
  BodyScope() noexcept;
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;

  /// Whether the calling thread is inside a body: no Job may be started from there.
  static bool active() noexcept;
};

/// Granules [first, last) of a chunk, counted from the chunk's first.
struct GranuleRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The end of one launch.
struct Completion {
  std::uint64_t launch = 0;   ///< the number that launch() was given
  std::int64_t begin_ns = 0;  ///< when the device turned to it; by the Clock that the device was opened with
  std::int64_t end_ns = 0;
  std::int64_t body_cpu_ns = 0;  ///< CPU time of the calling thread that poll() spent in the body itself
  std::optional<Failure> failure;
  /// Of a launch that ended early because it was dropped: what it had done, where the device can tell.
  std::vector<GranuleRange> done_before_drop;
};

/// Something that runs chunks, one after another, in the order of their launches.
/// Threads: all calls but info() come from the one thread that called attach().
class Device {
 public:
  virtual ~Device() = default;

  /// Threads: any.
  virtual const DeviceInfo& info() const noexcept = 0;

  /// Called once, by the thread that will drive the device, before any launch.
  /// Fails: sentences for people about what could not be set up (a binding, say); never fatal.
  virtual std::vector<std::string> attach() { return {}; }

  /// Whether the device has code for this kernel. Threads: any.
  virtual bool can_run(const Kernel&) const noexcept { return true; }

  /// The least items of this kernel, in granules of `granule` items, that keep the whole device busy; 1 when any number
  /// does.
  virtual std::uint64_t filling_items(const Kernel&, std::uint64_t /*granule*/) const { return 1; }

  /// The part of the device's threads that this kernel can use at once, 0 to 1. Fails: nothing when it is not known.
  virtual std::optional<double> occupancy(const Kernel&, std::uint64_t /*granule*/) const { return std::nullopt; }

  /// Starts `chunk`; at most launches_max may be unfinished. `number` comes back in the Completion.
  /// Blocks: never.  Owns: the kernel must outlive the launch.
  /// Fails: a Failure; the chunk then was not started.
  virtual std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) = 0;

  /// The next launch that has ended, if one has.
  /// Blocks: never waits. A host device, whose first core is the calling thread itself, runs its oldest chunk in here.
  virtual std::optional<Completion> poll() = 0;

  /// Memory that this device and the host can both write, for the results of granules.
  virtual std::shared_ptr<void> allocate(std::size_t bytes);
};

}  // namespace skua
