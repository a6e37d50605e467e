// Tells partitions by the functions of their addresses.
#include "partitions.hpp"

#include <map>
#include <set>

namespace skua {
namespace {

PciAddress without_function(PciAddress address) {
  address.function = 0;
  return address;
}

}  // namespace

void number_partitions(std::vector<Gpu>& gpus) {
  std::map<PciAddress, std::set<std::uint8_t>> functions;
  for (const Gpu& gpu : gpus) {
    if (gpu.pci && !gpu.partition) functions[without_function(*gpu.pci)].insert(gpu.pci->function);
  }
  for (Gpu& gpu : gpus) {
    if (!gpu.pci || gpu.partition || functions[without_function(*gpu.pci)].size() < 2) continue;
    gpu.partition = gpu.pci->function;
    gpu.pci = without_function(*gpu.pci);
  }
}

bool are_in_one_package(const Gpu& a, const Gpu& b) {
  return a.pci && a.pci == b.pci && a.partition && b.partition && a.partition != b.partition;
}

}  // namespace skua
