// A simulated device whose times are reckoned ahead: nothing runs beside the one that asks.
#pragma once

#include <cstdint>

#include "launches.hpp"

namespace skua {

/// Virtual time that whoever drives moves on.
class PlainClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return now_ns_; }
  void advance_to(std::int64_t ns) noexcept { now_ns_ = ns > now_ns_ ? ns : now_ns_; }
  /// Back from what only one host thread has spent.
  void return_to(std::int64_t ns) noexcept { now_ns_ = ns; }

 private:
  std::int64_t now_ns_ = Simulation::start_ns;
};

/// Links are not shared: what crosses one has its bandwidth alone.
class PlainLaunches final : public SimulatedLaunches {
 public:
  PlainLaunches(const SimulatedSetting& setting, std::size_t index, PlainClock& clock)
      : SimulatedLaunches(setting, index), clock_(clock) {}

 private:
  std::int64_t now_ns() const noexcept override { return clock_.now_ns(); }
  void spend_on_host(double seconds) override { clock_.advance_to(now_ns() + simulated_ns(seconds) - simulated_ns(0)); }
  void launched() override;
  void replanned() override {}
  void settle() override;
  void begin_running(std::int64_t turn_ns);

  PlainClock& clock_;
};

}  // namespace skua
