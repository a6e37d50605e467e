// What the parts of the stub share. For hip_stub*.cpp only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "hip_stub.hpp"

namespace hip_stub {

using Clock = std::chrono::steady_clock;
using Moment = Clock::time_point;

}  // namespace hip_stub

/// blocking: the legacy stream of its device waits for it, and it for that.
struct ihipStream_t {
  int device;
  bool is_blocking = false;
  bool has_own_queue = false;  ///< as masked streams have; others share a few
  bool meets_all_xcds = true;  ///< or else a kernel on it never ends
  hip_stub::Moment done = hip_stub::Clock::now();
  bool is_held = false;
  std::vector<hipStream_t> behind{};  ///< held streams, for what lay on which it waits

  hip_stub::Moment end() const {
    const bool waits = std::any_of(behind.begin(), behind.end(), [](hipStream_t other) { return other->is_held; });
    return is_held || waits ? hip_stub::Moment::max() : done;
  }
  bool is_done() const { return hip_stub::Clock::now() >= end(); }
};
struct ihipEvent_t {
  int device;
  std::optional<hip_stub::Moment> done;
  hipStream_t held = nullptr;  ///< recorded behind work that ends when the test says so
};

namespace hip_stub {

constexpr int version_7 = 70'000'000;

extern State current;
extern std::mutex lock;
extern thread_local int current_device;
extern thread_local hipError_t last_error;
extern thread_local hipStreamCaptureMode capture_mode;

/// What a call returns, as the last error, too. Ends the process after the runtime's end.
hipError_t result(hipError_t error);

/// Of calls that a runtime refuses while somebody captures a stream, unless the thread has said that it may; a call
/// that is refused spoils the capture.
hipError_t unsafe_result(hipError_t error);

/// Of calls that make use of a stream: what is captured must not be asked, nor the legacy stream with it.
hipError_t capture_result(hipStream_t stream);

/// What the runtime has given out, with the sizes of page-locked blocks that were made since the last reset(). A device
/// that is given up leaves what it had to the runtime, which knows of it.
std::map<void*, std::size_t>& given_out();

/// The device of each piece of a device's memory.
std::map<const void*, int>& homes();

struct Streams {
  std::map<int, ihipStream_t> legacy;
  std::map<std::pair<std::thread::id, int>, ihipStream_t> of_threads;
  std::set<hipStream_t> blocking;
  std::set<hipStream_t> made;  ///< by the program, and not destroyed
};

Streams& streams();
bool is_legacy(hipStream_t stream);

/// The stream that a handle stands for here and now.
hipStream_t find(hipStream_t handle);

/// Makes a stream on the current device; `mask` is empty for all of it.
hipStream_t make_stream(bool is_blocking, const std::vector<std::uint32_t>& mask);

/// Queues of a device that streams have, as HIP hands them out.
int queues_in_use(int device);

/// When all is done that lies before whatever is put there next.
Moment end_of(hipStream_t stream);

}  // namespace hip_stub
