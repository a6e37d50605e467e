// From the rounds of warps to granules.
#include "rounds.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace skua {
namespace {

/// The least of any run of values, in two looks.
class LeastOfRun {
 public:
  explicit LeastOfRun(std::span<const std::uint64_t> values) {
    levels_.emplace_back(values.begin(), values.end());
    for (std::size_t width = 1; 2 * width <= values.size(); width *= 2) {
      const std::vector<std::uint64_t>& below = levels_.back();
      std::vector<std::uint64_t> level(values.size() - 2 * width + 1);
      for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::min(below[i], below[i + width]);
      levels_.push_back(std::move(level));
    }
  }

  /// Of values [first, last]; not of none.
  std::uint64_t operator()(std::uint64_t first, std::uint64_t last) const {
    const auto level = static_cast<std::size_t>(std::bit_width(last - first + 1) - 1);
    return std::min(levels_[level][first], levels_[level][last + 1 - (std::uint64_t{1} << level)]);
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;  ///< level k: of 2^k values from each place on
};

class RunPieces {
 public:
  RunPieces(const GpuRounds& dealt, std::span<const std::uint64_t> rounds_done)
      : dealt_(dealt), least_(rounds_done), warps_(rounds_done.size()) {}

  /// Whether pieces [first, last] were all run.
  bool all(std::uint64_t first, std::uint64_t last) const {
    const std::uint64_t first_round = first / dealt_.stride;
    const std::uint64_t last_round = last / dealt_.stride;
    const std::uint64_t first_warp = first % dealt_.stride / dealt_.width;
    const std::uint64_t last_warp = last % dealt_.stride / dealt_.width;
    if (first_round == last_round) return least_(first_warp, last_warp) > first_round;
    if (last_round - first_round > 1 && least_(0, warps_ - 1) < last_round) return false;
    return least_(first_warp, warps_ - 1) > first_round && least_(0, last_warp) > last_round;
  }

 private:
  const GpuRounds& dealt_;
  LeastOfRun least_;
  std::uint64_t warps_;
};

/// Pieces before the end of this many whole rounds.
std::uint64_t pieces_of(const GpuRounds& dealt, std::uint64_t rounds) {
  return rounds > (dealt.pieces - 1) / dealt.stride ? dealt.pieces : rounds * dealt.stride;
}

}  // namespace

std::uint64_t warp_count(const GpuRounds& dealt) noexcept {
  return dealt.stride / dealt.width;
}

std::vector<GranuleRange> granules_run_whole(const GpuRounds& dealt, std::span<const std::uint64_t> rounds_done) {
  if (dealt.pieces == 0 || rounds_done.empty()) return {};
  const std::uint64_t each = dealt.pieces_in_granule;
  const std::uint64_t granules = (dealt.pieces - 1) / each + 1;
  // Only between these are granules worth a look each.
  const auto [least, most] = std::minmax_element(rounds_done.begin(), rounds_done.end());
  const std::uint64_t run_by_all = pieces_of(dealt, *least);
  const std::uint64_t run_by_any = pieces_of(dealt, *most);
  std::vector<GranuleRange> ranges;
  const std::uint64_t head = run_by_all == dealt.pieces ? granules : run_by_all / each;
  if (head > 0) ranges.push_back({0, head});
  const RunPieces run(dealt, rounds_done);
  for (std::uint64_t granule = head; granule < granules && granule * each < run_by_any; ++granule) {
    const std::uint64_t first = granule * each;
    const std::uint64_t last = first + std::min(each, dealt.pieces - first) - 1;
    if (!run.all(first, last)) continue;
    if (!ranges.empty() && ranges.back().last == granule) {
      ++ranges.back().last;
    } else {
      ranges.push_back({granule, granule + 1});
    }
  }
  return ranges;
}

}  // namespace skua
