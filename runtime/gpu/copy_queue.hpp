// Copies that a GPU makes beside its launches.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <skua/memory.hpp>

#include "call.hpp"
#include "earlier_work.hpp"

namespace skua {

/// One behind the other, on a stream of their own that is made for the first.
/// Threads: one at a time, whose current GPU is the copies'.
class GpuCopyQueue {
 public:
  struct Ended {
    std::uint64_t number = 0;
    std::int64_t begin_ns = 0;  ///< as start() was told
    hipError_t error = hipSuccess;
  };

  /// Copies from now on come behind this.
  void wait_for(const std::shared_ptr<const GpuEarlierWork>& work) { earlier_.add(work); }

  bool empty() const noexcept { return running_.empty(); }

  /// Fails: GpuError; nothing was started then, and nothing will be.
  void start(const Copy& copy, std::uint64_t number, std::int64_t now_ns);

  /// The oldest copy, if it has ended or failed.
  std::optional<Ended> poll();

  /// The oldest copy, as it is; there is one. For a GPU that will end none any more.
  Ended give_up();

  void close() noexcept;

 private:
  struct Running {
    std::uint64_t number = 0;
    std::int64_t begin_ns = 0;
    hipEvent_t end = nullptr;  ///< none: the event could not be recorded, and the stream is asked
    hipError_t error = hipSuccess;
  };

  hipEvent_t take_event();

  GpuWaitList earlier_;
  hipStream_t stream_ = nullptr;
  std::deque<Running> running_;
  std::vector<hipEvent_t> free_events_;
};

}  // namespace skua
