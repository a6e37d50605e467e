// The graph of a machine: GPUs, NUMA nodes, and what joins them. Facts only; an unknown one is an empty optional.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/cpu_set.hpp>
#include <skua/detail/installed_probe.hpp>
#include <skua/detail/pci_address.hpp>

namespace skua {

/// Where a fact comes from. `assumed` is skua's own guess by class of hardware, never a reading.
enum class Basis { assumed, file, kfd, rocm_smi, nvml, hwloc, measured };

/// What carries data between two GPUs. xgmi and nvlink also where several such links must be crossed;
/// package: two partitions of one GPU.
enum class LinkKind { unknown, package, xgmi, nvlink, pcie };

/// The nearest thing that two PCI devices have in common: a PCIe switch, a host bridge, a NUMA node, or the system.
enum class Locality { switch_, bridge, node, system };

/// Position of a GPU in a Topology: the runtime's ordinal order where a runtime is there.
struct GpuId {
  std::uint32_t index = 0;
  auto operator<=>(const GpuId&) const = default;
};

/// Number that the operating system gives to a NUMA node.
struct NumaId {
  std::uint32_t index = 0;
  auto operator<=>(const NumaId&) const = default;
};

struct Gpu {
  std::string name;
  std::optional<std::string> arch;  ///< "gfx90a", "sm_90"
  std::optional<PciAddress> pci;    ///< of the GPU, the same for all its partitions
  std::optional<std::uint32_t> partition;
  std::optional<std::uint32_t> hive;  ///< numbered from 0 in GPU order
  std::optional<NumaId> numa_node;
  std::optional<CpuSet> cpus;  ///< near it, allowed or not
  std::optional<std::uint32_t> compute_units;
  std::optional<std::uint32_t> xcds;             ///< dies of AMD's that compute; of a partition: its own
  std::optional<std::uint32_t> shader_engines;   ///< of all its XCDs together
  std::optional<std::uint32_t> hardware_queues;  ///< that compute, for all processes together
  std::optional<bool> integrated;                ///< beside CPUs on their die, for a screen and not for computing
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::string> hidden_by;  ///< the variable or setting that hides it from the runtime
  Basis basis = Basis::assumed;          ///< the first source that saw it

  bool operator==(const Gpu&) const = default;
};

/// From one GPU to another; one direction.
struct Link {
  GpuId from;
  GpuId to;
  LinkKind kind = LinkKind::unknown;
  std::optional<std::uint32_t> count;  ///< parallel links of a directly joined pair
  std::optional<std::uint32_t> hops;   ///< links crossed on the shortest way
  std::optional<std::uint32_t> rank;   ///< from 0, the nearest, among the links of its kind from this GPU, by weight
  std::optional<double> bandwidth_gb_per_s;          ///< declared, 10^9 bytes a second
  std::optional<double> assumed_bandwidth_gb_per_s;  ///< of its class, where none is declared
  std::optional<Locality> locality;                  ///< for PCIe pairs
  Basis basis = Basis::assumed;

  bool operator==(const Link&) const = default;
};

struct NumaNode {
  NumaId id;
  CpuSet cpus;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint32_t> package;

  bool operator==(const NumaNode&) const = default;
};

/// The CPUs that this process may use.
struct HostCpus {
  std::optional<CpuSet> allowed;     ///< by affinity mask and cpuset; unknown for described machines
  std::optional<double> quota_cpus;  ///< CPU time a second that the cgroup grants; nothing: no limit
  /// min(|allowed|, ceil(quota)), at least 1; 1 when unknown.
  unsigned usable_count() const noexcept;

  bool operator==(const HostCpus&) const = default;
};

/// A machine. A value: copy it, compare it, read it from any thread.
class Topology {
 public:
  std::vector<Gpu> gpus;
  std::vector<NumaNode> numa_nodes;
  HostCpus host;
  std::vector<Link> links;         ///< one entry per ordered pair of different GPUs, by from, then to
  std::vector<std::string> notes;  ///< what could not be read, or where sources disagree; for people

  /// The link between two different GPUs. Returns nullptr when the pair is not recorded.
  const Link* link(GpuId from, GpuId to) const noexcept;

  /// All other GPUs, nearest first: same package, then by hops, then by bandwidth (declared or else assumed),
  /// then by locality, then by rank; equals in the order of ids counted on from `gpu`, so that thieves start at
  /// different victims.
  std::vector<GpuId> nearest(GpuId gpu) const;

  /// Time that `bytes` take over the link, without latency, by declared or else assumed bandwidth.
  /// Units: seconds. Returns nullopt when neither is there.
  std::optional<double> transfer_seconds(GpuId from, GpuId to, std::uint64_t bytes) const noexcept;

  bool operator==(const Topology&) const = default;
};

/// As people read it: a table of GPUs, matrices of kind, hops and bandwidth, NUMA nodes, notes.
std::string to_text(const Topology& topology);
/// Schema skua.topology/1. from_json(to_json(t)) == t.
std::string to_json(const Topology& topology);
/// For Graphviz: hives as clusters, line width by bandwidth.
std::string to_dot(const Topology& topology);
/// Reads to_json's form. `source` names the text in errors (a file name, say).
/// Fails: InputError that names the source and line, or the field at fault.
Topology topology_from_json(const std::string& json, const std::string& source);

}  // namespace skua
