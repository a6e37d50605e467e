// What a launch that was dropped has run whole, by the rounds that its warps have done. Knows no GPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <skua/detail/gpu_code.hpp>
#include <skua/device.hpp>

namespace skua {

/// What stands in rounds_done for a warp that left nothing there: it has done all its rounds.
inline constexpr std::uint64_t all_rounds = ~std::uint64_t{0};

/// How many warps take part; rounds_done has an entry for each.
std::uint64_t warp_count(const GpuRounds& dealt) noexcept;

/// The granules all of whose pieces were run, in order and not touching one another.
std::vector<GranuleRange> granules_run_whole(const GpuRounds& dealt, std::span<const std::uint64_t> rounds_done);

}  // namespace skua
