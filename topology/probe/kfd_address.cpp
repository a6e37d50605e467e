// Tells partitions from PCI functions.
#include "kfd_address.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace skua {
namespace {

/// GPUs from gfx942 on have compute partitions.
constexpr std::uint64_t partitionable_version_min = 90402;

struct Location {
  PciAddress device;  ///< with function 0
  std::uint8_t function = 0;
  std::uint32_t upper = 0;  ///< bits 31:28
  std::uint64_t unique_id = 0;
  bool is_partitionable = false;
};

std::optional<Location> location_of(const KfdNode& node) {
  const auto id = property(node.properties, "location_id");
  const std::uint64_t domain = property(node.properties, "domain").value_or(0);
  if (!id || *id > 0xffffffff || domain > 0xffffffff) return std::nullopt;
  Location location;
  location.device = {static_cast<std::uint32_t>(domain), static_cast<std::uint8_t>(*id >> 8 & 0xff),
                     static_cast<std::uint8_t>(*id >> 3 & 0x1f), 0};
  location.function = static_cast<std::uint8_t>(*id & 0x7);
  location.upper = static_cast<std::uint32_t>(*id >> 28);
  location.unique_id = property(node.properties, "unique_id").value_or(0);
  location.is_partitionable = property(node.properties, "gfx_target_version").value_or(0) >= partitionable_version_min;
  return location;
}

class AddressReader {
 public:
  AddressReader(const std::vector<const KfdNode*>& gpus, std::vector<std::string>& notes)
      : gpus_(gpus), notes_(notes) {}
  std::vector<KfdAddress> read();

 private:
  using Members = std::vector<std::size_t>;
  void place(const Members& members);
  bool is_one_gpu(const Members& members) const;
  void number_in_order(const Members& members);
  void note_claims();
  void note_shared_ids();

  const std::vector<const KfdNode*>& gpus_;
  std::vector<std::string>& notes_;
  std::vector<std::optional<Location>> locations_;
  std::vector<KfdAddress> addresses_;
};

/// Members share domain, bus and device. Partitions share their id too; functions that are GPUs of their own do not,
/// and no GPU that has partitions comes in functions.
bool AddressReader::is_one_gpu(const Members& members) const {
  if (members.size() == 1) {
    const Location& only = *locations_[members.front()];
    return only.upper > 0 || (only.function > 0 && only.is_partitionable);
  }
  std::set<std::uint64_t> ids;
  bool are_partitionable = true;
  for (const std::size_t member : members) {
    ids.insert(locations_[member]->unique_id);
    are_partitionable = are_partitionable && locations_[member]->is_partitionable;
  }
  return ids.size() == 1 || are_partitionable;
}

void AddressReader::number_in_order(const Members& members) {
  for (std::uint32_t partition = 0; partition < members.size(); ++partition) {
    addresses_[members[partition]].partition = partition;
  }
  notes_.push_back(fmt::format("kfd: nodes {} to {} are partitions of {} without numbers; counted in node order",
                               gpus_[members.front()]->number, gpus_[members.back()]->number,
                               addresses_[members.front()].pci->to_text()));
}

void AddressReader::place(const Members& members) {
  const bool one_gpu = is_one_gpu(members);
  const bool in_upper_bits =
      std::any_of(members.begin(), members.end(), [&](std::size_t member) { return locations_[member]->upper > 0; });
  std::set<std::uint32_t> partitions;
  for (const std::size_t member : members) {
    const Location& location = *locations_[member];
    KfdAddress& address = addresses_[member];
    address.pci = location.device;
    if (!one_gpu) {
      address.pci->function = location.function;
      continue;
    }
    address.partition = in_upper_bits ? location.upper : location.function;
    partitions.insert(*address.partition);
  }
  if (!one_gpu || partitions.size() == members.size()) return;
  const std::uint64_t id = locations_[members.front()]->unique_id;
  const bool share_a_known_id = id != 0 && std::all_of(members.begin(), members.end(), [&](std::size_t member) {
                                  return locations_[member]->unique_id == id;
                                });
  if (partitions.size() == 1 && share_a_known_id) {
    number_in_order(members);
  } else if (partitions.size() == 1) {
    for (const std::size_t member : members) addresses_[member].partition.reset();
  }
}

void AddressReader::note_claims() {
  std::map<std::tuple<PciAddress, std::uint32_t>, std::size_t> owners;
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    if (!addresses_[gpu].pci) {
      notes_.push_back(fmt::format("kfd: node {} has no location_id that is an address", gpus_[gpu]->number));
      continue;
    }
    const auto [owner, is_first] =
        owners.emplace(std::tuple(*addresses_[gpu].pci, addresses_[gpu].partition.value_or(0)), gpu);
    if (is_first) continue;
    notes_.push_back(fmt::format("kfd: nodes {} and {} claim one address, {}", gpus_[owner->second]->number,
                                 gpus_[gpu]->number, addresses_[gpu].pci->to_text()));
  }
}

void AddressReader::note_shared_ids() {
  std::map<std::uint64_t, std::size_t> owners;
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    if (!locations_[gpu] || locations_[gpu]->unique_id == 0) continue;
    const auto [owner, is_first] = owners.emplace(locations_[gpu]->unique_id, gpu);
    if (is_first || addresses_[owner->second].pci == addresses_[gpu].pci) continue;
    notes_.push_back(fmt::format("kfd: nodes {} and {} share their unique_id but not their address; taken as two GPUs",
                                 gpus_[owner->second]->number, gpus_[gpu]->number));
  }
}

std::vector<KfdAddress> AddressReader::read() {
  addresses_.resize(gpus_.size());
  std::map<PciAddress, Members> devices;
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    locations_.push_back(location_of(*gpus_[gpu]));
    if (locations_.back()) devices[locations_.back()->device].push_back(gpu);
  }
  for (const auto& [device, members] : devices) place(members);
  note_claims();
  note_shared_ids();
  return std::move(addresses_);
}

}  // namespace

std::vector<KfdAddress> kfd_addresses(const std::vector<const KfdNode*>& gpus, std::vector<std::string>& notes) {
  return AddressReader(gpus, notes).read();
}

}  // namespace skua
