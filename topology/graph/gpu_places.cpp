// Tells partitions from PCI functions.
#include "gpu_places.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace skua {
namespace {

using Members = std::vector<std::size_t>;

/// Members share domain, bus and device. Partitions share their id too; functions that are GPUs of their own do not,
/// and no GPU that has partitions comes in functions.
bool is_one_gpu(const std::vector<WrittenPlace>& written, const Members& members) {
  if (members.size() == 1) {
    const WrittenPlace& only = written[members.front()];
    return only.upper_bits > 0 || (only.pci.function > 0 && only.is_partitionable);
  }
  std::set<std::uint64_t> ids;
  bool are_partitionable = true;
  for (const std::size_t member : members) {
    ids.insert(written[member].unique_id);
    are_partitionable = are_partitionable && written[member].is_partitionable;
  }
  return ids.size() == 1 || are_partitionable;
}

/// Partitions whose numbers are all the same are counted where their id shows that they are of one GPU; otherwise they
/// have none.
void number_equals(const std::vector<WrittenPlace>& written, const Members& members, std::vector<GpuPlace>& places) {
  const std::uint64_t id = written[members.front()].unique_id;
  const bool share_a_known_id = id != 0 && std::all_of(members.begin(), members.end(), [&](std::size_t member) {
                                  return written[member].unique_id == id;
                                });
  for (std::uint32_t turn = 0; turn < members.size(); ++turn) {
    GpuPlace& place = places[members[turn]];
    place.partition = share_a_known_id ? std::optional(turn) : std::nullopt;
    place.is_counted = share_a_known_id;
  }
}

void number_partitions_of(const std::vector<WrittenPlace>& written, const Members& members,
                          std::vector<GpuPlace>& places) {
  const bool in_upper_bits =
      std::any_of(members.begin(), members.end(), [&](std::size_t member) { return written[member].upper_bits > 0; });
  std::set<std::uint32_t> partitions;
  for (const std::size_t member : members) {
    GpuPlace& place = places[member];
    place.partition = in_upper_bits ? written[member].upper_bits : place.pci.function;
    place.pci.function = 0;
    partitions.insert(*place.partition);
  }
  if (members.size() > 1 && partitions.size() == 1) number_equals(written, members, places);
}

}  // namespace

std::vector<GpuPlace> gpu_places(const std::vector<WrittenPlace>& written) {
  std::vector<GpuPlace> places;
  std::map<PciAddress, Members> devices;
  for (std::size_t place = 0; place < written.size(); ++place) {
    PciAddress device = written[place].pci;
    places.push_back({device, std::nullopt, false});
    device.function = 0;
    devices[device].push_back(place);
  }
  for (const auto& [device, members] : devices) {
    if (is_one_gpu(written, members)) number_partitions_of(written, members, places);
  }
  return places;
}

WrittenPlace written_place_from_bdf(std::uint64_t bdf) {
  WrittenPlace written;
  written.pci.domain = static_cast<std::uint32_t>(bdf >> 32);
  written.pci.bus = static_cast<std::uint8_t>(bdf >> 8 & 0xff);
  written.pci.device = static_cast<std::uint8_t>(bdf >> 3 & 0x1f);
  written.pci.function = static_cast<std::uint8_t>(bdf & 0x7);
  written.upper_bits = static_cast<std::uint32_t>(bdf >> 28 & 0xf);
  return written;
}

}  // namespace skua
