// Memory for GPUs: what every GPU and the host can write, kept between Jobs; and a GPU's own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <skua/topology.hpp>

namespace skua {

/// As long as one lives, page-locked memory that nobody needs any more is pooled for whoever needs some next; with the
/// last one all that is pooled is given back to the system.
/// Threads: any; the runtime is called from threads of skua's own.  Blocks: may wait for all that GPUs run.
class GpuMemoryUser {
 public:
  GpuMemoryUser();
  ~GpuMemoryUser();
  GpuMemoryUser(const GpuMemoryUser&) = delete;
  GpuMemoryUser& operator=(const GpuMemoryUser&) = delete;

  /// A GPU hangs: to give memory back would wait for it. From now on nothing is, and the process's end is guarded
  /// (ExitFence::expect_hang()).
  static void keep_all() noexcept;
};

/// What the pool holds at most; beyond that the largest blocks are given back to the system.
inline constexpr std::size_t pooled_bytes_max = std::size_t{256} << 20;

/// Says near which NUMA node a GPU is, whose memory the runtime takes for it: blocks of one node are pooled for the
/// GPUs that are near it, as all of those are of which nothing is known. Threads: any.
void set_memory_node(int ordinal, std::optional<NumaId> node);

/// Page-locked host memory, mapped into every GPU; rounded up to a power of two, and from a pool where that has a block
/// of this size or of one not much larger: making it anew costs a millisecond. `ordinal` is a GPU that is in use
/// anyway: the runtime wants a context to make it in. Threads: any; the runtime is called from a thread of skua's own.
/// Fails: GpuError.
std::shared_ptr<void> allocate_shared_memory(std::size_t bytes, int ordinal);

/// Puts a block of this size into the pool.
/// Fails: GpuError.
void prepare_shared_memory(std::size_t bytes, int ordinal);

/// Memory of one GPU; given back to the runtime at the end.
/// Threads: any; the runtime is called from threads of skua's own.
/// Fails: GpuError.
std::shared_ptr<void> allocate_gpu_memory(std::size_t bytes, int ordinal);

/// Memory of the current GPU that its kernels see changed while they run, whoever changes it; for a few words. Freed by
/// hipFree.
/// Fails: GpuError.
void* allocate_watched_memory(std::size_t bytes);

}  // namespace skua
