// How the items of a chunk are dealt to the threads of a GPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include <skua/kernel.hpp>

namespace skua {

/// How the items of one granule are dealt to threads. It follows from the granule alone, so that the order in which
/// results are combined, and with it every bit of a sum, is the same on any GPU of one kind.
/// A granule is cut into slices, each for a team of threads; teams are no larger than what runs in lockstep (a warp, or
/// half a wavefront), so that none waits for another.
struct Slicing {
  static constexpr unsigned block_threads = 256;
  static constexpr std::uint32_t team_threads_max = 32;
  /// Fewer items a thread would make the tree over the team's threads show in the run time.
  static constexpr std::uint64_t slice_items_min = 8 * team_threads_max;
  /// More of them a granule would need much memory, fewer would leave single teams busy at the end.
  static constexpr std::uint32_t slices_max = 256;

  std::uint64_t granule_items = 1;
  std::uint64_t slice_items = 1;
  std::uint32_t slices = 1;        ///< in a whole granule
  std::uint32_t team_threads = 1;  ///< a power of two

  explicit Slicing(std::uint64_t granule) : granule_items(granule) {
    slices = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(granule / slice_items_min, 1, slices_max));
    slice_items = granule / slices + (granule % slices != 0 ? 1 : 0);
    while (team_threads < team_threads_max && team_threads < slice_items) team_threads *= 2;
  }

  std::uint64_t units(const Chunk& chunk) const noexcept { return chunk.granules() * slices; }
  /// Of one slice, by each thread.
  std::uint64_t thread_items() const noexcept { return (slice_items - 1) / team_threads + 1; }
  std::uint32_t teams_in_block() const noexcept { return block_threads / team_threads; }
};

/// One slice of one granule of a chunk.
struct Slice {
  std::uint64_t granule = 0;  ///< counted from the chunk's first
  std::uint64_t first = 0;    ///< item, counted from the chunk's first
  std::uint64_t items = 0;    ///< none in what the last granule lacks
  std::uint32_t filled = 0;   ///< slices of the granule that have items

  /// `unit` is one of the chunk's.
  SKUA_BODY Slice(const Slicing& slicing, std::uint64_t unit, std::uint64_t chunk_items) {
    granule = unit / slicing.slices;
    const std::uint64_t granule_first = granule * slicing.granule_items;
    const std::uint64_t left = granule_first < chunk_items ? chunk_items - granule_first : 0;
    const std::uint64_t granule_items = left < slicing.granule_items ? left : slicing.granule_items;
    const std::uint64_t offset = unit % slicing.slices * slicing.slice_items;
    const std::uint64_t rest = offset < granule_items ? granule_items - offset : 0;
    first = granule_first + offset;
    items = rest < slicing.slice_items ? rest : slicing.slice_items;
    filled = static_cast<std::uint32_t>(granule_items / slicing.slice_items +
                                        (granule_items % slicing.slice_items != 0 ? 1 : 0));
  }
};

/// Blocks to launch: as many as there is work for, and no more than the GPU holds at once; they stride over the rest.
/// HIP counts the work-items of a launch in 32 bits, whatever the grid's own limits are.
constexpr std::uint64_t grid_blocks(std::uint64_t blocks_of_work, std::uint64_t resident_blocks) noexcept {
  constexpr std::uint64_t blocks_max = 0xffff'ffffull / Slicing::block_threads;
  return std::clamp<std::uint64_t>(std::min(blocks_of_work, resident_blocks), 1, blocks_max);
}

}  // namespace skua
