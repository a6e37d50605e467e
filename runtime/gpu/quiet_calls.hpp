// Calls on a thread of a caller's that leave it as it was.
#pragma once

#include <functional>
#include <optional>

#include "call.hpp"

namespace skua {

/// An event of skua's behind what lay on a stream.
struct GpuMark {
  hipEvent_t event = nullptr;
  void* context = nullptr;  ///< that it was made in, where there are such
};

/// As long as one lives, its calls neither fail nor do harm while somebody captures a stream. Afterwards the thread has
/// the current GPU, the last error and the way with captures that it had. No call makes a context on a GPU.
/// All return what the runtime or its driver says.
/// Threads: the one that made it.
class QuietCalls {
 public:
  /// Before the first, where a GPU that is in use is the current one: to find the driver's functions may want one.
  /// Fails: GpuError.
  static void prepare();

  QuietCalls();
  ~QuietCalls();
  QuietCalls(const QuietCalls&) = delete;
  QuietCalls& operator=(const QuietCalls&) = delete;

  /// Turns to a GPU, whose default streams are meant from now on. Returns false where this process has nothing on it.
  bool turn_to(int ordinal);
  /// Turns to the GPU of a stream that is no default one, where that can be told.
  hipError_t turn_to(hipStream_t stream);
  hipError_t is_capturing(hipStream_t stream, bool& capturing);
  hipError_t query(hipStream_t stream);
  hipError_t query(hipEvent_t event);
  /// A new event behind all that lies on the stream, to whose GPU turn_to() was called.
  hipError_t record(hipStream_t stream, GpuMark& mark);
  void destroy(const GpuMark& mark);

  /// The default stream that all of a GPU's blocking streams wait for, and that waits for them.
  static hipStream_t legacy_stream() noexcept;

 private:
#if defined(SKUA_GPU_CUDA)
  bool push(void* context);
  int contexts_pushed_ = 0;
#else
  hipError_t record_here(hipStream_t stream, GpuMark& mark);
  std::optional<int> home_;  ///< the GPU to turn back to
#endif
  hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
};

/// Does this on the calling thread, or, where an error lies there that any call would overwrite, on one of skua's own.
/// Fails: what the work throws; GpuError when the process ends.
void call_quietly(const std::function<void(QuietCalls&)>& work);

}  // namespace skua
