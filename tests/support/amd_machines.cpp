// The table of machines.
#include "support/amd_machines.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include <probe/kfd.hpp>
#include <probe/merge.hpp>

#include "support/kfd_fixture.hpp"

namespace skua::test {
namespace {

/// What the driver's files say beside what HIP says.
struct Silicon {
  int version = 0;               ///< gfx_target_version
  int simds = 0;                 ///< in a compute unit
  std::uint32_t units = 1;       ///< of the driver's in one of HIP's
  std::uint32_t arrays = 1;      ///< in a shader engine
  std::uint32_t partitions = 1;  ///< of each GPU
};

/// Two GPUs, each near a CPU of its own.
AmdMachine machine(AmdMachine made, const Silicon& silicon) {
  made.kfd = "cpu 0\ncpu 1\n";
  int node = 2;
  for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
    for (std::uint32_t partition = 0; partition < silicon.partitions; ++partition) {
      const std::string address = fmt::format("0000:{:02x}:00.{}", 0x0c + 0x80 * gpu, partition);
      made.addresses.push_back(address);
      made.kfd += fmt::format(
          "gpu {} at {} near {} gfx_target_version={} simd_count={} simd_per_cu={} array_count={} "
          "simd_arrays_per_engine={} num_xcc={} num_cp_queues={} unique_id={}\n",
          node++, address, gpu, silicon.version, made.compute_units * silicon.units * silicon.simds, silicon.simds,
          made.shader_engines * silicon.arrays, silicon.arrays, made.xcds, made.hardware_queues, 7000 + gpu);
    }
  }
  return made;
}

}  // namespace

Topology AmdMachine::topology() const {
  return merge({probe_kfd(KfdFixture::from_text(kfd).nodes())}).topology;
}

const std::vector<AmdMachine>& amd_machines() {
  static const std::vector<AmdMachine> machines = {
      machine({"Mi210", "gfx90a", 104, 1, 8, 24}, {90010, 4}),
      machine({"Mi250x", "gfx90a", 110, 1, 8, 24}, {90010, 4}),
      machine({"Mi300a", "gfx942", 228, 6, 24, 24}, {90402, 4}),
      machine({"Mi300x", "gfx942", 304, 8, 32, 24}, {90402, 4}),
      machine({"Mi300xInPartitions", "gfx942", 38, 1, 4, 24}, {90402, 4, 1, 1, 8}),
      machine({"Mi308x", "gfx942", 80, 4, 16, 24}, {90402, 4}),
      machine({"Mi355x", "gfx950", 256, 8, 32, 24}, {90500, 4}),
      machine({"Radeon", "gfx1100", 48, 1, 6, 8}, {110000, 2, 2, 2}),
  };
  return machines;
}

const AmdMachine& amd_machine(const std::string& name) {
  const auto& all = amd_machines();
  const auto found = std::find_if(all.begin(), all.end(), [&](const AmdMachine& one) { return one.name == name; });
  if (found == all.end()) throw std::runtime_error("no machine " + name);
  return *found;
}

}  // namespace skua::test
