// What a device runs: a kernel, over one chunk of items at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// Marks a body that may run on every backend.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SKUA_BODY __host__ __device__
#else
#define SKUA_BODY
#endif

namespace skua {

/// Consecutive granules of a loop, as items: what one launch runs.
struct Chunk {
  std::uint64_t begin = 0;    ///< first item
  std::uint64_t end = 0;      ///< one past the last item
  std::uint64_t granule = 1;  ///< items in a granule; only the loop's last one may be shorter
  std::uint32_t device = 0;   ///< position of the device among the Scheduler's
  void* stream = nullptr;     ///< the stream to launch on; null on host devices
  void* partials = nullptr;   ///< where the result of the chunk's first granule goes; null when there are none
  const std::atomic<bool>* dropped = nullptr;  ///< once true, the rest of the chunk need not be run

  std::uint64_t items() const noexcept { return end - begin; }
  std::uint64_t granules() const noexcept { return (items() + granule - 1) / granule; }
};

/// A loop's body as devices see it.
/// Threads: one object is run by many at once, over chunks that do not overlap (or over copies of a late chunk).
class Kernel {
 public:
  /// granule: a device may cut a chunk at granule borders and run the parts in any order, at once.
  /// chunk: the body wants each chunk whole.
  enum class Unit { granule, chunk };

  virtual ~Kernel() = default;

  virtual Unit unit() const noexcept { return Unit::granule; }

  /// Size of what one granule leaves in Chunk::partials; 0 for none.
  virtual std::size_t partial_bytes() const noexcept { return 0; }

  /// Runs a chunk (or one granule of it, see Unit) on the calling thread.
  /// Fails: what the body throws.
  virtual void run_on_host(const Chunk& chunk) const = 0;
};

}  // namespace skua
