// Memory that every GPU and the host can write, kept between Jobs: making it anew costs a millisecond.
#pragma once

#include <cstddef>
#include <memory>

namespace skua {

/// Page-locked host memory, mapped into every GPU; rounded up to a power of two, given back to a pool at the end.
/// Threads: any.
/// Fails: GpuError.
std::shared_ptr<void> allocate_shared_memory(std::size_t bytes);

/// Puts a block of this size into the pool.
/// Fails: GpuError.
void prepare_shared_memory(std::size_t bytes);

}  // namespace skua
