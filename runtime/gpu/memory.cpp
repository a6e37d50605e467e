// A pool of page-locked memory, and plain memory of GPUs.
#include "memory.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "call.hpp"
#include "exit_fence.hpp"
#include "own_thread.hpp"

namespace skua {
namespace {

constexpr std::size_t block_bytes_min = std::size_t{64} << 10;
constexpr std::size_t block_bytes_max = ~std::size_t{0} / 2 + 1;
// A small request does not take a block that a large one will want.
constexpr std::size_t larger_max = 16;

using Node = std::optional<NumaId>;

struct Block {
  void* memory = nullptr;
  std::size_t bytes = 0;
  int ordinal = 0;  ///< of the GPU in whose context it was made
  Node node{};      ///< near that
};

/// Where no GPU is current the runtime would make a context on the first one, for nothing but this.
void free_blocks(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    use_gpu(block.ordinal);
    static_cast<void>(hipHostFree(block.memory));
  }
}

/// Blocks that nobody uses now, by NUMA node and size.
class Pool {
 public:
  /// Never destroyed: blocks may come back while the process ends, and the runtime frees its memory itself.
  static Pool& one() {
    static auto* const pool = new Pool;
    return *pool;
  }

  void set_node(int ordinal, Node node) {
    const std::lock_guard lock(mutex_);
    nodes_[ordinal] = node;
  }

  Node node_of(int ordinal) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(ordinal);
    return found == nodes_.end() ? std::nullopt : found->second;
  }

  std::optional<Block> take(Node node, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    BySize& blocks = free_[node];
    const auto found = blocks.lower_bound(bytes);
    if (found == blocks.end() || found->first / larger_max > bytes) return std::nullopt;
    return take_out(blocks, found);
  }

  /// Returns what is to be freed.
  std::vector<Block> put(const Block& block) {
    const std::lock_guard lock(mutex_);
    free_[block.node].emplace(block.bytes, block);
    free_bytes_ += block.bytes;
    return surplus(users_ > 0 ? pooled_bytes_max : 0);
  }

  void enter() {
    const std::lock_guard lock(mutex_);
    ++users_;
  }

  /// Returns what is to be freed.
  std::vector<Block> leave() {
    const std::lock_guard lock(mutex_);
    return --users_ > 0 ? std::vector<Block>{} : surplus(0);
  }

  void keep_all() {
    const std::lock_guard lock(mutex_);
    keeps_all_ = true;
  }

 private:
  using BySize = std::multimap<std::size_t, Block>;

  Block take_out(BySize& blocks, BySize::iterator at) {
    const Block block = at->second;
    free_bytes_ -= block.bytes;
    blocks.erase(at);
    return block;
  }

  /// The largest blocks of all nodes.
  std::vector<Block> surplus(std::size_t bytes_max) {
    std::vector<Block> blocks;
    while (!keeps_all_ && free_bytes_ > bytes_max) {
      const auto largest = [](const auto& node) { return node.second.empty() ? 0 : node.second.rbegin()->first; };
      const auto at = std::max_element(free_.begin(), free_.end(), [&](const auto& one, const auto& other) {
        return largest(one) < largest(other);
      });
      blocks.push_back(take_out(at->second, std::prev(at->second.end())));
    }
    return blocks;
  }

  std::mutex mutex_;
  std::map<int, Node> nodes_;  ///< by ordinal
  std::map<Node, BySize> free_;
  std::size_t free_bytes_ = 0;
  int users_ = 0;
  bool keeps_all_ = false;
};

/// To free may wait for all that GPUs run, which whoever gives memory back must not.
void give_back(const Block& block) {
  std::vector<Block> surplus = Pool::one().put(block);
  if (!surplus.empty()) in_background([surplus = std::move(surplus)] { free_blocks(surplus); });
}

/// After the process's end, or without a thread to be had, the memory is left to the runtime.
void free_gpu_memory(void* memory, int ordinal) noexcept {
  try {
    on_own_thread([=] {
      use_gpu(ordinal);
      static_cast<void>(hipFree(memory));
    });
  } catch (const std::exception&) {
  }
}

}  // namespace

std::shared_ptr<void> allocate_shared_memory(std::size_t bytes, int ordinal) {
  if (bytes > block_bytes_max) throw GpuError("hipHostMalloc: more than there can be");
  const std::size_t size = std::bit_ceil(std::max(bytes, block_bytes_min));
  const Node node = Pool::one().node_of(ordinal);
  std::optional<Block> block = Pool::one().take(node, size);
  if (!block) {
    block = Block{nullptr, size, ordinal, node};
    on_own_thread([&] {
      use_gpu(ordinal);
      // Coherent: the host looks at marks while kernels run.
      constexpr unsigned flags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
      require("hipHostMalloc", hipHostMalloc(&block->memory, size, flags));
    });
  }
  return {block->memory, [taken = *block](void*) { give_back(taken); }};
}

void set_memory_node(int ordinal, std::optional<NumaId> node) {
  Pool::one().set_node(ordinal, node);
}

void prepare_shared_memory(std::size_t bytes, int ordinal) {
  static_cast<void>(allocate_shared_memory(bytes, ordinal));
}

GpuMemoryUser::GpuMemoryUser() {
  Pool::one().enter();
}

GpuMemoryUser::~GpuMemoryUser() {
  const std::vector<Block> blocks = Pool::one().leave();
  if (blocks.empty()) return;
  try {
    on_own_thread([&] { free_blocks(blocks); });
  } catch (const std::exception&) {
    // The process ends, and all its memory with it.
  }
}

void GpuMemoryUser::keep_all() noexcept {
  Pool::one().keep_all();
  ExitFence::expect_hang();
}

std::shared_ptr<void> allocate_gpu_memory(std::size_t bytes, int ordinal) {
  void* memory = nullptr;
  on_own_thread([&] {
    use_gpu(ordinal);
    require("hipMalloc", hipMalloc(&memory, bytes));
  });
  return {memory, [ordinal](void* block) { free_gpu_memory(block, ordinal); }};
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
