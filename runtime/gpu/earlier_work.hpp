// What programs have queued on GPUs without skua, and how skua's own streams wait for it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <skua/earlier_work.hpp>

#include "quiet_calls.hpp"

namespace skua {

/// The default streams of a GPU: handles are made by default_queue_of().
const AwaitedKind& gpu_default_streams() noexcept;
Awaited default_queue_of(int ordinal) noexcept;

/// All that lies before an event.
class GpuEarlierWork final : public EarlierWork {
 public:
  /// An event of the program's.
  explicit GpuEarlierWork(hipEvent_t event) : mark_{event, nullptr}, owns_(false) {}
  explicit GpuEarlierWork(const GpuMark& mark) : mark_(mark), owns_(true) {}
  ~GpuEarlierWork() override;
  GpuEarlierWork(const GpuEarlierWork&) = delete;
  GpuEarlierWork& operator=(const GpuEarlierWork&) = delete;

  bool has_ended() const noexcept override;
  /// The same for threads of skua's own.
  bool is_seen_to_have_ended() const noexcept;
  hipEvent_t event() const noexcept { return mark_.event; }

 private:
  bool is_end(hipError_t state) const noexcept;

  GpuMark mark_;
  bool owns_;  ///< it is to be destroyed here
  mutable std::atomic<bool> ended_{false};
};

/// What is to be waited for, for as long as its Job holds it: an event of the program's may be gone after that.
/// Threads: one at a time, whose current GPU is that of the streams.
class GpuWaitList {
 public:
  void add(const std::shared_ptr<const GpuEarlierWork>& work);
  /// Whether there is nothing that has not ended.
  bool has_ended();
  /// What is put on the stream from now on comes behind all of it, which then leaves the list.
  /// Fails: GpuError; the next call tries again.
  void hold_back(hipStream_t stream);

 private:
  std::vector<std::weak_ptr<const GpuEarlierWork>> works_;
};

}  // namespace skua
