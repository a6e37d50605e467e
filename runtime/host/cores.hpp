// Some cores of the host: runs the granules of a chunk on them.
#pragma once

#include <memory>
#include <vector>

#include <skua/detail/cpu_set.hpp>
#include <skua/device.hpp>

#include "granule_counts.hpp"

namespace skua {

/// Runs a chunk's granules (of a kernel that takes pieces: a run of them in one call), until it is dropped; `done`
/// receives those that were run whole, also where it throws: in order, neighbours joined. `counts` are kept up to date
/// meanwhile. Returns how long the cores stood still, on average, in nanoseconds.
/// Threads: one at a time; it is the first of the cores.  Blocks: until all have been run.  Fails: what the body
/// throws.
class Cores {
 public:
  virtual ~Cores() = default;
  virtual std::int64_t run(const Kernel& kernel, const Chunk& chunk, GranuleCounts& counts,
                           std::vector<GranuleRange>& done) = 0;
};

/// Whether a device can use more than one core: with oneTBB it can.
bool can_use_several_cores() noexcept;

/// `count` cores among `cpus`; with oneTBB where there is more than one, and one core where there is no oneTBB.
std::unique_ptr<Cores> make_cores(unsigned count, const CpuSet& cpus);

}  // namespace skua
