// What a device runs: a kernel, over one chunk of items at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

// Marks a body that may run on every backend.
#if defined(__CUDACC__) || defined(__HIPCC__)
#include <skua/gpu_api.hpp>
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

/// The GPU, or the part of one, on which a chunk is to be started. What it points to lies in the GPU's memory and is
/// the launch's alone until it ends.
struct GpuPart {
  int ordinal = 0;                  ///< the runtime's number of the GPU
  std::uint32_t compute_units = 0;  ///< of the part
  void* scratch = nullptr;          ///< as large as gpu_needs() said
  std::uint32_t* zeros = nullptr;   ///< as many as gpu_needs() said, all zero; to be left so
  /// Where a kernel that marks its end counts its blocks, zero before and after, and what it then writes: the GPU's
  /// time, where it has one in nanoseconds, or else 1. The host reads it.
  std::uint32_t* blocks_done = nullptr;
  std::uint64_t* end_mark = nullptr;
};

/// What a launch needs in the GPU's memory.
struct GpuNeeds {
  std::size_t scratch_bytes = 0;
  std::size_t zero_count = 0;
};

/// How a kernel fills a GPU, by the registers and the memory that it uses.
struct GpuFit {
  std::uint64_t resident_items = 1;  ///< the least that give all threads which it holds at once the same to do
  double occupancy = 0;              ///< resident threads over those that the hardware could hold, 0 to 1
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

  /// Whether start_on_gpu() does anything: the source that made this kernel must have seen a GPU's compiler.
  virtual bool runs_on_gpu() const noexcept { return false; }

  /// In granules of this many items, on a GPU or a part of one.
  /// Fails: nothing when it is not known.
  virtual std::optional<GpuFit> fit_gpu(int /*ordinal*/, std::uint32_t /*compute_units*/,
                                        std::uint64_t /*granule*/) const {
    return std::nullopt;
  }

  /// Whether what start_on_gpu() enqueues writes GpuPart::end_mark when all that it did can be seen by the host. To
  /// look at memory is cheaper than to ask the runtime, and no other thread's launch waits for it.
  virtual bool marks_end() const noexcept { return false; }

  virtual GpuNeeds gpu_needs(const Chunk& /*chunk*/) const { return {}; }

  /// Enqueues the whole chunk on chunk.stream; the GPU is the calling thread's current one.
  /// Blocks: never.  Fails: leaves the GPU runtime's last error set, or throws what the user's code throws.
  virtual void start_on_gpu(const Chunk& /*chunk*/, const GpuPart& /*part*/) const {}
};

}  // namespace skua
