// What one launch at a time uses on a GPU: a stream, memory for its kernel, and the words by which it and the host
// meet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <skua/detail/gpu_code.hpp>

#include "call.hpp"
#include "earlier_work.hpp"
#include "partition.hpp"

namespace skua {

/// Threads: one at a time, whose current GPU is the slot's.
class GpuSlot {
 public:
  static constexpr std::size_t shared_bytes(std::size_t warps) noexcept {
    return line_bytes * 2 + (warps * sizeof(std::uint64_t) + line_bytes - 1) / line_bytes * line_bytes;
  }

  /// `shared`: shared_bytes(warps) of memory that the host and the GPU reach; it must outlive the slot's launches.
  /// Fails: GpuError; close() is still to be called.
  void open(const MakeGpuStream& make_stream, std::byte* shared, std::size_t warps);
  void close() noexcept;

  /// Launches from now on come behind this.
  void wait_for(const std::shared_ptr<const GpuEarlierWork>& work) { earlier_.add(work); }

  /// Before each launch: memory for what it needs, and whatever a dropped or failed launch left behind put in order.
  /// Fails: GpuError; nothing was launched, and the next try may pass.
  void prepare(const GpuNeeds& needs);

  /// What is put on `other` from now on comes behind what this slot runs.
  /// Fails: GpuError.
  void lead(hipStream_t other);

  /// All but what says of which part of which GPU.
  GpuPart part() const noexcept;

  hipStream_t stream() const noexcept { return stream_; }
  /// Behind a launch that does not mark its end itself.
  hipEvent_t event() const noexcept { return event_; }
  /// 0 until the kernel has marked its end.
  std::uint64_t end_mark() const noexcept { return *static_cast<const volatile std::uint64_t*>(end_mark_); }
  std::span<const std::uint64_t> rounds_done() const noexcept { return {rounds_done_, warps_}; }

  /// Tells the kernel that its chunk is dropped, by a copy on `side_stream`; later launches do not hear of it.
  /// Returns whether the kernel was told.
  bool stop(hipStream_t side_stream) noexcept;

  /// A launch of a kernel that marks its end has ended: the runtime does not know of it yet, and is told now and then,
  /// sooner where the device is idle.
  void count_unseen(bool is_idle) noexcept;

  /// The launch failed: its kernel may have left anything in the slot's memory.
  void distrust() noexcept { in_order_ = false; }

 private:
  static constexpr std::size_t line_bytes = 256;  ///< so that looks at one word do not meet writes to another

  void grow_scratch(std::size_t bytes);
  void grow_zeros(std::size_t count);
  void put_in_order();

  GpuWaitList earlier_;
  hipStream_t stream_ = nullptr;
  hipEvent_t event_ = nullptr;
  hipEvent_t stopped_ = nullptr;  ///< behind the copy that told the last dropped launch
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
  std::uint32_t* zeros_ = nullptr;  ///< the first counts the blocks of a kernel that marks its end
  std::size_t zero_count_ = 0;
  std::uint32_t* dropped_ = nullptr;
  std::uint64_t* end_mark_ = nullptr;
  std::uint32_t* one_ = nullptr;  ///< what is copied to dropped_
  std::uint64_t* rounds_done_ = nullptr;
  std::size_t warps_ = 0;
  std::uint32_t unseen_ = 0;  ///< launches since the runtime last looked
  bool in_order_ = true;
  bool was_told_ = false;        ///< a copy to dropped_ was made since it was last 0
  bool is_lost_ = false;         ///< there is no telling when such a copy ends
  std::vector<void*> outgrown_;  ///< freeing would wait for the GPU
};

}  // namespace skua
