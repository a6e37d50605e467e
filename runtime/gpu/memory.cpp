// A pool of page-locked memory, and plain memory of GPUs.
#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "call.hpp"
#include "own_thread.hpp"

namespace skua {
namespace {

constexpr std::size_t block_bytes_min = std::size_t{64} << 10;
constexpr std::size_t block_bytes_max = ~std::size_t{0} / 2 + 1;

/// Never destroyed: blocks may come back while the process ends, and the runtime frees its memory itself.
struct Pool {
  std::mutex mutex;
  std::map<std::size_t, std::vector<void*>> free_blocks;
};

Pool& pool() {
  static Pool* const one = new Pool;
  return *one;
}

void* take_from_pool(std::size_t size) {
  const std::lock_guard lock(pool().mutex);
  std::vector<void*>& blocks = pool().free_blocks[size];
  if (blocks.empty()) return nullptr;
  void* const memory = blocks.back();
  blocks.pop_back();
  return memory;
}

/// After the process's end, or without a thread to be had, the memory is left to the runtime.
void free_gpu_memory(void* memory) noexcept {
  try {
    on_own_thread([memory] { static_cast<void>(hipFree(memory)); });
  } catch (const std::exception&) {
  }
}

}  // namespace

std::shared_ptr<void> allocate_shared_memory(std::size_t bytes, int ordinal) {
  if (bytes > block_bytes_max) throw GpuError("hipHostMalloc: more than there can be");
  const std::size_t size = std::bit_ceil(std::max(bytes, block_bytes_min));
  void* memory = take_from_pool(size);
  if (memory == nullptr) {
    on_own_thread([&] {
      use_gpu(ordinal);
      // Coherent: the host looks at marks while kernels run.
      constexpr unsigned flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
      require("hipHostMalloc", hipHostMalloc(&memory, size, flags));
    });
  }
  return {memory, [size](void* block) {
            const std::lock_guard lock(pool().mutex);
            pool().free_blocks[size].push_back(block);
          }};
}

void prepare_shared_memory(std::size_t bytes, int ordinal) {
  static_cast<void>(allocate_shared_memory(bytes, ordinal));
}

std::shared_ptr<void> allocate_gpu_memory(std::size_t bytes, int ordinal) {
  void* memory = nullptr;
  on_own_thread([&] {
    use_gpu(ordinal);
    require("hipMalloc", hipMalloc(&memory, bytes));
  });
  return {memory, free_gpu_memory};
}

void* allocate_watched_memory(std::size_t bytes) {
  void* memory = nullptr;
#if defined(SKUA_GPU_HIP)
  // Copy engines write past the caches of AMD's GPUs, in which a running kernel would go on seeing the old value.
  if (hipExtMallocWithFlags(&memory, bytes, hipDeviceMallocFinegrained) == hipSuccess) return memory;
  static_cast<void>(hipGetLastError());
#endif
  require("hipMalloc", hipMalloc(&memory, bytes));
  return memory;
}

}  // namespace skua
