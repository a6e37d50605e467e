// Simulated devices: a described machine in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>
#include <skua/topology.hpp>

namespace skua {

/// From `from_s` of the simulation's time on, a device runs at `factor` of its rate; 0: not at all.
struct RateChange {
  double from_s = 0;
  double factor = 1;
};

/// How one simulated device behaves. Launches are counted from 0, over all runs.
struct SimulatedDevice {
  std::string name{};
  std::optional<GpuId> gpu{};
  double work_per_second = 1e6;
  std::vector<RateChange> changes{};                  ///< in order of time
  double rate_guess = 1;                              ///< what the scheduler is told beforehand
  double launch_s = 12e-6;                            ///< between a launch, or the end of the one before, and its begin
  std::optional<double> queued_s{};                   ///< instead, when the one before still ran at the launch
  double host_s = 0;                                  ///< by which a launch keeps its host thread
  double step_s = 0;                                  ///< by which any other look keeps its host thread
  double detection_s = 9e-6;                          ///< from the end of a launch until its host thread knows
  std::uint64_t filling_items = 1;                    ///< fewer take as long as this many
  std::optional<std::uint64_t> told_filling_items{};  ///< what the device says instead: a wrong reading
  std::optional<double> occupancy{};                  ///< what the device says
  double jitter = 0;                                  ///< a chunk takes up to this part more or less
  double first_chunk_factor = 1;                      ///< by which the first chunk takes longer
  double first_chunk_extra_s = 0;
  std::optional<double> fails_from_s{};       ///< the launch that runs then, and all later ones, end with a failure
  std::optional<std::uint64_t> hangs_at{};    ///< this launch and all after it never end
  std::optional<std::uint64_t> refuses_at{};  ///< this launch and all after it are refused
  std::optional<std::uint64_t> fails_at{};    ///< this launch ends with a failure
  std::optional<std::uint64_t> lost_at{};     ///< this launch ends with the loss of the device
  bool stops_when_dropped = true;             ///< a dropped launch ends at its next granule border
  bool stops_at_granules = false;             ///< and says so: others may ask for the rest of what it runs
  std::uint32_t launches_max = 2;
  std::uint64_t seed = 0;  ///< of the jitter
};

/// Work that the device can do in [from_s, until_s].
double work_between(const SimulatedDevice& device, double from_s, double until_s);
/// The moment at which it has done `work` that it began at from_s; infinite when it never has.
double end_of_work(const SimulatedDevice& device, double from_s, double work);

struct SimulatedMachine {
  std::vector<SimulatedDevice> devices{};
  Topology topology{};                          ///< its links join devices whose `gpu` is set
  std::optional<std::uint32_t> host_threads{};  ///< nothing: one a device
};

/// What the items of the loops cost.
struct SimulatedLoop {
  std::function<double(std::uint64_t begin, std::uint64_t end)> work{};  ///< of items; empty: 1 each
  double bytes_per_item = 0;           ///< read by a chunk before it runs, from where they lie
  std::vector<std::uint64_t> homes{};  ///< first item that lies with each device, ascending; empty: nothing is moved
};

/// What a step function waits for. change: until notify() or until_ns.
struct SimulatedWait {
  enum class For { nothing, completion, change, finished };
  For what = For::nothing;
  std::int64_t until_ns = 0;
};
using SimulatedStep = std::function<SimulatedWait()>;

/// Who keeps the virtual time. simgrid: actors; what crosses a link at a time shares its bandwidth. plain: a loop that
/// needs nothing else, in which each transfer has its links alone.
enum class SimulationEngine { simgrid, plain };
/// Those that skua was built with, the preferred one first.
std::vector<SimulationEngine> simulation_engines();
std::string to_text(SimulationEngine engine);
/// Fails: InputError that names the text and the engines.
SimulationEngine parse_simulation_engine(const std::string& text);

/// A machine whose devices and host threads live in virtual time. A device runs its launches one after another; its
/// step function is called by a host side of its own. A chunk first reads its items' bytes; a path is as slow as its
/// slowest link. Then it runs at the rate that the device has at each moment. What a launch has run is run on the host
/// when its end is polled for.
///
/// SimGrid has one engine a process, and no platform can be added once it has run. So one engine is made with a fixed
/// number of resources, links take theirs from it, and actors are made anew for each run: any number of Simulations
/// follow one another in one process, each with a clock that starts at 0. Same machine and steps, same run.
/// Threads: one; with SimGrid, one for all Simulations of the process.
class Simulation {
 public:
  static constexpr std::int64_t start_ns = 1'000'000;  ///< the Clock at time 0

  /// Fails: InputError for a machine without devices, rates and bandwidths that are none, too many links, and an engine
  /// that skua was built without.
  explicit Simulation(SimulatedMachine machine, SimulationEngine engine = simulation_engines().front());
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const Clock& clock() const noexcept;
  double now_s() const noexcept;
  const SimulatedMachine& machine() const noexcept;
  Device& device(std::size_t index);
  std::uint64_t bytes_moved(std::size_t index) const;  ///< to this device, since the last set_loop()

  void set_loop(SimulatedLoop loop);

  /// Has `call` made at `at_s` of the next run, if it still goes on then; all steps follow.
  void call_at(double at_s, std::function<void()> call);

  /// All that wait for a change are to look again. Callable from inside steps.
  void notify() noexcept;

  enum class End { finished, stuck, limit };
  /// Calls the step functions, one a device, until each has finished, or nothing more can happen since all others wait
  /// for launches that never end (stuck), or `limit_s` have passed. Launches that did not end are forgotten.
  /// Fails: what a step or a call throws.
  End run(std::vector<SimulatedStep> steps, double limit_s);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace skua
