// Streams and events of GPUs that a Job is to wait for.
#pragma once

#include <skua/detail/hip_names.hpp>
#include <skua/earlier_work.hpp>

namespace skua {
namespace gpu_handles {
using namespace gpu_api;
using Stream = hipStream_t;
using Event = hipEvent_t;
}  // namespace gpu_handles

const AwaitedKind& gpu_streams() noexcept;
const AwaitedKind& gpu_events() noexcept;

/// For JobOptions::after: what lies on this stream when the Job begins. A default stream is that of the GPU that is
/// current then, and stands for all that waits for it, too.
inline Awaited after(gpu_handles::Stream stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
  using namespace gpu_api;
  if (stream == nullptr) stream = hipStreamPerThread;
#endif
  return {&gpu_streams(), stream};
}

/// For JobOptions::after: what lies before this event's last record. It must not be destroyed before the Job's return.
inline Awaited after(gpu_handles::Event event) {
  return {&gpu_events(), event};
}

}  // namespace skua
