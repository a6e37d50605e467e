// Turns NVML's answers into GPUs and links.
#include "nvml.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <graph/switched_links.hpp>

namespace skua {
namespace {

/// One link, one direction, by NVML's number for the generation.
std::optional<double> gb_per_s_of(const NvlinkFacts& link) {
  switch (link.version.value_or(0)) {
    case 1:  // NVLink 1
      return 20;
    case 2:  // 2.0
    case 3:  // 2.2
    case 4:  // 3.0
    case 5:  // 3.1
    case 6:  // 4.0
      return 25;
    case 7:  // 5.0
      return 50;
    default:
      return std::nullopt;
  }
}

/// Cores that one multiprocessor has, by generation; NVML counts cores only.
std::optional<std::uint32_t> cores_per_unit(const NvmlGpu& gpu) {
  const std::uint32_t major = gpu.capability_major.value_or(0);
  const std::uint32_t minor = gpu.capability_minor.value_or(0);
  if ((major == 6 && minor == 0) || major == 7 || (major == 8 && minor == 0)) return 64;
  if ((major >= 8 && major <= 10) || major == 12) return 128;
  return std::nullopt;
}

Gpu gpu_from(const NvmlGpu& facts) {
  Gpu gpu;
  gpu.name = facts.name.empty() ? "NVIDIA GPU" : facts.name;
  gpu.pci = facts.pci;
  gpu.memory_bytes = facts.memory_bytes;
  if (facts.capability_major && facts.capability_minor) {
    gpu.arch = fmt::format("sm_{}{}", *facts.capability_major, *facts.capability_minor);
  }
  const auto per_unit = cores_per_unit(facts);
  if (facts.cores && per_unit && *facts.cores > 0 && *facts.cores % *per_unit == 0)
    gpu.compute_units = *facts.cores / *per_unit;
  return gpu;
}

struct Bundle {
  std::uint32_t count = 0;
  std::optional<double> gb_per_s = 0.0;

  void add(const NvlinkFacts& link) {
    const auto one = gb_per_s_of(link);
    ++count;
    gb_per_s = one && gb_per_s ? std::optional(*gb_per_s + *one) : std::nullopt;
  }
};

Bundle links_to(const NvmlGpu& from, const NvmlGpu& to) {
  Bundle bundle;
  for (const NvlinkFacts& link : from.nvlinks) {
    if (link.peer != NvlinkPeer::switch_ && link.peer_pci && link.peer_pci == to.pci) bundle.add(link);
  }
  return bundle;
}

Bundle links_to_switches(const NvmlGpu& gpu) {
  Bundle bundle;
  for (const NvlinkFacts& link : gpu.nvlinks) {
    if (link.peer == NvlinkPeer::switch_) bundle.add(link);
  }
  return bundle;
}

/// Two GPUs on switches reach each other with all their links at once: to software the switch is not there.
Bundle narrower(const Bundle& a, const Bundle& b) {
  return a.count <= b.count ? a : b;
}

Link link_between(const NvmlFacts& facts, std::uint32_t from, std::uint32_t to) {
  Link link;
  link.from = GpuId{from};
  link.to = GpuId{to};
  Bundle bundle = links_to(facts.gpus[from], facts.gpus[to]);
  if (bundle.count == 0) {
    bundle = narrower(links_to_switches(facts.gpus[from]), links_to_switches(facts.gpus[to]));
  }
  if (bundle.count > 0) {
    link.kind = LinkKind::nvlink;
    link.hops = hops_of_joined_pair;
    link.count = bundle.count;
    link.bandwidth_gb_per_s = bundle.gb_per_s;
  } else {
    link.kind = LinkKind::pcie;
    const std::size_t place = std::size_t{from} * facts.gpus.size() + to;
    if (place < facts.localities.size()) link.locality = facts.localities[place];
  }
  return link;
}

}  // namespace

Reading nvml_reading_from(const NvmlFacts& facts) {
  Reading reading;
  reading.basis = Basis::nvml;
  reading.unjoined = LinkKind::pcie;
  reading.tells_hives = false;
  if (facts.failure) reading.notes.push_back("nvml: " + *facts.failure);
  for (const std::string& gpu : facts.lost) reading.notes.push_back("nvml: " + gpu + "; it is left out");
  const auto count = static_cast<std::uint32_t>(facts.gpus.size());
  for (std::uint32_t from = 0; from < count; ++from) {
    reading.add(gpu_from(facts.gpus[from]), facts.gpus[from].uuid);
    if (facts.gpus[from].is_partitioned) {
      reading.notes.push_back(fmt::format("nvml: MIG is on for {}; it is shown as a whole", reading.gpus[from].name));
    }
    for (std::uint32_t to = 0; to < count; ++to) {
      const Link link = from == to ? Link() : link_between(facts, from, to);
      // Without NVLink the way may still lead over other GPUs, which the graph finds when nothing is stated.
      const bool has_nvlinks = !facts.gpus[from].nvlinks.empty();
      if (from != to && (link.kind == LinkKind::nvlink || !has_nvlinks)) reading.links.push_back(link);
    }
  }
  return reading;
}

Reading probe_nvml(const std::string& library) {
  const auto facts = ask_nvml(library);
  if (facts) return nvml_reading_from(*facts);
  Reading nothing;
  nothing.basis = Basis::nvml;
  return nothing;
}

}  // namespace skua
