// Where GPUs and partitions of GPUs are, by the numbers that drivers and libraries write.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <skua/detail/pci_address.hpp>

namespace skua {

/// The place of a GPU or of a partition of one.
struct GpuPlace {
  PciAddress pci;  ///< of a partition: of the GPU as a whole
  std::optional<std::uint32_t> partition;
  bool is_counted = false;  ///< nobody wrote the partition's number: it is that of its turn

  bool operator==(const GpuPlace&) const = default;
};

/// What a source writes of a place. Kernels have put the number of a partition into the function or into the upper four
/// bits of a 32-bit location; AMD's libraries and HIP pass on what they find there.
struct WrittenPlace {
  PciAddress pci;                ///< with the function as it is written
  std::uint32_t upper_bits = 0;  ///< bits 31:28 of the location
  std::uint64_t unique_id = 0;   ///< all partitions of a GPU share it; 0: not known
  bool is_partitionable = false;
};

/// The places of one source's GPUs, seen together, since only the neighbours tell a partition from a function: those at
/// one bus and device are partitions of one GPU where they share their id or are all of a partitionable kind. A GPU
/// that stands alone has a partition where its upper bits say so, or its function, if it is partitionable.
std::vector<GpuPlace> gpu_places(const std::vector<WrittenPlace>& written);

/// rocm_smi's number: domain in the upper half, then bits 31:28, then bus, device and function.
WrittenPlace written_place_from_bdf(std::uint64_t bdf);

}  // namespace skua
