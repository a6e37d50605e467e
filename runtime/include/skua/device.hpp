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

#include <skua/earlier_work.hpp>
#include <skua/kernel.hpp>
#include <skua/memory.hpp>
#include <skua/topology.hpp>

namespace skua {

/// What a device can do, and how it wants to be driven. Nobody above asks what kind of device it is.
struct Capabilities {
  std::uint32_t launches_max = 2;  ///< how many chunks it holds at once
  bool overlaps = false;           ///< a chunk may begin while the one before still runs: which took what is not known
  bool runs_in_poll = false;       ///< poll() itself runs the chunks, on the calling thread: it cannot be given up
  std::uint32_t slots_max = 1;     ///< every Chunk::slot is below it
  bool reaches_host_memory = false;  ///< bodies may use all memory of the process, and results lie anywhere in it
  /// A chunk of skua's own kernels that is dropped ends at its next granule, and soon, but where others only ask for
  /// the rest of it (Drop::is_asked) not before its first one: so what they take from one another gets done.
  bool stops_at_granules = false;
  bool stays_warm = false;  ///< waking its thread would cost as much as a short Job: the thread spins between Jobs
};

/// What is known of a device before it runs anything.
struct DeviceInfo {
  std::string name{};  ///< "host:0"
  /// Devices of one kind give a reduction the same bits: "host", "gpu".
  std::string kind{};
  std::optional<GpuId> gpu{};  ///< the GPU of the Topology that it is, or is a part of
  std::optional<NumaId> numa_node{};
  std::optional<CpuSet> cpus{};  ///< where the thread that drives it should run
  double rate_guess = 1.0;       ///< speed against the other devices, before anything is measured: cores, compute units
  Capabilities can{};
  std::vector<std::string> notes{};  ///< what could not be had, for people
};

/// Why a chunk was not completed.
struct Failure {
  /// body: the user's code threw. launch: the device refused or failed this chunk. lost: it will run nothing any more.
  enum class Kind : std::uint8_t { body, launch, lost };
  Kind kind = Kind::launch;
  std::string message{};
  std::exception_ptr exception{};  ///< for Kind::body
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
  std::int64_t idle_ns = 0;      ///< of that, how long the device's cores stood still inside the launch, on average
  std::int64_t body_cpu_ns = 0;  ///< CPU time of the calling thread that poll() spent in the body itself
  std::optional<Failure> failure{};
  /// Whether all of the chunk was run. A launch that was dropped may have ended early.
  bool whole = true;
  /// Of a launch that ended early, or whose body threw: the granules that were run whole. In order, not touching one
  /// another.
  std::vector<GranuleRange> done_before_drop{};
};

/// Something that runs chunks, one after another, in the order of their launches.
/// Threads: all calls come from the one thread that called attach(), but those that say any.
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

  /// Why it has none, for people: "its source was not compiled for it". Threads: any.
  virtual std::string why_not(const Kernel&) const { return "there is no code for it"; }

  /// Where programs queue work on this device without skua and without naming a stream; no kind: nowhere. The same for
  /// devices that share it. Threads: any.
  virtual Awaited default_queue() const noexcept { return {}; }

  /// Whether wait_for() takes this; where not, the device is given nothing before it has ended. Threads: any.
  virtual bool can_wait_for(const EarlierWork&) const noexcept { return false; }

  /// Launches and copies from now on begin when this has ended.
  /// Blocks: never.  Owns: nothing; the Job holds the work, which is gone with it.
  virtual void wait_for(const std::shared_ptr<const EarlierWork>& /*work*/) {}

  /// The least items of this kernel, in granules of `granule` items, that keep the whole device busy; 1 when any number
  /// does.
  virtual std::uint64_t filling_items(const Kernel&, std::uint64_t /*granule*/) const { return 1; }

  /// The part of the device's threads that this kernel can use at once, 0 to 1. Returns nullopt when it is not known.
  virtual std::optional<double> occupancy(const Kernel&, std::uint64_t /*granule*/) const { return std::nullopt; }

  /// Starts `chunk`; at most launches_max may be unfinished. `number` comes back in the Completion, and is never used
  /// twice. Of chunks that it runs at once each has a Chunk::slot of its own, which the device sets where it calls what
  /// users wrote. A chunk that was started runs, whatever is returned: a failure after the start is the Completion's.
  /// Blocks: never.  Owns: the kernel must outlive the launch.
  /// Fails: a Failure; nothing of the chunk was started then, and nothing of it will run.
  virtual std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) = 0;

  /// The next launch or copy that has ended, if one has.
  /// Blocks: never waits. A host device, whose first core is the calling thread itself, runs its oldest chunk in here.
  virtual std::optional<Completion> poll() = 0;

  /// How many granules of a launch that still runs are done, each whole: for people who watch. It need not be exact,
  /// but never says more; 0 where the device cannot tell, and as soon as poll() has handed out the launch's end.
  /// Threads: any.  Blocks: never.
  virtual std::uint64_t granules_done(std::uint64_t /*number*/) const noexcept { return 0; }

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
