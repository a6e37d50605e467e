// Memory for GPUs: what every GPU and the host can write, kept between Jobs; and a GPU's own.
#pragma once

#include <cstddef>
#include <memory>

namespace skua {

/// Page-locked host memory, mapped into every GPU; rounded up to a power of two, given back to a pool at the end:
/// making it anew costs a millisecond. `ordinal` is a GPU that is in use anyway: the runtime wants a context to make it
/// in. Threads: any; the runtime is called from a thread of skua's own. Fails: GpuError.
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
