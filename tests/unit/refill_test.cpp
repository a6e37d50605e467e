// Where a Worker's next chunk comes from.
#include <gtest/gtest.h>

#include <memory>

#include <worker/worker.hpp>

namespace skua {
namespace {

class StillClock final : public Clock {
 public:
  std::int64_t now_ns() const noexcept override { return 1'000'000; }
};

/// Takes every launch, and ends none.
class SilentDevice final : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel&, const Chunk&, std::uint64_t) override {
    ++launches;
    return std::nullopt;
  }
  std::optional<Completion> poll() override { return std::nullopt; }
  int launches = 0;

 private:
  DeviceInfo info_;
};

class NoKernel final : public Kernel {
 public:
  void run_on_host(const Chunk&) const override {}
};

class NoListener final : public JobListener {
 public:
  void changed() noexcept override {}
};

/// The Worker of the first device of a Job of three.
struct OneWorker {
  OneWorker(std::vector<Interval> deal, std::shared_ptr<const ChunkPolicy> policy)
      : job(parts(std::move(deal), std::move(policy)), clock.now_ns(), listener), nearness({&info, &info, &info}, {}) {}

  JobParts parts(std::vector<Interval> deal, std::shared_ptr<const ChunkPolicy> policy) {
    JobParts made;
    made.loop.granules = Granules(20, 1);
    made.loop.own = made.loop.granules.all();
    made.loop.kernel = std::make_shared<NoKernel>();
    made.loop.policy = std::move(policy);
    for (const Interval& share : deal) made.devices.push_back({"silent", {}, share, false, device.share_word()});
    return made;
  }
  Step step() { return Worker({job, 0, device, clock, feedback, nearness, false, {}}).step({}, 2); }

  DeviceInfo info;
  SilentDevice device;
  StillClock clock;
  NoListener listener;
  Feedback feedback;
  Job job;
  Nearness nearness;
};

TEST(Refill, AVictimThatIsBetterLeftAloneDoesNotHideTheOthers) {
  OneWorker one({{0, 0}, {0, 8}, {8, 20}}, make_chunk_policy("factoring"));
  one.feedback.add_chunk(1, 1'000'000'000);
  one.feedback.add_chunk(1, 1'000'000'000);
  // The nearer one is done in 0.8 s, before the thief would be with one granule; the other needs 1.2 s.
  one.job.rates.set_measured(0, 1);
  one.job.rates.set_measured(1, 10);
  one.job.rates.set_measured(2, 10);
  for (std::uint32_t i = 0; i < 3; ++i) one.job.rates.set_busy_until(i, one.clock.now_ns());
  one.step();
  EXPECT_EQ(one.job.left.share(1).look().size(), 8u);
  EXPECT_EQ(one.job.left.share(2).look().size(), 11u);
}

TEST(Refill, NothingIsTakenThatWouldEndAfterAllElse) {
  OneWorker slow({{0, 10}, {10, 20}, {20, 20}}, make_chunk_policy("factoring"));
  slow.feedback.add_chunk(1, 1'000'000'000);
  slow.feedback.add_chunk(1, 1'000'000'000);
  slow.job.rates.set_measured(0, 1);
  slow.job.rates.set_measured(1, 1000);
  slow.job.rates.set_measured(2, 1000);
  for (std::uint32_t i = 0; i < 3; ++i) slow.job.rates.set_busy_until(i, slow.clock.now_ns());
  // The others need 10 ms for all, and it a second for one.
  EXPECT_EQ(slow.step().wait, Step::Wait::work);
  EXPECT_EQ(slow.device.launches, 0);
  EXPECT_EQ(slow.job.left.share(0).look(), (Interval{0, 10}));
  slow.job.rates.retire(1);
  slow.job.rates.retire(2);
  slow.step();
  EXPECT_GT(slow.device.launches, 0) << "there are no others";
}

/// Somebody stops the Job just when the Worker is about to launch.
class StopsTheJob final : public ChunkPolicy {
 public:
  std::uint64_t next_items(const ChunkQuestion&) const override {
    job->stop(Stop::cancelled, 1);
    return 10;
  }
  Job* job = nullptr;
};

TEST(Refill, NothingIsLaunchedOnceTheJobIsStopped) {
  const auto policy = std::make_shared<StopsTheJob>();
  OneWorker one({{0, 10}, {10, 20}, {20, 20}}, policy);
  policy->job = &one.job;
  EXPECT_EQ(one.step().wait, Step::Wait::finished);
  EXPECT_EQ(one.device.launches, 0);
}

}  // namespace
}  // namespace skua
