// What the backend "gpu" needs of a kernel: how it fills a GPU, what it needs there, and how it is started.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <skua/kernel.hpp>

namespace skua {

/// The GPU, or the part of one, on which a chunk is to be started. What it points to is the launch's alone until it
/// ends.
struct GpuPart {
  int ordinal = 0;                  ///< the runtime's number of the GPU
  std::uint32_t compute_units = 0;  ///< of the part
  void* scratch = nullptr;          ///< in the GPU's memory; as large as needs() said
  std::uint32_t* zeros =
      nullptr;  ///< in the GPU's memory; as many as needs() said, all zero, to be left so by a whole run
  /// Where a kernel that marks its end counts its blocks, zero before and after, and what it then writes: the GPU's
  /// time, where it has one in nanoseconds, or else 1. The host reads it.
  std::uint32_t* blocks_done = nullptr;
  std::uint64_t* end_mark = nullptr;
  /// In the GPU's memory: not 0 once the chunk is dropped. A kernel looks at it between rounds over its items.
  const std::uint32_t* dropped = nullptr;
  /// In memory that the host reads: where a warp that stops early leaves how many rounds it has done; see GpuRounds.
  std::uint64_t* rounds_done = nullptr;
  /// Whether to look at `dropped` before the first round, too: the launch may wait long for the one before it.
  bool looks_first = false;
};

/// How a kernel that looks at GpuPart::dropped deals a chunk to its warps. A piece is what one thread or team runs at a
/// time: an item, or a part of a granule. Piece r * stride + w * width + j, with j < width, is warp w's in its round r.
/// Warps are counted as 32 threads each, whatever runs in lockstep.
struct GpuRounds {
  std::uint64_t pieces = 0;
  std::uint64_t pieces_in_granule = 1;  ///< only the last granule may have fewer
  std::uint64_t stride = 1;             ///< pieces of a round, all warps together
  std::uint64_t width = 1;              ///< pieces of a round of one warp; divides stride
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

/// A kernel's code for GPUs.
class GpuCode : public Code {
 public:
  static constexpr std::string_view backend = "gpu";

  /// The GPUs that it is compiled for, in its compiler's words: "gfx906 gfx90a", or "800,900"; empty where the build
  /// does not say.
  virtual std::string_view built_for() const noexcept { return {}; }

  /// In granules of this many items, on a GPU or a part of one. Returns nullopt when it is not known.
  virtual std::optional<GpuFit> fit(int /*ordinal*/, std::uint32_t /*compute_units*/, std::uint64_t /*granule*/) const {
    return std::nullopt;
  }

  /// How start() deals this chunk. Returns nullopt when its kernel does not look at GpuPart::dropped.
  virtual std::optional<GpuRounds> rounds(const Chunk& /*chunk*/, const GpuPart& /*part*/) const {
    return std::nullopt;
  }

  virtual GpuNeeds needs(const Chunk& /*chunk*/) const { return {}; }

  /// Enqueues the whole chunk on chunk.stream; the GPU is the calling thread's current one. What it enqueues writes
  /// GpuPart::end_mark when all that it did can be seen by the host: to look at memory is cheaper than to ask the
  /// runtime, and no other thread's launch waits for it.
  /// Blocks: never.  Fails: leaves the GPU runtime's last error set.
  virtual void start(const Chunk& chunk, const GpuPart& part) const = 0;
};

}  // namespace skua
