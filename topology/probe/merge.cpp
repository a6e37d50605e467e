// Joins readings by address and partition, and says where they disagree.
#include "merge.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <graph/graph.hpp>
#include <graph/names.hpp>

namespace skua {
namespace {

/// One note for each fact and pair of sources, however many devices are concerned.
class Disagreements {
 public:
  void add(std::string_view fact, Basis kept, Basis other, const std::string& example) {
    Entry& entry = entries_[{std::string(fact), kept, other}];
    if (++entry.count == 1) entry.example = example;
  }

  void append_to(std::vector<std::string>& notes) const {
    for (const auto& [key, entry] : entries_) {
      const auto& [fact, kept, other] = key;
      const std::string more = entry.count > 1 ? fmt::format(", and {} times more", entry.count - 1) : "";
      if (kept == other) {
        notes.push_back(fmt::format("{}: link weights contradict the links on the {} of {}{}; the links are kept",
                                    name_of(kept), fact, entry.example, more));
      } else {
        notes.push_back(fmt::format("{} and {} disagree on the {} of {}{}; {} is kept", name_of(kept), name_of(other),
                                    fact, entry.example, more, name_of(kept)));
      }
    }
  }

 private:
  struct Entry {
    std::size_t count = 0;
    std::string example;
  };
  std::map<std::tuple<std::string, Basis, Basis>, Entry> entries_;
};

class Merger {
 public:
  void add(const Reading& reading);
  Merged finish();

 private:
  std::size_t place_of(const Gpu& gpu) const;
  void join(std::size_t place, const Gpu& gpu);
  void share_locality(const Gpu& gpu);
  void compare_links();

  template <class Fact>
  void join_fact(std::string_view name, std::size_t place, std::optional<Fact>& kept, const std::optional<Fact>& other,
                 Basis basis) {
    if (!kept) {
      kept = other;
    } else if (other && *other != *kept) {
      disagreements_.add(name, merged_.topology.gpus[place].basis, basis,
                         fmt::format("{}: {} or {}", describe(merged_.topology, id(place)), text(*kept), text(*other)));
    }
  }

  static GpuId id(std::size_t place) { return GpuId{static_cast<std::uint32_t>(place)}; }
  static std::string text(NumaId node) { return fmt::format("{}", node.index); }
  static std::string text(const std::string& word) { return word; }
  template <class Number>
  static std::string text(Number number) {
    return fmt::format("{}", number);
  }

  Merged merged_;
  std::vector<Link> links_;
  std::optional<Basis> links_basis_;
  LinkKind unjoined_ = LinkKind::unknown;
  bool hives_told_ = true;
  Disagreements disagreements_;
};

/// The place of the GPU with this address and partition, or the place at which a new one would stand.
std::size_t Merger::place_of(const Gpu& gpu) const {
  const auto& gpus = merged_.topology.gpus;
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& known) {
    return gpu.pci && known.pci == gpu.pci && known.partition.value_or(0) == gpu.partition.value_or(0);
  });
  return static_cast<std::size_t>(found - gpus.begin());
}

void Merger::join(std::size_t place, const Gpu& gpu) {
  Gpu& kept = merged_.topology.gpus[place];
  if (kept.name.empty() || kept.name == kept.arch) kept.name = gpu.name.empty() ? kept.name : gpu.name;
  join_fact("architecture", place, kept.arch, gpu.arch, gpu.basis);
  join_fact("NUMA node", place, kept.numa_node, gpu.numa_node, gpu.basis);
  join_fact("compute units", place, kept.compute_units, gpu.compute_units, gpu.basis);
  join_fact("XCDs", place, kept.xcds, gpu.xcds, gpu.basis);
  join_fact("shader engines", place, kept.shader_engines, gpu.shader_engines, gpu.basis);
  join_fact("hardware queues", place, kept.hardware_queues, gpu.hardware_queues, gpu.basis);
  if (!kept.integrated) kept.integrated = gpu.integrated;
  if (!kept.memory_bytes) kept.memory_bytes = gpu.memory_bytes;
  if (!kept.cpus) kept.cpus = gpu.cpus;
}

/// The PCI device of a partitioned GPU appears once in other sources; where it is holds for all its partitions.
void Merger::share_locality(const Gpu& gpu) {
  for (Gpu& other : merged_.topology.gpus) {
    if (!gpu.pci || other.pci != gpu.pci) continue;
    if (!other.numa_node) other.numa_node = gpu.numa_node;
    if (!other.cpus) other.cpus = gpu.cpus;
  }
}

void Merger::add(const Reading& reading) {
  Topology& topology = merged_.topology;
  const bool is_first = topology.gpus.empty() && !reading.gpus.empty();
  if (is_first) {
    unjoined_ = reading.unjoined;
    links_basis_ = reading.basis;
    hives_told_ = reading.tells_hives;
  }
  std::vector<std::size_t> places;
  for (std::size_t index = 0; index < reading.gpus.size(); ++index) {
    const Gpu& gpu = reading.gpus[index];
    // Two devices of one source never become one, even where they claim one address.
    const std::size_t place = is_first ? topology.gpus.size() : place_of(gpu);
    places.push_back(place);
    if (place < topology.gpus.size()) {
      join(place, gpu);
      if (!merged_.uuids[place]) merged_.uuids[place] = reading.uuids[index];
    } else {
      topology.gpus.push_back(gpu);
      merged_.uuids.push_back(reading.uuids[index]);
    }
    share_locality(gpu);
  }
  for (Link link : reading.links) {
    link.from = id(places[link.from.index]);
    link.to = id(places[link.to.index]);
    link.basis = reading.basis;
    links_.push_back(link);
  }
  // The operating system's numbers, where a source has them, are the ones to bind memory and threads by.
  if (reading.basis == Basis::hwloc && !reading.numa_nodes.empty()) topology.numa_nodes = reading.numa_nodes;
  if (topology.numa_nodes.empty()) topology.numa_nodes = reading.numa_nodes;
  topology.notes.insert(topology.notes.end(), reading.notes.begin(), reading.notes.end());
}

void Merger::compare_links() {
  const Topology& topology = merged_.topology;
  for (const Link& other : links_) {
    const Link* kept = topology.link(other.from, other.to);
    if (kept == nullptr) continue;
    const std::string pair = fmt::format("{} to {}", describe(topology, other.from), describe(topology, other.to));
    if (kept->basis == other.basis) {
      // One source against itself: the hops that it states, and the direct links that it lists.
      if (kept->kind != other.kind || !kept->hops || !other.hops || kept->hops == other.hops) continue;
      disagreements_.add("hops", kept->basis, other.basis, fmt::format("{}: {} or {}", pair, *kept->hops, *other.hops));
      continue;
    }
    if (other.kind != kept->kind && other.kind != LinkKind::unknown) {
      disagreements_.add("kind", kept->basis, other.basis,
                         fmt::format("{}: {} or {}", pair, name_of(kept->kind), name_of(other.kind)));
      continue;
    }
    const auto compare = [&](std::string_view fact, const auto& ours, const auto& theirs) {
      if (!ours || !theirs || *ours == *theirs) return;
      disagreements_.add(fact, kept->basis, other.basis, fmt::format("{}: {} or {}", pair, *ours, *theirs));
    };
    compare("hops", kept->hops, other.hops);
    compare("link count", kept->count, other.count);
    compare("bandwidth", kept->bandwidth_gb_per_s, other.bandwidth_gb_per_s);
  }
}

Merged Merger::finish() {
  Topology& topology = merged_.topology;
  complete_links(topology, links_, unjoined_, links_basis_.value_or(Basis::assumed));
  if (!hives_told_) number_hives_by_links(topology);
  compare_links();
  disagreements_.append_to(topology.notes);
  return std::move(merged_);
}

}  // namespace

Merged merge(const std::vector<Reading>& readings) {
  Merger merger;
  for (const Reading& reading : readings) merger.add(reading);
  return merger.finish();
}

}  // namespace skua
