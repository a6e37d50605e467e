// One simulated device: its queue of launches, and the actor that serves it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include <skua/simulated.hpp>

#include "simulated_engine.hpp"
#include "simulated_links.hpp"

namespace skua {

/// Virtual time since the Simulation was made.
class SimulatedClock final : public Clock {
 public:
  void begin() noexcept { origin_s_ = simgrid::s4u::Engine::get_clock(); }
  double now_s() const noexcept { return static_cast<double>(now_ns() - Simulation::start_ns) * 1e-9; }
  std::int64_t now_ns() const noexcept override;
  /// Blocks: the calling actor, to the nanosecond.
  void sleep_until_s(double at_s) const;

 private:
  double origin_s_ = 0;
};

/// Threads: its Device calls come from the actor of its host side; launch() may let virtual time pass.
class SimulatedLaunches final : public Device {
 public:
  struct Context {
    const SimulatedDevice& device;
    const SimulatedMachine& machine;
    const SimulatedLinks& links;
    const SimulatedLoop& loop;
    const SimulatedClock& clock;
  };

  explicit SimulatedLaunches(Context context);

  const DeviceInfo& info() const noexcept override { return info_; }
  std::uint64_t filling_items(const Kernel&, std::uint64_t) const override;
  std::optional<double> occupancy(const Kernel&, std::uint64_t) const override { return context_.device.occupancy; }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;

  /// Runs launches for ever. Blocks: the calling actor.
  void serve();

  bool has_ended() const noexcept { return ended_ > 0; }
  double end_s() const noexcept;  ///< of the oldest launch, when it has ended
  bool hangs() const noexcept { return hangs_; }
  std::uint64_t bytes_moved() const noexcept { return bytes_moved_; }
  void forget_bytes() noexcept { bytes_moved_ = 0; }
  void forget_launches();

  std::function<void()> on_end;  ///< called by the serving actor when a launch has ended

 private:
  struct Held {
    const Kernel* kernel = nullptr;
    Chunk chunk;
    std::uint64_t number = 0;
    std::uint64_t launch = 0;
    bool queued = false;  ///< launched while the one before still ran
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    bool failed = false;
  };

  void run(Held& held);
  void fetch(const Chunk& chunk);
  void hang();
  double work_of(const Held& held) const;

  Context context_;
  DeviceInfo info_;
  std::deque<Held> held_;
  std::size_t ended_ = 0;  ///< of those held, from the front
  std::uint64_t launches_ = 0;
  std::uint64_t bytes_moved_ = 0;
  bool hangs_ = false;
  bool lost_ = false;
  simgrid::s4u::SemaphorePtr work_ = simgrid::s4u::Semaphore::create(0);
};

}  // namespace skua
