// Some cores of the host: runs the granules of a chunk on them.
#pragma once

#include <memory>
#include <vector>

#include <skua/detail/cpu_set.hpp>
#include <skua/device.hpp>

namespace skua {

/// Runs a chunk's granules, until it is dropped; `done` receives those that were run whole, also where it throws: in
/// order, neighbours joined.
/// Threads: one at a time; it is the first of the cores.  Blocks: until all have been run.  Fails: what the body
/// throws.
class Cores {
 public:
  virtual ~Cores() = default;
  virtual void run(const Kernel& kernel, const Chunk& chunk, std::vector<GranuleRange>& done) = 0;
};

/// `count` cores among `cpus`; with oneTBB where there is more than one, and one core where there is no oneTBB.
std::unique_ptr<Cores> make_cores(unsigned count, const CpuSet& cpus);

}  // namespace skua
