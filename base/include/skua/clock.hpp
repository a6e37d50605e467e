// Time, as the scheduler sees it.
#pragma once

#include <cstdint>

namespace skua {

/// Nanoseconds since an arbitrary moment; never goes back.
/// Threads: any.  Blocks: never.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() const noexcept = 0;
};

/// The operating system's monotonic clock.
class SteadyClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override;
};

}  // namespace skua
