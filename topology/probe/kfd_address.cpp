// Reads the addresses of KFD nodes, and notes those that contradict one another.
#include "kfd_address.hpp"

#include <map>
#include <tuple>

#include <fmt/format.h>

#include <graph/gpu_places.hpp>

namespace skua {
namespace {

/// GPUs for computing have compute partitions from gfx942 on; Radeons, whose numbers are higher, have none.
bool is_partitionable(std::uint64_t gfx_target_version) {
  return gfx_target_version >= 90402 && gfx_target_version < 100000;
}

std::optional<WrittenPlace> written_place_of(const KfdNode& node) {
  const auto id = property(node.properties, "location_id");
  const std::uint64_t domain = property(node.properties, "domain").value_or(0);
  if (!id || *id > 0xffffffff || domain > 0xffffffff) return std::nullopt;
  WrittenPlace written = written_place_from_bdf(domain << 32 | *id);
  written.unique_id = property(node.properties, "unique_id").value_or(0);
  written.is_partitionable = is_partitionable(property(node.properties, "gfx_target_version").value_or(0));
  return written;
}

class AddressReader {
 public:
  AddressReader(const std::vector<const KfdNode*>& gpus, std::vector<std::string>& notes)
      : gpus_(gpus), notes_(notes) {}
  std::vector<KfdAddress> read();

 private:
  void note_counted(const std::vector<std::size_t>& counted);
  void note_claims();
  void note_shared_ids();

  const std::vector<const KfdNode*>& gpus_;
  std::vector<std::string>& notes_;
  std::vector<KfdAddress> addresses_;
};

/// `counted` are partitions of one GPU.
void AddressReader::note_counted(const std::vector<std::size_t>& counted) {
  notes_.push_back(fmt::format("kfd: nodes {} to {} are partitions of {} without numbers; counted in node order",
                               gpus_[counted.front()]->number, gpus_[counted.back()]->number,
                               addresses_[counted.front()].pci->to_text()));
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
    const std::uint64_t id = property(gpus_[gpu]->properties, "unique_id").value_or(0);
    if (!addresses_[gpu].pci || id == 0) continue;
    const auto [owner, is_first] = owners.emplace(id, gpu);
    if (is_first || addresses_[owner->second].pci == addresses_[gpu].pci) continue;
    notes_.push_back(fmt::format("kfd: nodes {} and {} share their unique_id but not their address; taken as two GPUs",
                                 gpus_[owner->second]->number, gpus_[gpu]->number));
  }
}

std::vector<KfdAddress> AddressReader::read() {
  std::vector<WrittenPlace> written;
  std::vector<std::size_t> told;
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    const auto place = written_place_of(*gpus_[gpu]);
    if (!place) continue;
    written.push_back(*place);
    told.push_back(gpu);
  }
  addresses_.resize(gpus_.size());
  const std::vector<GpuPlace> places = gpu_places(written);
  std::map<PciAddress, std::vector<std::size_t>> counted;
  for (std::size_t i = 0; i < places.size(); ++i) {
    addresses_[told[i]] = {places[i].pci, places[i].partition};
    if (places[i].is_counted) counted[places[i].pci].push_back(told[i]);
  }
  for (const auto& [device, members] : counted) note_counted(members);
  note_claims();
  note_shared_ids();
  return std::move(addresses_);
}

}  // namespace

std::vector<KfdAddress> kfd_addresses(const std::vector<const KfdNode*>& gpus, std::vector<std::string>& notes) {
  return AddressReader(gpus, notes).read();
}

}  // namespace skua
