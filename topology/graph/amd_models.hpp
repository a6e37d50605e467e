// Names of AMD's compute GPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skua {

/// The product with this PCI device id. The driver's own name for it is a code name or nothing.
std::optional<std::string_view> amd_model_from(std::uint64_t device_id);
/// Whether GPUs with this id can be cut into compute partitions, each of which then looks like a GPU.
bool is_partitionable_amd_model(std::uint64_t device_id);

}  // namespace skua
