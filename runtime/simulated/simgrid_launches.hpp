// A simulated device as a SimGrid actor: it takes launch after launch, and shares links with the others.
#pragma once

#include <cstdint>
#include <functional>

#include "launches.hpp"
#include "simgrid_platform.hpp"

namespace skua {

/// Virtual time since it was made.
class SimGridClock final : public Clock {
 public:
  SimGridClock() : origin_s_(simgrid_engine().get_clock()) {}
  std::int64_t now_ns() const noexcept override;
  /// How long until then.  Units: seconds.
  double seconds_until(std::int64_t moment_ns) const;
  /// Blocks: the calling actor.
  void sleep_until(std::int64_t moment_ns) const;

 private:
  double origin_s_;
};

/// Threads: its Device calls come from the actor of its host side; launch() may let virtual time pass.
class SimGridLaunches final : public SimulatedLaunches {
 public:
  SimGridLaunches(const SimulatedSetting& setting, std::size_t index, const SimGridClock& clock)
      : SimulatedLaunches(setting, index), clock_(clock) {}

  /// Runs launches for ever. Blocks: the calling actor.
  void serve();
  void forget_launches() override;

  std::function<void()> on_end;  ///< called by the serving actor when a launch has ended, or turns out never to

 private:
  std::int64_t now_ns() const noexcept override { return clock_.now_ns(); }
  void spend_on_host(double seconds) override { simgrid::s4u::this_actor::sleep_for(seconds); }
  void launched() override { work_->release(); }
  void replanned() override { replanned_->release(); }
  void settle() override {}
  void fetch(const Chunk& chunk);
  void wait_for_end(const Held& held);

  const SimGridClock& clock_;
  simgrid::s4u::SemaphorePtr work_ = simgrid::s4u::Semaphore::create(0);
  simgrid::s4u::SemaphorePtr replanned_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace skua
