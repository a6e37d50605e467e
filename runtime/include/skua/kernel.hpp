// What a device runs: a kernel, over one chunk of items at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// Marks a body that may run on every backend.
#if defined(__CUDACC__) || defined(__HIPCC__)
#include <skua/detail/hip_names.hpp>
#define SKUA_BODY __host__ __device__
#else
#define SKUA_BODY
#endif

namespace skua {

/// Which kind of compiler made the code at hand. As a template argument it keeps apart the two forms of one body that
/// a program may hold: one from a source that a GPU's compiler has seen, and one from a source that it has not.
struct HostCompiler {};
struct GpuCompiler {};
#if defined(__CUDACC__) || defined(__HIPCC__)
using CompiledBy = GpuCompiler;
#else
using CompiledBy = HostCompiler;
#endif

/// Tells a device that the rest of a chunk need not be run any more.
/// Threads: any.  Blocks: never.
struct Drop {
  const std::atomic<std::uint64_t>* word = nullptr;
  std::uint64_t from = 0;  ///< dropped as soon as the word is this or more
  /// From here on others only ask for the rest: one granule is to be run at least.
  std::uint64_t asked_from = std::numeric_limits<std::uint64_t>::max();

  bool now() const noexcept { return is_at_least(from); }
  bool is_asked() const noexcept { return is_at_least(asked_from); }

  bool is_at_least(std::uint64_t least) const noexcept {
    return word != nullptr && word->load(std::memory_order_relaxed) >= least;
  }
};

/// Consecutive granules of a loop, as items: what one launch runs.
struct Chunk {
  std::uint64_t begin = 0;    ///< first item
  std::uint64_t end = 0;      ///< one past the last item
  std::uint64_t granule = 1;  ///< items in a granule; only the loop's last one may be shorter
  std::uint32_t device = 0;   ///< position of the device among the Scheduler's
  /// Chunks, or parts of them, that one device runs at the same time have different slots, each below the device's
  /// Capabilities::slots_max: a buffer for each slot is used by one of them at a time.
  std::uint32_t slot = 0;
  void* stream = nullptr;    ///< the stream to launch on; null on host devices
  void* partials = nullptr;  ///< where the result of the chunk's first granule goes; null when there are none
  Drop drop;                 ///< to be looked at between granules, where the device can

  std::uint64_t items() const noexcept { return end - begin; }
  std::uint64_t granules() const noexcept { return items() / granule + (items() % granule != 0 ? 1 : 0); }
};

/// What a backend that does not run host code needs to run a kernel: each derives its own (GpuCode, say).
class Code {
 public:
  virtual ~Code() = default;
};

/// Code that works for every backend with streams: it starts a kernel of the caller's own on chunk.stream.
class LaunchCode : public Code {
 public:
  /// Blocks: never.  Fails: what the caller's code throws, after which it may or may not have started something.
  virtual void start(const Chunk& chunk) const = 0;
};

/// A loop's body as devices see it.
/// Threads: one object is run by many at once, over chunks that do not overlap (or over copies of a late chunk).
class Kernel {
 public:
  /// granule: a device may cut a chunk at granule borders and run the parts in any order, at once.
  /// piece: the body takes any run of granules in one call: a device of several cores gives each a piece of the chunk,
  /// and another device runs it whole.
  /// chunk: the body wants each chunk whole.
  enum class Unit : std::uint8_t { granule, piece, chunk };

  virtual ~Kernel() = default;

  virtual Unit unit() const noexcept { return Unit::granule; }

  /// Whether one device may run several chunks, or parts of a chunk that it has cut, at the same time.
  virtual bool overlaps() const noexcept { return true; }

  /// Size of what one granule leaves in Chunk::partials; 0 for none.
  virtual std::size_t partial_bytes() const noexcept { return 0; }

  /// Runs a chunk (or a part of it, see Unit) on the calling thread.
  /// Fails: what the body throws.
  virtual void run_on_host(const Chunk& chunk) const = 0;

  /// The code for the backend of this name ("gpu"); null when there is none: the source that made this kernel must have
  /// seen that backend's compiler.
  virtual const Code* code(std::string_view /*backend*/) const noexcept { return nullptr; }

  /// Why that backend cannot run it, whatever compiles its source; for people, empty where nothing is in the way.
  virtual std::string obstacle(std::string_view /*backend*/) const { return {}; }
};

}  // namespace skua
