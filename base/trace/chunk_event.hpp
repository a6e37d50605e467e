// What a trace says of one chunk: the names of its values, written and read back in this one place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace.hpp"

namespace skua {

/// The values beside a chunk's span. Absent ones are 0.
struct ChunkValues {
  std::uint64_t items = 0;
  std::uint64_t first_item = 0;
  double items_per_second = 0;      ///< the device's rate, as it was thought to be after this chunk
  std::uint64_t filling_items = 0;  ///< the least that fill the device
  std::uint64_t hiding_items = 0;   ///< the least that hide what a launch costs
  std::uint64_t items_left = 0;     ///< in all Shares
  double weight = 0;                ///< the device's rate over the mean rate

  /// Sets the value of this name. Returns false when there is none of that name.
  bool set(std::string_view name, double value) noexcept;
};

/// A chunk ("chunk") or a copy of a late one ("copy") on a device's track.
inline constexpr const char* chunk_event_name = "chunk";
inline constexpr const char* copy_event_name = "copy";

TraceEvent chunk_event(const char* name, std::uint32_t device, std::int64_t begin_ns, std::int64_t end_ns,
                       const ChunkValues& values);

}  // namespace skua
