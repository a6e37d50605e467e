#include <gtest/gtest.h>

#include <memory>

#include <skua/worker.hpp>

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
  explicit PatientDevice(const HandClock& clock) : clock_(clock) { info_.launches_max = 1; }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel&, const Chunk&, std::uint64_t number) override {
    running_ = Completion{number, clock_.now_ns(), 0, 0, {}, {}};
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

class NoKernel final : public Kernel {
 public:
  void run_on_host(const Chunk&) const override {}
};

TEST(Worker, LowersTheForecastOfWhatRunsWhenAnotherProcessComes) {
  HandClock clock;
  PatientDevice device(clock);
  Feedback feedback;
  JobSpec spec;
  spec.items = 1'000'000;
  spec.kernel = std::make_shared<NoKernel>();
  spec.policy = make_chunk_policy("fixed:1000");
  spec.placement = {1};
  const auto job = std::make_shared<Job>(std::move(spec));
  GpuLoad load;
  load.others_busy = 0;
  Worker worker({job, 0, device, clock, feedback, {0}, false, [&] {
                   load.at_ns = clock.now_ns();
                   return load;
                 }});
  // Chunks of 40 ms teach the rate; a reading is looked at with each.
  for (int chunk = 0; chunk < 5; ++chunk) {
    worker.step();
    clock.time_ns += 40'000'000;
  }
  const std::int64_t alone_ns = worker.step().until_ns;
  device.ends = false;
  ASSERT_NEAR(job->rate(0), 25'000, 1);
  load.others_busy = 0.5;
  clock.time_ns += 5'000'000;
  EXPECT_EQ(worker.step().until_ns, alone_ns) << "a single reading says nothing";
  clock.time_ns += 5'000'000;
  EXPECT_NEAR(static_cast<double>(worker.step().until_ns - alone_ns), 30e6, 1e3) << "what is left takes twice as long";
  EXPECT_NEAR(job->rate(0), 12'500, 1);
}

}  // namespace
}  // namespace skua
