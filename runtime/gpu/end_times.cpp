// A GPU's clock beside the host's.
#include "end_times.hpp"

#include <algorithm>
#include <utility>

#include "call.hpp"

namespace skua {
namespace {

constexpr std::int64_t just_before_ns = 5'000;
// Over which the 5 us that a look may be late are a quarter of a percent.
constexpr std::int64_t learnt_over_ns = 2'000'000;

}  // namespace

std::optional<double> told_tick_ns(int ordinal) {
#if defined(SKUA_GPU_CUDA)
  static_cast<void>(ordinal);
  return 1.0;
#else
  // hipDeviceAttributeWallClockRate, which headers before ROCm 5.6 do not name; runtimes without it refuse the
  // question.
  constexpr auto wall_clock_rate = static_cast<hipDeviceAttribute_t>(10017);
  int rate_khz = 0;
  const hipError_t error = hipDeviceGetAttribute(&rate_khz, wall_clock_rate, ordinal);
  static_cast<void>(hipGetLastError());
  if (error != hipSuccess || rate_khz <= 0) return std::nullopt;
  return 1e6 / rate_khz;
#endif
}

void TickLength::see(std::uint64_t mark, std::int64_t now_ns) noexcept {
  if (is_told_) return;
  if (first_mark_ == 0 || mark <= first_mark_) {
    first_mark_ = mark;
    first_ns_ = now_ns;
  } else if (now_ns - first_ns_ >= learnt_over_ns) {
    ns_ = static_cast<double>(now_ns - first_ns_) / static_cast<double>(mark - first_mark_);
  }
}

void EndTimes::held_back_until(std::int64_t now_ns) noexcept {
  last_end_ns_ = now_ns;
  last_mark_ = 0;
}

std::int64_t EndTimes::end_ns(std::uint64_t mark, std::int64_t now_ns) noexcept {
  constexpr std::uint64_t no_time = 1;
  if (mark <= no_time) {
    last_mark_ = 0;
    return now_ns;
  }
  const std::uint64_t before = std::exchange(last_mark_, std::max(last_mark_, mark));
  if (now_ns - last_look_ns_ < just_before_ns) {
    tick_.see(mark, now_ns);
    return now_ns;
  }
  if (before == 0 || !tick_.ns()) return now_ns;
  if (mark <= before) return last_end_ns_;
  const double after_ns = static_cast<double>(mark - before) * *tick_.ns();
  return after_ns < static_cast<double>(now_ns - last_end_ns_) ? last_end_ns_ + static_cast<std::int64_t>(after_ns)
                                                               : now_ns;
}

void EndTimes::ended(std::int64_t begin_ns, std::int64_t end_ns) noexcept {
  last_end_ns_ = end_ns;
  last_duration_ns_ = end_ns - begin_ns;
}

}  // namespace skua
