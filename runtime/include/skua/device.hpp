// The contract of a device: something that runs chunks. The host's backend is the one to copy from.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <skua/kernel.hpp>
#include <skua/memory.hpp>
#include <skua/topology.hpp>

namespace skua {

/// What a device can do, and how it wants to be driven. Nobody above asks what kind of device it is.
struct Capabilities {
  std::uint32_t launches_max = 2;    ///< how many chunks it holds at once
  bool runs_in_poll = false;         ///< poll() itself runs the chunks, on the calling thread: it cannot be given up
  bool reaches_host_memory = false;  ///< bodies may use all memory of the process, and results lie anywhere in it
  bool stays_warm = false;  ///< waking its thread would cost as much as a short Job: the thread spins between Jobs
};

/// What is known of a device before it runs anything.
struct DeviceInfo {
  std::string name;          ///< "host:0"
  std::optional<GpuId> gpu;  ///< the GPU of the Topology that it is, or is a part of
  std::optional<NumaId> numa_node;
  std::optional<CpuSet> cpus;  ///< where the thread that drives it should run
  double rate_guess = 1.0;     ///< speed against the other devices, before anything is measured: cores, compute units
  Capabilities can;
  std::vector<std::string> notes;  ///< what could not be had, for people
};

/// Why a chunk was not completed.
struct Failure {
  /// body: the user's code threw. launch: the device refused or failed this chunk. lost: it will run nothing any more.
  enum class Kind : std::uint8_t { body, launch, lost };
  Kind kind = Kind::launch;
  std::string message;
  std::exception_ptr exception;  ///< for Kind::body
};

/// A device could not give memory; the message names it, and how much was asked for.
class MemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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

/// The end of one launch, or of one copy.
struct Completion {
  std::uint64_t launch = 0;   ///< the number that launch() or copy() was given
  std::int64_t begin_ns = 0;  ///< when the device turned to it; by the Clock that the device was opened with
  std::int64_t end_ns = 0;
  std::int64_t body_cpu_ns = 0;  ///< CPU time of the calling thread that poll() spent in the body itself
  std::optional<Failure> failure;
  /// Whether all of the chunk was run. A launch that was dropped may have ended early.
  bool whole = true;
  /// Of a launch that ended early, or whose body threw: the granules that were run whole. In order, not touching one
  /// another.
  std::vector<GranuleRange> done_before_drop;
};

/// Something that runs chunks, one after another, in the order of their launches.
/// Threads: all calls but info(), can_run(), allocate() and share_word() come from the one thread that called attach().
class Device {
 public:
  virtual ~Device() = default;

  /// Threads: any.
  virtual const DeviceInfo& info() const noexcept = 0;

  /// Called once, by the thread that will drive the device, before any launch.
  /// Returns sentences for people about what could not be set up (a binding, say); never fatal.
  virtual std::vector<std::string> attach() { return {}; }

  /// Whether the device has code for this kernel. Threads: any.
  virtual bool can_run(const Kernel&) const noexcept { return true; }

  /// The least items of this kernel, in granules of `granule` items, that keep the whole device busy; 1 when any number
  /// does.
  virtual std::uint64_t filling_items(const Kernel&, std::uint64_t /*granule*/) const { return 1; }

  /// The part of the device's threads that this kernel can use at once, 0 to 1. Returns nullopt when it is not known.
  virtual std::optional<double> occupancy(const Kernel&, std::uint64_t /*granule*/) const { return std::nullopt; }

  /// Starts `chunk`; at most launches_max may be unfinished. `number` comes back in the Completion, and is never used
  /// twice. A chunk that was started runs, whatever is returned: a failure after the start is the Completion's.
  /// Blocks: never.  Owns: the kernel must outlive the launch.
  /// Fails: a Failure; nothing of the chunk was started then, and nothing of it will run.
  virtual std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) = 0;

  /// The next launch or copy that has ended, if one has.
  /// Blocks: never waits. A host device, whose first core is the calling thread itself, runs its oldest chunk in here.
  virtual std::optional<Completion> poll() = 0;

  /// Memory of this device; `shared` unless said. Threads: any.
  /// Fails: MemoryError.
  virtual Memory allocate(std::size_t bytes, MemoryPlace place = MemoryPlace::shared);

  /// Starts a copy; any number may be unfinished. Its end comes out of poll(), in no order with launches.
  /// Blocks: never.  Owns: both ends must outlive the copy.
  /// Fails: a Failure; nothing was started then.
  virtual std::optional<Failure> copy(const Copy& copy, std::uint64_t number);

  /// Where this device wants the word of its Share to lie: alone in its cache line. Threads: any.
  virtual std::shared_ptr<std::atomic<std::uint64_t>> share_word();
};

}  // namespace skua
