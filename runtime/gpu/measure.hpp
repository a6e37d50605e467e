// What the links of this machine really carry, beside what the graph declares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// One direction between two GPUs, or between the host and one.
struct MeasuredLink {
  std::optional<GpuId> from;                          ///< nullopt: the host
  std::optional<GpuId> to;                            ///< nullopt: the host
  std::optional<double> bandwidth_gb_per_s;           ///< of large copies, 10^9 bytes a second
  std::optional<double> latency_s;                    ///< of a copy of 8 bytes, behind others on its stream
  std::optional<double> declared_bandwidth_gb_per_s;  ///< as the graph has it
  std::string note;  ///< for people: a copy that did not arrive, a link well below what it declares
  /// Whether the bandwidth is that of the runtime's own copies, by an engine for them, and not of a kernel's loads and
  /// stores, since no kernel could make the copy.
  bool by_engine = false;

  bool operator==(const MeasuredLink&) const = default;
};

/// Copies between every pair of GPUs that the runtime sees, and between each and the host: by a kernel of the GPU that
/// is given the data, which reads them, as a stolen chunk's body does; to the host by one that writes. GPUs are joined
/// to the Topology by address; those that the runtime does not see are left out. Blocks: some 100 ms a pair. Fails:
/// InputError when skua was built without GPUs, or the runtime sees none.
std::vector<MeasuredLink> measure_links(const Topology& topology);

/// Whether a copy has not come back and may hang for good. A GPU's runtime may wait for it while exit() runs, so that
/// the process is better ended without.
bool is_measuring_stuck() noexcept;

/// A table, and JSON: {"measured":[{"from":0|null,"to":1|null,...}]} with null for the host.
std::string to_text(const std::vector<MeasuredLink>& links);
std::string to_json(const std::vector<MeasuredLink>& links);

}  // namespace skua
