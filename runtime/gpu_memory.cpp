// A pool of page-locked memory.
#include "gpu_memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "gpu_call.hpp"

namespace skua {
namespace {

constexpr std::size_t block_bytes_min = std::size_t{64} << 10;

/// Never destroyed: blocks may come back while the process ends, and the runtime frees its memory itself.
struct Pool {
  std::mutex mutex;
  std::map<std::size_t, std::vector<void*>> free_blocks;
};

Pool& pool() {
  static Pool* const one = new Pool;
  return *one;
}

}  // namespace

std::shared_ptr<void> allocate_shared_memory(std::size_t bytes) {
  const std::size_t size = std::bit_ceil(std::max(bytes, block_bytes_min));
  void* memory = nullptr;
  {
    const std::lock_guard lock(pool().mutex);
    std::vector<void*>& blocks = pool().free_blocks[size];
    if (!blocks.empty()) {
      memory = blocks.back();
      blocks.pop_back();
    }
  }
  if (memory == nullptr) {
    // Coherent: the host looks at marks while kernels run.
    constexpr unsigned flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
    require("hipHostMalloc", hipHostMalloc(&memory, size, flags));
  }
  return {memory, [size](void* block) {
            const std::lock_guard lock(pool().mutex);
            pool().free_blocks[size].push_back(block);
          }};
}

void prepare_shared_memory(std::size_t bytes) {
  static_cast<void>(allocate_shared_memory(bytes));
}

}  // namespace skua
