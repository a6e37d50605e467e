// The memory of a launch, and how it is told to stop.
#include "slot.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "memory.hpp"

namespace skua {
namespace {

// Enough for the launches of most Jobs; growing costs some 100 us.
constexpr std::size_t scratch_bytes_min = std::size_t{1} << 20;
constexpr std::size_t zero_count_min = std::size_t{1} << 14;

}  // namespace

void GpuSlot::open(const MakeGpuStream& make_stream, std::byte* shared, std::size_t warps) {
  end_mark_ = reinterpret_cast<std::uint64_t*>(shared);
  one_ = reinterpret_cast<std::uint32_t*>(shared + line_bytes);
  rounds_done_ = reinterpret_cast<std::uint64_t*>(shared + 2 * line_bytes);
  warps_ = warps;
  *end_mark_ = 0;
  *one_ = 1;
  std::fill_n(rounds_done_, warps_, ~std::uint64_t{0});
  stream_ = make_stream();
  require("hipEventCreateWithFlags", hipEventCreateWithFlags(&event_, hipEventDisableTiming));
  require("hipEventCreateWithFlags", hipEventCreateWithFlags(&stopped_, hipEventDisableTiming));
  dropped_ = static_cast<std::uint32_t*>(allocate_watched_memory(sizeof(std::uint32_t)));
  require("hipMemsetAsync", hipMemsetAsync(dropped_, 0, sizeof(std::uint32_t), stream_));
  grow_scratch(scratch_bytes_min);
  grow_zeros(zero_count_min);
}

void GpuSlot::close() noexcept {
  for (const hipEvent_t event : {event_, stopped_}) {
    if (event != nullptr) static_cast<void>(hipEventDestroy(event));
  }
  if (stream_ != nullptr) static_cast<void>(hipStreamDestroy(stream_));
  outgrown_.insert(outgrown_.end(), {scratch_, zeros_, dropped_});
  for (void* memory : outgrown_) {
    if (memory != nullptr) static_cast<void>(hipFree(memory));
  }
  *this = {};
}

GpuPart GpuSlot::part() const noexcept {
  GpuPart part;
  part.scratch = scratch_;
  part.zeros = zeros_ + 1;
  part.blocks_done = zeros_;
  part.end_mark = end_mark_;
  part.dropped = dropped_;
  part.rounds_done = rounds_done_;
  return part;
}

void GpuSlot::prepare(const GpuNeeds& needs) {
  if (!in_order_) put_in_order();
  grow_scratch(needs.scratch_bytes);
  grow_zeros(needs.zero_count + 1);
  earlier_.hold_back(stream_);
  *end_mark_ = 0;
}

void GpuSlot::lead(hipStream_t other) {
  require("hipEventRecord", hipEventRecord(event_, stream_));
  require("hipStreamWaitEvent", hipStreamWaitEvent(other, event_, 0));
}

void GpuSlot::put_in_order() {
  if (is_lost_) throw GpuError("hipEventRecord: failed when a dropped launch was told to stop");
  if (was_told_) {
    // The copy that told may still be on its way: the launch may have ended before it came.
    require("hipStreamWaitEvent", hipStreamWaitEvent(stream_, stopped_, 0));
    require("hipMemsetAsync", hipMemsetAsync(dropped_, 0, sizeof(std::uint32_t), stream_));
    std::fill_n(rounds_done_, warps_, ~std::uint64_t{0});
  }
  require("hipMemsetAsync", hipMemsetAsync(zeros_, 0, zero_count_ * sizeof(std::uint32_t), stream_));
  was_told_ = false;
  in_order_ = true;
}

bool GpuSlot::stop(hipStream_t side_stream) noexcept {
  const hipError_t told = hipMemcpyAsync(dropped_, one_, sizeof(std::uint32_t), hipMemcpyDefault, side_stream);
  if (told == hipSuccess) {
    was_told_ = true;
    in_order_ = false;
    is_lost_ = hipEventRecord(stopped_, side_stream) != hipSuccess;
  }
  static_cast<void>(hipGetLastError());
  return told == hipSuccess;
}

void GpuSlot::count_unseen(bool is_idle) noexcept {
#if defined(SKUA_GPU_HIP)
  // HIP keeps each launch with its arguments, up to 3 KiB, until it looks for what lies before an event.
  constexpr std::uint32_t many = 500;
  if (++unseen_ < (is_idle ? many / 2 : many)) return;
  unseen_ = 0;
  if (hipEventRecord(event_, stream_) == hipSuccess) static_cast<void>(hipEventQuery(event_));
  static_cast<void>(hipGetLastError());
#else
  static_cast<void>(is_idle);
#endif
}

void GpuSlot::grow_scratch(std::size_t bytes) {
  if (bytes <= scratch_bytes_) return;
  void* memory = nullptr;
  const std::size_t more = std::bit_ceil(bytes);
  require("hipMalloc", hipMalloc(&memory, more));
  outgrown_.push_back(std::exchange(scratch_, memory));
  scratch_bytes_ = more;
}

void GpuSlot::grow_zeros(std::size_t count) {
  if (count <= zero_count_) return;
  void* memory = nullptr;
  const std::size_t more = std::bit_ceil(count);
  require("hipMalloc", hipMalloc(&memory, more * sizeof(std::uint32_t)));
  outgrown_.push_back(std::exchange(zeros_, static_cast<std::uint32_t*>(memory)));
  zero_count_ = more;
  // Zeroed before the next launch, also where this fails.
  in_order_ = false;
  put_in_order();
}

}  // namespace skua
