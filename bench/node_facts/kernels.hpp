// The kernels that ask the GPU, behind functions that any C++ source may call.
#pragma once

#include <cstddef>
#include <cstdint>

#include <gpu/call.hpp>

namespace facts {

using namespace skua::gpu_api;

inline constexpr unsigned block_threads = 256;

/// Where the first wave of a block ran. All 0 where the GPU does not say it (NVIDIA, RDNA).
struct Place {
  std::uint32_t xcd = 0;
  std::uint32_t engine = 0;  ///< shader engine, within its XCD
  std::uint32_t unit = 0;    ///< compute unit, within its engine
  auto operator<=>(const Place&) const = default;
};

/// What a block leaves in page-locked memory, where the host may look while the kernel runs.
struct BlockTrace {
  std::uint64_t begin_ticks = 0;  ///< of the GPU's clock that runs evenly: nanoseconds on NVIDIA
  std::uint64_t end_ticks = 0;
  Place place;
  std::uint32_t is_written = 0;
};

/// Arithmetic of `iterations` dependent steps a thread, then a trace a block.
void start_work(hipStream_t stream, unsigned blocks, std::uint64_t iterations, BlockTrace* traces);

/// Blocks that wait for `ticks` to pass and then leave a trace.
void start_waiting(hipStream_t stream, unsigned blocks, std::uint64_t ticks, BlockTrace* traces);

/// One thread of each block reads the clock, in the order of blocks, `rounds` times round. All blocks must be resident.
/// `turn` is a zero; `reads` has room for blocks * rounds.
void start_reading_in_turns(hipStream_t stream, unsigned blocks, unsigned rounds, std::uint32_t* turn,
                            std::uint64_t* reads);

/// One thread reads the clock until it has changed `count` times.
void start_reading_steps(hipStream_t stream, unsigned count, std::uint64_t* reads);

/// How a kernel that marks its own end makes its writes visible before.
enum class Fences {
  none_and_no_mark,            ///< a plain kernel: the runtime says that it has ended
  every_thread,                ///< a fence of system scope by each thread
  release_a_block,             ///< by the thread that counts its block, after the block's barrier
  release_and_acquire_a_block  ///< and stale lines are dropped at the block's begin
};

/// y[i] = y[i] / 2 + 1 for all items, and a mark in page-locked memory by the block that is last. `done` is a zero.
void start_items(hipStream_t stream, unsigned blocks, Fences fences, std::uint64_t items, float* y, std::uint32_t* done,
                 std::uint64_t* mark);
unsigned resident_blocks_of_items(std::uint32_t compute_units);

/// How a team of a reduction hands its slice's value over to whichever team comes last.
enum class Handing {
  fenced,  ///< a plain store between device-wide fences
  atomic   ///< relaxed stores and loads of device scope, and a wait for the store (CDNA only; fenced elsewhere)
};

inline constexpr unsigned slices_of_granule = 16;

/// Each warp hands `rounds` values over; sums of `slices_of_granule` of them that are not what they must be are counted
/// in `wrong`. `values` has room for blocks * block_threads / 32 * rounds, `arrivals` (zeros) for a sixteenth of it.
void start_handing(hipStream_t stream, unsigned blocks, Handing handing, unsigned rounds, float* values,
                   std::uint32_t* arrivals, std::uint32_t* wrong);

/// Copies by loads and stores. `bytes` is a multiple of 16.
void start_copy(hipStream_t stream, unsigned blocks, void* to, const void* from, std::size_t bytes);

}  // namespace facts
