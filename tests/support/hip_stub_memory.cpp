// Memory, of devices and page-locked, and copies.
#include <cstdlib>
#include <cstring>

#include "hip_stub_inside.hpp"

using hip_stub::current;
using hip_stub::current_device;
using hip_stub::result;
using hip_stub::unsafe_result;

namespace hip_stub {
namespace {

hipError_t allocate(void** memory, std::size_t bytes) {
  const std::lock_guard hold(lock);
  if (const hipError_t error = unsafe_result(current.allocate); error != hipSuccess) return error;
  current.contexts.insert(current_device);
  *memory = std::malloc(bytes);
  given_out()[*memory] = 0;
  return hipSuccess;
}

}  // namespace

std::map<const void*, int>& homes() {
  static auto* const all = new std::map<const void*, int>;
  return *all;
}

}  // namespace hip_stub

extern "C" {

hipError_t hipMalloc(void** memory, std::size_t bytes) {
  const hipError_t error = hip_stub::allocate(memory, bytes);
  const std::lock_guard hold(hip_stub::lock);
  if (error == hipSuccess) hip_stub::homes()[*memory] = current_device;
  return error;
}
hipError_t hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned) {
  return hip_stub::allocate(memory, bytes);
}
hipError_t hipFree(void* memory) {
  const std::lock_guard hold(hip_stub::lock);
  if (const hipError_t error = unsafe_result(hipSuccess); error != hipSuccess) return error;
  current.contexts.insert(current_device);
  hip_stub::given_out().erase(memory);
  hip_stub::homes().erase(memory);
  std::free(memory);
  return hipSuccess;
}
hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
  const hipError_t error = hip_stub::allocate(memory, bytes);
  if (error != hipSuccess) return error;
  const std::lock_guard hold(hip_stub::lock);
  hip_stub::given_out()[*memory] = bytes;
  current.host_bytes_alive += bytes;
  ++current.host_blocks_made;
  ++current.host_blocks_of[current_device];
  return hipSuccess;
}
hipError_t hipHostFree(void* memory) {
  {
    const std::lock_guard hold(hip_stub::lock);
    current.host_bytes_alive -= std::exchange(hip_stub::given_out()[memory], 0);
  }
  return hipFree(memory);
}
hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t stream) {
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] { std::memset(memory, value, bytes); });
  return result(hipSuccess);
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind, hipStream_t stream) {
  if (current.copy != hipSuccess) return result(current.copy);
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] { std::memcpy(to, from, bytes); });
  return result(hipSuccess);
}
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream) {
  const std::pair<int, int> link{from_device, to_device};
  if (current.hanging.contains(link)) {
    const std::lock_guard hold(hip_stub::lock);
    stream->done = hip_stub::Moment::max();
    return result(hipSuccess);
  }
  if (current.lossy.contains(link)) bytes = std::min<std::size_t>(bytes, 4096);
  return hipMemcpyAsync(to, from, bytes, hipMemcpyDefault, stream);
}
}  // extern "C"
