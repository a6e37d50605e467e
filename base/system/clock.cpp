// The operating system's monotonic clock.
#include <skua/clock.hpp>

#include <chrono>

namespace skua {

std::int64_t SteadyClock::now_ns() const noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace skua
