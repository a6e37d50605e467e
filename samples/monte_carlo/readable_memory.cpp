// Page-locked memory where there are GPUs.
#include "readable_memory.hpp"

#include <new>
#include <stdexcept>
#include <string>

#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)
#include <skua/hip.hpp>
#endif

namespace monte_carlo {
namespace {

bool all_reach_host_memory(const skua::Scheduler& scheduler) {
  for (std::size_t i = 0; i < scheduler.device_count(); ++i) {
    if (!scheduler.device(i).can.reaches_host_memory) return false;
  }
  return true;
}

#if defined(SKUA_GPU_HIP) || defined(SKUA_GPU_CUDA)

std::shared_ptr<void> page_locked(std::size_t bytes) {
  using namespace skua::gpu_api;
  unsigned flags = hipHostMallocPortable | hipHostMallocMapped;
#if defined(SKUA_GPU_HIP)
  flags |= hipHostMallocNonCoherent;  // what is only read may lie in the GPU's caches
#endif
  void* memory = nullptr;
  const hipError_t error = hipHostMalloc(&memory, bytes, flags);
  if (error != hipSuccess) {
    throw std::runtime_error(std::to_string(bytes) + " bytes of page-locked memory: " + hipGetErrorString(error));
  }
  return {memory, [](void* page) { static_cast<void>(hipHostFree(page)); }};
}

#else

std::shared_ptr<void> page_locked(std::size_t bytes) {
  throw std::runtime_error(std::to_string(bytes) + " bytes of page-locked memory: there is no GPU runtime");
}

#endif

}  // namespace

std::shared_ptr<void> readable_memory(const skua::Scheduler& scheduler, std::size_t bytes) {
  if (!all_reach_host_memory(scheduler)) return page_locked(bytes);
  constexpr std::align_val_t line{64};
  return {::operator new(bytes, line), [](void* memory) { ::operator delete(memory, line); }};
}

}  // namespace monte_carlo
