// A GPU, or a part of one, as a device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/detail/gpu_code.hpp>
#include <skua/device.hpp>

#include "call.hpp"
#include "copy_queue.hpp"
#include "earlier_work.hpp"
#include "end_times.hpp"
#include "exit_fence.hpp"
#include "memory.hpp"
#include "partition.hpp"
#include "slot.hpp"

namespace skua {

/// Holds two launches, on a stream each, so that the second fills what the first drains. Nothing here waits for the
/// GPU: a kernel of skua's own marks its end in memory that the host looks at, behind any other an event is recorded
/// and polled. The runtime is asked about a kernel that marks its end only when that is overdue.
class GpuDevice final : public Device {
 public:
  /// `units` are the compute units of the part. On a thread of skua's own.
  /// Fails: GpuError.
  GpuDevice(DeviceInfo info, int ordinal, std::uint32_t units, const MakeGpuStream& make_stream, const Clock& clock);
  /// Waits some 200 ms at most for what still runs; what a GPU that hangs may use is then kept for ever.
  ~GpuDevice() override;

  const DeviceInfo& info() const noexcept override { return info_; }
  std::vector<std::string> attach() override;
  bool can_run(const Kernel& kernel) const noexcept override;
  std::string why_not(const Kernel& kernel) const override;
  Awaited default_queue() const noexcept override { return default_queue_of(ordinal_); }
  bool can_wait_for(const EarlierWork& work) const noexcept override;
  void wait_for(const std::shared_ptr<const EarlierWork>& work) override;
  std::uint64_t filling_items(const Kernel& kernel, std::uint64_t granule) const override;
  std::optional<double> occupancy(const Kernel& kernel, std::uint64_t granule) const override;
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;
  Memory allocate(std::size_t bytes, MemoryPlace place) override;
  std::optional<Failure> copy(const Copy& copy, std::uint64_t number) override;

  /// For people; before attach().
  void add_notes(const std::vector<std::string>& notes);

  /// Runs something small and waits for it, up to a few seconds. For the time before the device is handed on, on a
  /// thread of skua's own.
  /// Fails: GpuError.
  void check_that_it_runs();

 private:
  static constexpr std::size_t launches_max = 2;

  struct Launch {
    std::uint64_t number = 0;
    std::int64_t begin_ns = 0;
    Chunk chunk;
    GpuPart part;
    const GpuCode* code = nullptr;     ///< none: a launcher of the user's
    std::optional<Failure> failure;    ///< of a start after which something may run nevertheless
    bool was_told = false;             ///< that its chunk is dropped; or there is no telling it
    std::optional<GpuRounds> stopped;  ///< the kernel was told, and may have ended early: how the chunk was dealt
    std::int64_t question_ns = 0;      ///< when to ask the runtime next; 0: not known yet
    bool is_asked = false;             ///< an event stands behind it for that
  };

  std::size_t slot_of(std::size_t place) const noexcept { return (oldest_ + place) % launches_max; }
  void start(const LaunchCode* launcher, Launch& launch, GpuSlot& slot);
  void tell_dropped();
  bool waits(std::int64_t now_ns);
  Completion end_oldest(hipError_t state, std::int64_t now_ns);
  hipError_t look_at(Launch& launch, const GpuSlot& slot, std::int64_t now_ns);
  hipError_t ask_if_overdue(Launch& launch, const GpuSlot& slot, std::int64_t now_ns);
  std::optional<Completion> poll_copies();
  std::optional<Completion> poll_lost();
  bool usable();
  Failure failure(std::string message);
  void close() noexcept;

  DeviceInfo info_;
  int ordinal_;
  std::uint32_t units_;
  std::uint64_t threads_max_ = 0;  ///< that the part's hardware can hold
  const Clock& clock_;
  ExitFence fence_;
  MakeGpuStream make_stream_;  ///< owns what the streams need
  GpuMemoryUser memory_user_;
  std::shared_ptr<void> shared_;
  std::array<GpuSlot, launches_max> slots_;
  std::array<Launch, launches_max> launches_;  ///< each in the slot of its place
  std::size_t oldest_ = 0;
  std::size_t running_ = 0;
  GpuCopyQueue copies_;
  GpuWaitList earlier_;                ///< what was launched last may wait for it
  hipStream_t side_stream_ = nullptr;  ///< on which kernels are told to stop; made for the first
  EndTimes ends_;
  std::optional<std::string> lost_;  ///< why it will run nothing any more
};

}  // namespace skua
