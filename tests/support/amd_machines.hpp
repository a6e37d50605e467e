// Machines with AMD's GPUs: what HIP tells of them, and the files that the driver shows.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua::test {

/// Its GPUs are alike. Numbers are of one of them, or of one partition of it, as HIP shows each by itself.
struct AmdMachine {
  std::string name;
  std::string arch;
  std::uint32_t compute_units = 0;  ///< as HIP counts them: pairs on Radeons
  std::uint32_t xcds = 1;
  std::uint32_t shader_engines = 1;  ///< of all XCDs together
  std::uint32_t hardware_queues = 24;
  std::vector<std::string> addresses{};  ///< as HIP says them: the function is the partition
  std::string kfd{};                     ///< for KfdFixture; as Linux has it since 6.8

  /// What skua reads of its files.
  Topology topology() const;
};

/// MI210, MI250X, MI300A, MI300X whole and in partitions, MI308X, MI355X, and a Radeon.
const std::vector<AmdMachine>& amd_machines();
const AmdMachine& amd_machine(const std::string& name);

/// For GoogleTest.
inline void PrintTo(const AmdMachine& machine, std::ostream* out) {
  *out << machine.name;
}

/// For INSTANTIATE_TEST_SUITE_P.
inline const auto name_of_machine = [](const auto& info) { return info.param.name; };

}  // namespace skua::test
