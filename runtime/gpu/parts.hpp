// The grammar behind "gpu:": which GPUs, whole or cut into parts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// How a GPU can be cut.  Units: compute units (multiprocessors).
struct GpuGrain {
  std::uint32_t quantum = 1;    ///< every part is a multiple of it
  std::uint32_t available = 0;  ///< that parts can be made of, all together
  /// That the streams of all parts have between them, where each has one of its own.
  std::optional<std::uint32_t> hardware_queues{};
};

/// Streams, and so hardware queues, that a part wants: one for each launch that it holds.
inline constexpr std::uint32_t streams_of_part = 2;
/// Hardware queues that parts leave to other streams: the program's, and those on which skua copies.
inline constexpr std::uint32_t queues_of_others = 4;

/// One device to open.
struct GpuPartSpec {
  int ordinal = 0;
  std::optional<std::uint32_t> part;           ///< position among the GPU's parts; nullopt for a whole GPU
  std::optional<std::uint32_t> compute_units;  ///< of the part
  bool operator==(const GpuPartSpec&) const = default;
};

/// Reads "" (all GPUs), "0,3", "0/7" (7 equal parts), "0/40+24+8" (by compute units), or several joined by commas.
/// `grain` is asked for the GPUs that are to be cut.
/// Fails: InputError that names the text and what is possible.
std::vector<GpuPartSpec> parse_gpu_parts(const std::string& argument, int gpu_count,
                                         const std::function<GpuGrain(int ordinal)>& grain);

}  // namespace skua
