// The words for kinds, localities and bases.
#include "names.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace skua {
namespace {

template <class Value>
using Name = std::pair<Value, std::string_view>;

constexpr std::array<Name<LinkKind>, 5> link_kinds = {{{LinkKind::unknown, "unknown"},
                                                       {LinkKind::package, "package"},
                                                       {LinkKind::xgmi, "xgmi"},
                                                       {LinkKind::nvlink, "nvlink"},
                                                       {LinkKind::pcie, "pcie"}}};

constexpr std::array<Name<Locality>, 4> localities = {{{Locality::switch_, "switch"},
                                                       {Locality::bridge, "bridge"},
                                                       {Locality::node, "node"},
                                                       {Locality::system, "system"}}};

constexpr std::array<Name<Basis>, 7> bases = {{{Basis::assumed, "assumed"},
                                               {Basis::file, "file"},
                                               {Basis::kfd, "kfd"},
                                               {Basis::rocm_smi, "rocm_smi"},
                                               {Basis::nvml, "nvml"},
                                               {Basis::hwloc, "hwloc"},
                                               {Basis::measured, "measured"}}};

template <class Names, class Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "unknown";
}

template <class Value, class Names>
std::optional<Value> value_in(const Names& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(LinkKind kind) {
  return name_in(link_kinds, kind);
}
std::string_view name_of(Locality locality) {
  return name_in(localities, locality);
}
std::string_view name_of(Basis basis) {
  return name_in(bases, basis);
}

std::optional<LinkKind> link_kind_from(std::string_view name) {
  return value_in<LinkKind>(link_kinds, name);
}
std::optional<Locality> locality_from(std::string_view name) {
  return value_in<Locality>(localities, name);
}
std::optional<Basis> basis_from(std::string_view name) {
  return value_in<Basis>(bases, name);
}

std::string describe(const Topology& topology, GpuId gpu) {
  std::string text = fmt::format("gpu {}", gpu.index);
  if (gpu.index >= topology.gpus.size()) return text;
  const Gpu& details = topology.gpus[gpu.index];
  if (!details.pci) return text;
  text += " (" + details.pci->to_text();
  if (details.partition) text += fmt::format(" partition {}", *details.partition);
  return text + ")";
}

}  // namespace skua
