// The launches that one simulated device holds: what each costs, when it ends, and what it has run by then.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include <skua/simulated.hpp>

#include "links.hpp"

namespace skua {

struct SimulatedSetting;

/// Seconds of the simulation's time as a moment of its Clock, and back.
std::int64_t simulated_ns(double seconds) noexcept;
double simulated_s(std::int64_t ns) noexcept;

/// What is the same in all engines; each adds how time goes by.
/// Threads: one.
class SimulatedLaunches : public Device {
 public:
  static constexpr std::int64_t never_ns = std::numeric_limits<std::int64_t>::max();

  SimulatedLaunches(const SimulatedSetting& setting, std::size_t index);

  const DeviceInfo& info() const noexcept override { return info_; }
  std::uint64_t filling_items(const Kernel& kernel, std::uint64_t granule) const override;
  std::optional<double> occupancy(const Kernel& kernel, std::uint64_t granule) const override;
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;

  bool has_ended() const noexcept { return ended_ > 0; }
  /// Of the oldest launch; never_ns when there is none, or none that will ever end.
  std::int64_t next_end_ns() const noexcept { return held_.empty() ? never_ns : held_.front().end_ns; }
  /// Whether what runs will never end, unless it is dropped.
  bool hangs() const noexcept;

  /// What is not wanted any more ends at its next granule border. Returns whether that changed when something ends.
  bool look_at_drops();
  virtual void forget_launches();

  std::uint64_t bytes_moved() const noexcept { return bytes_moved_; }
  void forget_bytes() noexcept { bytes_moved_ = 0; }

 protected:
  struct Held {
    const Kernel* kernel = nullptr;
    Chunk chunk;
    std::uint64_t number = 0;
    std::uint64_t ordinal = 0;  ///< counted over all launches of the device
    bool is_queued = false;     ///< launched while the one before still ran
    std::int64_t begin_ns = 0;
    std::optional<std::int64_t> work_ns;  ///< when its work begins: the bytes are there
    std::int64_t end_ns = never_ns;
    std::optional<std::int64_t> dropped_ns;  ///< when that was seen
    std::uint64_t granules_run = 0;          ///< until its end
    bool fails = false;
  };
  /// Bytes that a chunk reads from where another device is.
  struct Transfer {
    double bytes = 0;
    std::vector<SimulatedLinks::Crossing> path;
  };

  virtual std::int64_t now_ns() const noexcept = 0;
  virtual void spend_on_host(double seconds) = 0;
  /// Something was added to the launches held.
  virtual void launched() = 0;
  /// What runs ends at another moment than was thought.
  virtual void replanned() = 0;
  /// Brings the launches up to now, where nothing else does.
  virtual void settle() = 0;

  const SimulatedDevice& described() const noexcept { return device_; }
  bool is_idle() const noexcept { return ended_ == held_.size(); }
  Held& running() noexcept { return held_[ended_]; }
  void end_running() noexcept { ++ended_; }
  double launch_seconds(const Held& held) const noexcept;
  /// Counts the bytes, and gives those that cross links.
  std::vector<Transfer> transfers(const Chunk& chunk);
  /// The bytes are there: its work begins, and with that its end is known.
  void begin_work(Held& held, std::int64_t now_ns) const;

 private:
  double work_of(const Held& held) const;
  void plan_end(Held& held) const;
  double drop_at_border(Held& held, double work) const;
  bool can_stop(const Held& held) const noexcept;
  void run_granules(const Held& held) const;

  const SimulatedSetting& setting_;
  const SimulatedDevice& device_;
  DeviceInfo info_;
  std::deque<Held> held_;
  std::size_t ended_ = 0;  ///< of those held, from the front
  std::uint64_t launches_ = 0;
  std::uint64_t bytes_moved_ = 0;
  bool lost_ = false;
};

}  // namespace skua
