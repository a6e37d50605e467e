// One device's part in one Job: a state machine that takes a chunk, launches it, learns from its end, and steals.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>
#include <trace/chunk_event.hpp>

#include <decide/feedback.hpp>
#include <decide/load_watch.hpp>
#include <decide/nearness.hpp>
#include <decide/stealing.hpp>
#include <job/job.hpp>

#include "step.hpp"

namespace skua {

/// Threads: one, unless said.
class Worker {
 public:
  struct Context {
    Job& job;
    std::uint32_t index = 0;  ///< of the device
    Device& device;
    const Clock& clock;
    Feedback& feedback;  ///< of this device and the Job's loop
    const Nearness& nearness;
    bool is_traced = false;
    std::function<GpuLoad()> load{};  ///< the sensors' latest of this device; empty where there are none
  };

  explicit Worker(Context context);

  /// Takes what has ended, learns from it, refills the device, steals when nothing is left.
  /// `free_launches`: how many more the device may hold.
  /// Blocks: never (but see Device::launch).  Fails: what a policy throws, or when memory runs out.
  Step step(std::span<const Completion> ended, std::uint32_t free_launches);

  /// What is waited for, without doing anything.
  Step rest();

  bool holds(std::uint64_t launch) const noexcept;
  std::optional<std::uint64_t> oldest_launch() const noexcept {
    return running_.empty() ? std::nullopt : std::optional(running_.front().number);
  }
  std::uint32_t launches_held() const noexcept { return static_cast<std::uint32_t>(running_.size()); }

  /// The launch that may end next.
  struct Oldest {
    Interval granules;
    std::int64_t begin_ns = 0;
  };
  /// Returns nullopt when nothing runs. Threads: any; a look.
  std::optional<Oldest> oldest() const noexcept;

  /// Granules that the device has done of a launch that runs, and that nobody has counted yet. Threads: any; a look.
  std::uint64_t granules_not_counted() const noexcept;

  /// What its chunks took, by place.
  const PlaceTimes& times() const noexcept { return times_; }

  /// What happened since the last call; empty unless traced.
  std::vector<TraceEvent> take_trace();

 private:
  /// What the device holds.
  struct Launch {
    std::uint64_t number = 0;
    Interval granules;
    std::uint64_t items = 0;
    double work = 0;
    Flight* flight = nullptr;         ///< of an original
    std::shared_ptr<LateChunk> late;  ///< of a copy
    Memory memory;                    ///< a copy's results
    Drop drop;
    std::int64_t forecast_end_ns = 0;
    std::int64_t begin_ns = 0;  ///< of launching it
    std::int64_t host_ns = 0;   ///< what launching it cost the host
    bool is_dropped = false;    ///< it was seen that nobody wants it any more
  };

  void begin();
  void collect(const Completion& completion);
  std::int64_t forecast_from(std::int64_t from_ns, double work) const noexcept;
  void forecast_anew(std::int64_t end_ns);
  void look_at_load();
  void look_at_drops();
  void publish_oldest() noexcept;
  std::int64_t oldest_begin_ns() const noexcept;
  void learn(const Completion& completion, const Launch& launch, const std::vector<Interval>& run);
  /// In a launch, what of it was run whole.
  static std::vector<Interval> run_whole(const Launch& launch, const Completion& completion);
  void complete(const Launch& launch, const std::vector<Interval>& run, std::int64_t end_ns);
  void fail(const Launch& launch, const Failure& failure, const std::vector<Interval>& run, std::int64_t now_ns);
  void give_back(const Launch& launch);
  void give_back_rest(const Launch& launch, const std::vector<Interval>& run);

  void refill(std::uint32_t free_launches);
  bool holds_enough() const;
  Interval next_granules();
  std::uint32_t wanted_granules(Interval from) const;
  std::uint32_t adapted_granules(Interval from, std::uint32_t wanted) const;
  std::uint64_t largest_items() const;
  double cautious_work() const;
  void learn_size(const Launch& launch, double work, std::int64_t busy_ns);
  bool was_asked_to_stop(const Launch& launch) const noexcept;
  void meet_a_new_place();
  bool would_end_last(double work) const;
  bool steal();
  std::uint32_t granules_to_steal(const Victim& victim, double own_rate, double own_overhead) const;
  std::vector<Victim> look_at_victims(double own_rate, double own_overhead) const;
  void help_others();
  void copy_late();
  bool start(Launch launch, Chunk chunk);
  std::optional<Failure> launch(const Chunk& chunk, std::uint64_t number);
  std::uint64_t hiding_items() const;
  std::uint64_t smallest_items() const;
  double overhead_seconds() const;
  void record_run(const Launch& launch, const Completion& completion, const std::vector<Interval>& run);
  void record(const char* name, std::int64_t begin_ns, std::int64_t end_ns, Interval granules);

  Context context_;
  Job& job_;
  const Kernel& kernel_;
  const Capabilities can_;
  LoadWatch load_;
  std::int64_t last_load_look_ns_ = 0;
  bool has_begun_ = false;
  std::uint64_t filling_items_ = 1;  ///< of this kernel on this device
  const bool stops_at_granules_;     ///< in launches of this loop
  bool fills_unknown_ = false;       ///< nobody knows: it is measured
  std::uint64_t dealt_items_ = 0;    ///< what the device's Share held at the start
  PlaceTimes times_;
  bool is_cautious_ = false;  ///< what is known of the loop does not hold, or there is nothing
  bool has_met_a_place_ = false;
  bool is_warned_ = false;  ///< what was stolen may be dear
  /// From the launch of the first chunk to its end as it was seen, but for what it took.
  std::optional<double> overhead_s_;
  double growth_ = 2;              ///< of chunks that prove cheap
  double cautious_work_ = 0;       ///< no chunk is to have more; 0: no matter
  std::vector<Launch> running_;    ///< oldest first
  std::uint32_t last_victim_ = 0;  ///< the device itself before the first
  std::int64_t last_end_ns_ = 0;   ///< when the device was last seen to end something, while it has not waited since
  const std::int64_t idle_look_min_ns_;
  std::int64_t idle_look_ns_;  ///< how long to wait before the next look for work
  std::vector<TraceEvent> trace_;
  std::atomic<std::uint64_t> oldest_granules_{0};
  std::atomic<std::int64_t> oldest_begin_ns_{0};
  std::atomic<const Flight*> oldest_flight_{nullptr};  ///< null for a copy
  std::atomic<std::uint64_t> oldest_number_{0};        ///< stored after the flight
};

}  // namespace skua
