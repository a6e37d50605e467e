// A GPU, or a part of one, as a device.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>

#include "gpu_call.hpp"
#include "gpu_partition.hpp"
#include "in_flight.hpp"

namespace skua {

/// Holds two launches, on a stream each, so that the second fills what the first drains. Nothing here waits for the
/// GPU: a kernel of skua's own marks its end in memory that the host looks at, behind any other an event is recorded
/// and polled. When the host looks late, the mark tells when the launch ended: a rate learnt from late looks would make
/// the next look later still.
class GpuDevice final : public Device {
 public:
  /// `units` are the compute units of the part.
  /// Fails: GpuError.
  GpuDevice(DeviceInfo info, int ordinal, std::uint32_t units, const MakeGpuStream& make_stream, const Clock& clock);
  ~GpuDevice() override;

  const DeviceInfo& info() const noexcept override { return info_; }
  std::vector<std::string> attach() override;
  std::uint64_t filling_items(const Kernel& kernel, std::uint64_t granule) const override;
  std::optional<double> occupancy(const Kernel& kernel, std::uint64_t granule) const override;
  bool can_run(const Kernel& kernel) const noexcept override { return kernel.runs_on_gpu(); }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;
  std::shared_ptr<void> allocate(std::size_t bytes) override;

  /// For people; before attach().
  void add_notes(const std::vector<std::string>& notes);

  /// Runs something small and waits for it, up to a few seconds. For the time before the device is handed on.
  /// Fails: GpuError.
  void check_that_it_runs();

 private:
  static constexpr std::size_t slot_count = 2;

  /// What one launch at a time uses.
  struct Slot {
    hipStream_t stream = nullptr;
    void* scratch = nullptr;
    std::size_t scratch_bytes = 0;
    std::uint32_t* zeros = nullptr;  ///< the first counts the blocks of a kernel that marks its end
    std::size_t zero_count = 0;
    hipEvent_t event = nullptr;     ///< behind a kernel that does not mark its end
    std::uint64_t* mark = nullptr;  ///< 0 while the kernel runs
  };
  struct Launch {
    std::uint64_t number = 0;
    std::size_t slot = 0;
    bool marks_end = false;
    std::int64_t begin_ns = 0;
  };

  void grow(Slot& slot, const GpuNeeds& needs);
  void enqueue(const Kernel& kernel, Chunk chunk, Slot& slot);
  hipError_t look_at(const Launch& launch, std::int64_t now_ns);
  std::int64_t end_of(const Launch& launch, std::int64_t now_ns);
  bool usable();
  Failure failure(std::string message);
  void close() noexcept;

  DeviceInfo info_;
  int ordinal_;
  std::uint32_t units_;
  std::uint64_t threads_max_ = 0;  ///< that the part's hardware can hold
  const Clock& clock_;
  GpuCalls calls_;
  MakeGpuStream make_stream_;  ///< owns what the streams need
  std::array<Slot, slot_count> slots_;
  std::shared_ptr<void> marks_;
  std::vector<void*> outgrown_;  ///< freeing would wait for the GPU
  InFlight<Launch, slot_count> running_;
  std::uint64_t launched_ = 0;
  std::uint64_t last_mark_ = 0;  ///< of the launch that ended last; 0 when it left no time
  std::int64_t last_end_ns_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::int64_t last_question_ns_ = 0;  ///< to the runtime, about a kernel that is to mark its end
  std::optional<std::string> lost_;    ///< why it will run nothing any more
};

}  // namespace skua
