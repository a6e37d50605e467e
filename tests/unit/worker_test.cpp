#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include <worker/worker.hpp>

namespace skua {
namespace {

class HandClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return time_ns; }
  std::int64_t time_ns = 1'000'000'000;
};

/// Takes every launch and ends it when it is told to.
class PatientDevice final : public Device {
 public:
  explicit PatientDevice(const HandClock& clock) : clock_(clock) { info_.can.launches_max = 1; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel&, const Chunk&, std::uint64_t number) override {
    running_.emplace();
    running_->launch = number;
    running_->begin_ns = clock_.now_ns();
    return std::nullopt;
  }
  std::optional<Completion> poll() override {
    if (!running_ || !ends) return std::nullopt;
    running_->end_ns = clock_.now_ns();
    return std::exchange(running_, std::nullopt);
  }
  bool ends = true;

 private:
  const HandClock& clock_;
  DeviceInfo info_;
  std::optional<Completion> running_;
};

/// Holds two launches, and ends as many as it is told to.
class QueueingDevice final : public Device {
 public:
  explicit QueueingDevice(const HandClock& clock) : clock_(clock) {}
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel&, const Chunk&, std::uint64_t number) override {
    Completion held;
    held.launch = number;
    held.begin_ns = clock_.now_ns();
    held_.push_back(held);
    return std::nullopt;
  }
  std::optional<Completion> poll() override {
    if (held_.empty() || ends == 0) return std::nullopt;
    --ends;
    Completion ended = held_.front();
    held_.pop_front();
    ended.end_ns = clock_.now_ns();
    return ended;
  }
  int ends = 0;

 private:
  const HandClock& clock_;
  DeviceInfo info_;
  std::deque<Completion> held_;
};

class NoKernel final : public Kernel {
 public:
  void run_on_host(const Chunk&) const override {}
};

class NoListener final : public JobListener {
 public:
  void changed() noexcept override {}
};

/// One Worker of a Job, stepped by hand. The Job's other devices have nothing to do.
class OneWorker {
 public:
  explicit OneWorker(Device& device, const Clock& clock, std::uint64_t items, const std::string& policy, int others = 0,
                     bool is_new = false)
      : device_(device),
        clock_(clock),
        job_(parts(items, policy, others, is_new), clock.now_ns(), listener_),
        nearness_({}, Topology{}) {}

  Step step() {
    if (!worker_) {
      worker_ = std::make_unique<Worker>(Worker::Context{job_, 0, device_, clock_, feedback, nearness_, false, load});
    }
    std::vector<Completion> ended;
    if (auto completion = device_.poll()) ended.push_back(*completion);
    return worker_->step(ended, device_.info().can.launches_max - worker_->launches_held());
  }
  /// What the next step launches, after the chunk before it has run for so long.
  std::uint64_t next_items(HandClock& clock, std::int64_t us) {
    clock.time_ns += us * 1000;
    const std::uint64_t before = job_.left.share(0).look().size();
    step();
    return before - job_.left.share(0).look().size();
  }
  Job& job() { return job_; }
  const PlaceTimes& times() const { return worker_->times(); }

  Feedback feedback;
  std::function<GpuLoad()> load;

 private:
  JobParts parts(std::uint64_t items, const std::string& policy, int others, bool is_new) const {
    JobParts parts;
    parts.loop.is_new = is_new;
    parts.loop.granules = Granules(items, 1);
    parts.loop.own = parts.loop.granules.all();
    parts.loop.kernel = std::make_shared<NoKernel>();
    parts.loop.policy = make_chunk_policy(policy);
    parts.devices.push_back({"patient", {}, parts.loop.own, false, device_.share_word()});
    for (int i = 0; i < others; ++i) parts.devices.push_back({"idle", {}, {}, false, device_.share_word()});
    return parts;
  }

  Device& device_;
  const Clock& clock_;
  NoListener listener_;
  Job job_;
  Nearness nearness_;
  std::unique_ptr<Worker> worker_;
};

TEST(Worker, LowersTheForecastOfWhatRunsWhenAnotherProcessComes) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 1'000'000, "fixed:1000");
  GpuLoad load;
  load.others_busy = 0;
  worker.load = [&] {
    load.at_ns = clock.now_ns();
    return load;
  };
  // Chunks of 40 ms teach the rate; a reading is looked at with each.
  for (int chunk = 0; chunk < 5; ++chunk) {
    worker.step();
    clock.time_ns += 40'000'000;
  }
  const std::int64_t alone_ns = worker.step().until_ns;
  device.ends = false;
  ASSERT_NEAR(worker.job().rates.rate(0), 25'000, 1);
  load.others_busy = 0.5;
  clock.time_ns += 5'000'000;
  EXPECT_EQ(worker.step().until_ns, alone_ns) << "a single reading says nothing";
  clock.time_ns += 5'000'000;
  EXPECT_NEAR(static_cast<double>(worker.step().until_ns - alone_ns), 30e6, 1e3) << "what is left takes twice as long";
  EXPECT_NEAR(worker.job().rates.rate(0), 12'500, 1);
}

TEST(Worker, LeavesThreeQuartersOfItsShareToOthersUntilAChunkHasConfirmedItsRate) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 1'000'000, "factoring");
  // A loop of the same name was a thousand times cheaper: a launch cost as much as all of this one's items.
  for (int chunk = 0; chunk < 3; ++chunk) worker.feedback.add_chunk(1'000'000, 1'000'000);
  for (int launch = 0; launch < 3; ++launch) worker.feedback.add_launch(10'000'000);
  worker.feedback.begin_job();
  worker.job().rates.set_measured(0, *worker.feedback.items_per_second());
  worker.step();
  EXPECT_EQ(worker.job().left.share(0).look().size(), 750'000u);
}

TEST(Worker, BeginsALoopThatNobodyKnowsWithSmallChunksThatGrowWhileTheyAreCheap) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 8 * 256 * 100, "factoring", 7, true);
  constexpr std::uint64_t first = 100;  // N / (256 P)
  EXPECT_EQ(worker.next_items(clock, 0), first);
  EXPECT_EQ(worker.next_items(clock, 100), 2 * first) << "no chunk is above N / (128 P)";
  EXPECT_EQ(worker.next_items(clock, 200), 2 * first);
  EXPECT_EQ(worker.next_items(clock, 200), 2 * first);
  EXPECT_LE(worker.next_items(clock, 20'000), 4u) << "it was a hundred times dearer than thought";
}

TEST(Worker, HasNoCareOfALoopThatIsKnown) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 8 * 256 * 100, "factoring", 7);
  EXPECT_EQ(worker.next_items(clock, 0), 8 * 256 * 100 / (8 * 8) / 1u) << "N / (8 P)";
}

TEST(Worker, LearnsNothingOfAPlaceFromTheChunkThatLoadsCode) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 1'000'000, "fixed:1000", 1);
  for (const int chunk_ms : {300, 1, 1}) {
    worker.step();
    clock.time_ns += chunk_ms * 1'000'000;
  }
  worker.step();
  ASSERT_EQ(worker.times().parts().size(), 2u);
  EXPECT_DOUBLE_EQ(worker.times().parts().front().from, 1e-3) << "items 1,000 to 2,000";
}

TEST(Worker, LooksAtOnceAtAChunkThatWasDropped) {
  HandClock clock;
  PatientDevice device(clock);
  OneWorker worker(device, clock, 1'000'000, "fixed:1000");
  for (int chunk = 0; chunk < 5; ++chunk) {
    worker.step();
    clock.time_ns += 1'000'000'000;
  }
  ASSERT_GT(worker.step().until_ns, clock.now_ns());
  device.ends = false;
  worker.job().stop(Stop::cancelled, clock.now_ns());
  const Step step = worker.step();
  EXPECT_EQ(step.wait, Step::Wait::completion);
  EXPECT_EQ(step.until_ns, clock.now_ns()) << "it is to end now, not when its forecast says";
}

TEST(Worker, CountsTheTimeOfAQueuedLaunchFromTheEndOfTheOneBefore) {
  HandClock clock;
  QueueingDevice device(clock);
  OneWorker worker(device, clock, 1'000'000, "fixed:1000");
  worker.step();
  const std::int64_t launched_ns = clock.now_ns();
  EXPECT_EQ(worker.step().since_ns, launched_ns);
  clock.time_ns += 900'000'000;
  device.ends = 1;
  const Step step = worker.step();
  EXPECT_EQ(step.wait, Step::Wait::completion);
  EXPECT_EQ(step.since_ns, clock.now_ns()) << "it did not begin while the one before ran";
}

}  // namespace
}  // namespace skua
