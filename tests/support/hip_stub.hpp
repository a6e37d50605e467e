// A HIP runtime without GPUs: the functions that skua calls, with scripted delays and errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <skua/detail/hip_names.hpp>

namespace hip_stub {

/// What the stub does and what it has seen. Set before the calls; read after them.
struct State {
  int devices = 4;
  int compute_units = 104;
  std::string arch = "gfx90a";
  std::set<int> dead;                         ///< devices on which nothing ever completes
  std::set<std::pair<int, int>> unreachable;  ///< (from, to)
  std::set<std::pair<int, int>> lossy;        ///< copies (from, to) that lose all after their first 4,096 bytes
  std::set<std::pair<int, int>> hanging;      ///< copies (from, to) that never end
  hipError_t count = hipSuccess;              ///< of every question how many devices there are
  hipError_t enable_peer = hipSuccess;
  hipError_t record = hipSuccess;                  ///< of every record from now on
  hipError_t copy = hipSuccess;                    ///< of every copy from now on
  hipError_t allocate = hipSuccess;                ///< of every allocation from now on
  bool is_capturing = false;                       ///< somebody captures a stream, in the mode that forbids most
  bool is_blocking_captured = false;               ///< somebody captures a stream for which the legacy one waits
  std::set<hipStream_t> captured;                  ///< streams that are being captured
  bool success_clears_error = false;               ///< as in HIP before version 7: the last error is the last result
  bool turning_makes_context = true;               ///< hipSetDevice does, as in CUDA since version 12
  hipError_t wait = hipSuccess;                    ///< of every wait of a stream for an event from now on
  std::function<hipError_t(int device)> on_query;  ///< called by each query of an event; may sleep
  bool context_lost = false;                       ///< every call fails, as after a fault

  int streams_asked = 0;  ///< whether they are done
  int peers_asked = 0;
  int peers_enabled = 0;
  bool is_capture_spoilt = false;
  std::set<int> contexts;  ///< of the devices on which one was made
  int streams_alive = 0;
  int events_alive = 0;
  std::size_t host_bytes_alive = 0;  ///< of page-locked memory
  int host_blocks_made = 0;
  std::vector<std::uint32_t> last_mask;
  std::set<std::pair<int, int>> launched;  ///< (device of the stream, current device of the thread)
};

/// A fresh state; all earlier handles are void.
State& reset();
State& state();
std::mutex& mutex();

/// What a kernel does: `work` is done, and seen as done, `duration` after what lies before it on the stream; a null
/// stream and hipStreamPerThread are the current device's.
void enqueue(hipStream_t stream, std::chrono::nanoseconds duration, std::function<void()> work);

/// When that begins which is put on the stream next; the end of time behind what a test holds.
std::chrono::steady_clock::time_point begin_of_next(hipStream_t stream);

/// From now on what is enqueued on this stream ends when it is released.
void hold(hipStream_t stream);
void release(hipStream_t stream);

}  // namespace hip_stub
