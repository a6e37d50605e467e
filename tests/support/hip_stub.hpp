// A HIP runtime without GPUs: the functions that skua calls, with scripted delays and errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <skua/detail/hip_names.hpp>

namespace skua::test {
struct AmdMachine;
}

namespace hip_stub {

/// What the stub does and what it has seen. Set before the calls; read after them.
struct State {
  int devices = 4;
  int compute_units = 104;
  std::string arch = "gfx90a";
  int xcds = 1;                        ///< to which workgroups are dealt, whatever the mask of a stream
  int hardware_queues = 24;            ///< of a device; with more of them in use everything takes twice as long
  std::vector<std::string> addresses;  ///< of the devices; others are at 0000:c1:00.0 and on
  int version = 50'221'153;            ///< of the runtime; from 7 on it tells the XCDs
  /// Units of a device that are aligned in a green context, and in how many of those the runtime's are counted; 0: HIP
  /// has no green contexts.
  unsigned green_alignment = 0;
  unsigned green_units = 1;
  bool green_contexts_fail = false;           ///< there are some, but none can be made
  std::set<int> dead;                         ///< devices on which nothing ever completes
  std::set<std::pair<int, int>> unreachable;  ///< (from, to)
  std::set<std::pair<int, int>> lossy;        ///< copies (from, to) that lose all after their first 4,096 bytes
  std::set<std::pair<int, int>> hanging;      ///< copies (from, to) that never end
  hipError_t count = hipSuccess;              ///< of every question how many devices there are
  hipError_t enable_peer = hipSuccess;
  hipError_t record = hipSuccess;     ///< of every record from now on
  hipError_t copy = hipSuccess;       ///< of every copy from now on
  hipError_t allocate = hipSuccess;   ///< of every allocation from now on
  bool is_capturing = false;          ///< somebody captures a stream, in the mode that forbids most
  bool is_blocking_captured = false;  ///< somebody captures a stream for which the legacy one waits
  std::set<hipStream_t> captured;     ///< streams that are being captured
  /// As in HIP before version 7: the last error is the last result. In HIP from 7 on an unfinished query is no error.
  bool success_clears_error = false;
  bool turning_makes_context = true;               ///< hipSetDevice does, as in CUDA since version 12
  hipError_t wait = hipSuccess;                    ///< of every wait of a stream for an event from now on
  std::function<hipError_t(int device)> on_query;  ///< called by each query of an event; may sleep
  bool context_lost = false;                       ///< every call fails, as after a fault
  /// What a question whether a stream is done takes of the caller and, as a packet of its own, of the stream.
  std::chrono::nanoseconds question_takes{0};
  int wall_clock_khz = 0;  ///< of the GPUs' clock; 0: the runtime does not tell

  int streams_asked = 0;  ///< whether they are done
  int barriers = 0;       ///< packets that hold up a stream: of events, of waits for them and of questions
  int peers_asked = 0;
  int peers_enabled = 0;
  bool is_capture_spoilt = false;
  std::set<int> contexts;  ///< of the devices on which one was made
  int streams_alive = 0;
  int events_alive = 0;
  std::size_t host_bytes_alive = 0;  ///< of page-locked memory
  int host_blocks_made = 0;
  std::vector<std::vector<std::uint32_t>> masks;  ///< of the streams that have one, in the order of making
  int slow_launches = 0;                          ///< made where more queues were in use than the hardware has
  int launches_behind_null = 0;            ///< on a blocking stream, while the null stream of its device was busy
  int put_on_null = 0;                     ///< kernels, copies and records, on null streams
  std::map<int, int> host_blocks_of;       ///< page-locked blocks that were made, by the current device
  std::set<std::pair<int, int>> launched;  ///< (device of the stream, current device of the thread)
};

/// Versions of the runtime.
inline constexpr int hip_6 = 60'443'483;
inline constexpr int hip_7 = 70'051'831;

/// A fresh state; all earlier handles are void.
State& reset();
/// As reset(), and then as this version of HIP shows this machine.
State& become(const skua::test::AmdMachine& machine, int version = hip_6);
State& state();
std::mutex& mutex();

/// What a kernel does: `work` is done, and seen as done, `duration` after what lies before it on the stream; a null
/// stream and hipStreamPerThread are the current device's.
void enqueue(hipStream_t stream, std::chrono::nanoseconds duration, std::function<void()> work);

/// When that begins which is put on the stream next; the end of time behind what a test holds.
std::chrono::steady_clock::time_point begin_of_next(hipStream_t stream);

/// What a kernel does that writes where nothing is: HIP before version 7 ends the process, and from then on every call
/// of every thread on every device fails.
void fault();

/// From now on what is enqueued on this stream ends when it is released.
void hold(hipStream_t stream);
void release(hipStream_t stream);

}  // namespace hip_stub
