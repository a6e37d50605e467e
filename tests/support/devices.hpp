// Devices for tests: host devices with something wrong, and one that completes on a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <skua/backends.hpp>
#include <skua/clock.hpp>
#include <skua/device.hpp>

namespace skua::test {

inline const Clock& steady_clock() {
  static const SteadyClock clock;
  return clock;
}

inline Devices host_devices(unsigned count) {
  return open_devices("host:" + std::to_string(count), Topology{}, steady_clock());
}

/// Passes everything on; the base of devices with faults.
class PassingDevice : public Device {
 public:
  explicit PassingDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  const DeviceInfo& info() const noexcept override { return inner_->info(); }
  std::vector<std::string> attach() override { return inner_->attach(); }
  bool can_run(const Kernel& kernel) const noexcept override { return inner_->can_run(kernel); }
  std::uint64_t filling_items(const Kernel& kernel, std::uint64_t granule) const override {
    return inner_->filling_items(kernel, granule);
  }
  std::optional<double> occupancy(const Kernel& kernel, std::uint64_t granule) const override {
    return inner_->occupancy(kernel, granule);
  }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    return inner_->launch(kernel, chunk, number);
  }
  std::optional<Completion> poll() override { return inner_->poll(); }
  std::shared_ptr<void> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }

 private:
  std::unique_ptr<Device> inner_;
};

/// Says of itself that it is much slower than it is.
class ModestDevice final : public PassingDevice {
 public:
  explicit ModestDevice(std::unique_ptr<Device> inner) : PassingDevice(std::move(inner)), info_(PassingDevice::info()) {
    info_.rate_guess *= 1e-6;
  }
  const DeviceInfo& info() const noexcept override { return info_; }

 private:
  DeviceInfo info_;
};

/// Takes `times` as long for each chunk.
class SlowDevice final : public PassingDevice {
 public:
  SlowDevice(std::unique_ptr<Device> inner, double times) : PassingDevice(std::move(inner)), times_(times) {}
  std::optional<Completion> poll() override {
    auto completion = PassingDevice::poll();
    if (!completion) return completion;
    const std::int64_t took_ns = completion->end_ns - completion->begin_ns;
    const auto until_ns = completion->begin_ns + static_cast<std::int64_t>(static_cast<double>(took_ns) * times_);
    while (steady_clock().now_ns() < until_ns) {
    }
    completion->end_ns = steady_clock().now_ns();
    return completion;
  }

 private:
  double times_;
};

/// Refuses its `failing`-th launch (counted from 1) and all later ones.
class RefusingDevice final : public PassingDevice {
 public:
  RefusingDevice(std::unique_ptr<Device> inner, unsigned failing)
      : PassingDevice(std::move(inner)), failing_(failing) {}
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    if (++launches_ >= failing_) return Failure{Failure::Kind::launch, "refused for the test", nullptr};
    return PassingDevice::launch(kernel, chunk, number);
  }

 private:
  unsigned failing_;
  unsigned launches_ = 0;
};

/// Takes its `hanging`-th launch and never ends it.
class HangingDevice final : public PassingDevice {
 public:
  HangingDevice(std::unique_ptr<Device> inner, unsigned hanging) : PassingDevice(std::move(inner)), hanging_(hanging) {
    info_ = PassingDevice::info();
    info_.runs_in_poll = false;
  }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    if (++launches_ >= hanging_) return std::nullopt;
    return PassingDevice::launch(kernel, chunk, number);
  }

 private:
  DeviceInfo info_;
  unsigned hanging_;
  unsigned launches_ = 0;
};

/// Runs chunks on a thread of its own, two in flight, as a GPU would.
class AsynchronousDevice final : public Device {
 public:
  explicit AsynchronousDevice(std::string name) : runner_([this] { run(); }) { info_.name = std::move(name); }
  ~AsynchronousDevice() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    runner_.join();
  }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back({&kernel, chunk, number});
    }
    wake_.notify_one();
    return std::nullopt;
  }
  std::optional<Completion> poll() override {
    const std::lock_guard lock(mutex_);
    if (ended_.empty()) return std::nullopt;
    Completion completion = ended_.front();
    ended_.pop_front();
    return completion;
  }

 private:
  struct Launch {
    const Kernel* kernel;
    Chunk chunk;
    std::uint64_t number;
  };

  static void run_chunk(const Launch& launch) {
    const std::size_t bytes = launch.kernel->partial_bytes();
    Chunk part = launch.chunk;
    for (std::uint64_t begin = launch.chunk.begin; begin < launch.chunk.end; begin = part.end) {
      const bool whole = launch.kernel->unit() == Kernel::Unit::chunk;
      part.begin = begin;
      part.end = whole ? launch.chunk.end : std::min(begin + launch.chunk.granule, launch.chunk.end);
      launch.kernel->run_on_host(part);
      if (part.partials != nullptr) part.partials = static_cast<std::byte*>(part.partials) + bytes;
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Launch launch = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      Completion completion;
      completion.launch = launch.number;
      completion.begin_ns = steady_clock().now_ns();
      run_chunk(launch);
      completion.end_ns = steady_clock().now_ns();
      lock.lock();
      ended_.push_back(completion);
    }
  }

  DeviceInfo info_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Launch> waiting_;
  std::deque<Completion> ended_;
  bool stopping_ = false;
  std::thread runner_;
};

}  // namespace skua::test
