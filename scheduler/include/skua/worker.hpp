// The host side of one device in one Job: a state machine. Threads drive it on real devices, actors in simulated time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>
#include <skua/feedback.hpp>
#include <skua/job.hpp>
#include <skua/load_watch.hpp>
#include <skua/stealing.hpp>
#include <trace/trace.hpp>

namespace skua {

/// What a Worker waits for.
struct Step {
  /// nothing: call step() again at once. completion: something runs, thought to end at until_ns.
  /// work: nothing to do; look again at until_ns, or when the Job changes. finished: done with this Job.
  enum class Wait { nothing, completion, work, finished };
  Wait wait = Wait::nothing;
  std::int64_t until_ns = 0;
};

/// Threads: one.
class Worker {
 public:
  struct Context {
    std::shared_ptr<Job> job;
    std::uint32_t device_index = 0;
    Device& device;
    const Clock& clock;
    Feedback& feedback;                    ///< of this device and the Job's name; outlives the Worker
    std::vector<std::uint32_t> distances;  ///< place of each device in this one's order of nearness
    bool traced = false;
    std::function<GpuLoad()> load{};  ///< the sensors' latest of this device; empty where there are none
  };

  explicit Worker(Context context);

  /// Takes what has completed, learns from it, refills the device, steals when nothing is left.
  /// Blocks: never waits (but see Device::poll).
  Step step();

  /// What happened since the last call; empty unless traced.
  std::vector<TraceEvent> take_trace();

 private:
  /// What the device holds.
  struct Launch {
    std::uint64_t number = 0;
    Interval granules;
    std::uint64_t items = 0;
    Flight* flight = nullptr;         ///< of an original
    std::shared_ptr<LateChunk> late;  ///< of a copy
    std::shared_ptr<void> memory;     ///< a copy's results
    std::int64_t forecast_end_ns = 0;
    std::int64_t begin_ns = 0;  ///< of launching it
    std::int64_t host_ns = 0;   ///< what launching it cost the host
  };

  void collect();
  std::int64_t forecast_ns(std::uint64_t items) const;
  void forecast_from(std::int64_t end_ns);
  void look_at_load();
  void watch_call(std::int64_t begin_ns);
  void learn(const Completion& completion, const Launch& launch);
  void complete(Launch& launch, const Completion& completion);
  void fail(Launch& launch, const Failure& failure, std::int64_t now_ns);
  void give_back(Launch& launch);

  void refill();
  Interval next_granules();
  std::uint32_t wanted_granules() const;
  bool steal();
  std::vector<Victim> look_at_victims(double own_rate, double own_overhead) const;
  double seconds_busy(const Seat& seat, std::int64_t now_ns) const;
  bool copy_late();
  bool start(Launch launch, const Chunk& chunk);
  Flight& free_flight();
  std::uint64_t hiding_items() const;
  std::uint64_t smallest_items() const;
  double overhead_seconds() const;
  void record(const char* name, std::int64_t begin_ns, std::int64_t end_ns, const Launch& launch);

  Context context_;
  Job& job_;
  Seat& seat_;
  const Kernel& kernel_;
  LoadWatch load_;
  std::int64_t last_load_look_ns_ = 0;
  std::uint64_t filling_items_ = 1;  ///< of this kernel on this device
  std::vector<Launch> running_;      ///< oldest first
  std::int64_t last_end_ns_ = 0;     ///< when the device was last seen to end something, while it has not waited since
  std::int64_t idle_look_ns_;        ///< how long to wait before the next look for work
  std::vector<TraceEvent> trace_;
};

}  // namespace skua
