// Devices for tests: host devices with something wrong.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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
  Awaited default_queue() const noexcept override { return inner_->default_queue(); }
  bool can_wait_for(const EarlierWork& work) const noexcept override { return inner_->can_wait_for(work); }
  void wait_for(const std::shared_ptr<const EarlierWork>& work) override { inner_->wait_for(work); }
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
  Memory allocate(std::size_t bytes, MemoryPlace place) override { return inner_->allocate(bytes, place); }
  std::optional<Failure> copy(const Copy& copy, std::uint64_t number) override { return inner_->copy(copy, number); }
  std::shared_ptr<std::atomic<std::uint64_t>> share_word() override { return inner_->share_word(); }

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

/// Throws out of its `failing`-th launch (counted from 1) and all later ones, against its contract.
class ThrowingDevice final : public PassingDevice {
 public:
  ThrowingDevice(std::unique_ptr<Device> inner, unsigned failing)
      : PassingDevice(std::move(inner)), failing_(failing) {}
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    if (++launches_ >= failing_) throw 7;
    return PassingDevice::launch(kernel, chunk, number);
  }

 private:
  unsigned failing_;
  unsigned launches_ = 0;
};

/// Throws out of poll() in place of its `failing`-th launch (counted from 1) and all later ones.
class PollThrowingDevice final : public PassingDevice {
 public:
  PollThrowingDevice(std::unique_ptr<Device> inner, unsigned failing)
      : PassingDevice(std::move(inner)), failing_(failing) {}
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    ++launches_;
    return PassingDevice::launch(kernel, chunk, number);
  }
  std::optional<Completion> poll() override {
    if (launches_ >= failing_) throw std::runtime_error("gone for the test");
    return PassingDevice::poll();
  }

 private:
  unsigned failing_;
  unsigned launches_ = 0;
};

/// Takes its `hanging`-th launch, and all later ones, and ends none of them before release() is called, or, where it
/// looks at that, before they are dropped.
class HangingDevice final : public PassingDevice {
 public:
  HangingDevice(std::unique_ptr<Device> inner, unsigned hanging, bool ends_when_dropped = false)
      : PassingDevice(std::move(inner)), hanging_(hanging), ends_when_dropped_(ends_when_dropped) {
    info_ = PassingDevice::info();
    info_.can.runs_in_poll = false;
  }
  const DeviceInfo& info() const noexcept override { return info_; }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    if (!released_ && ++launches_ >= hanging_) {
      held_ = {&kernel, chunk, number};
      has_hung_ = true;
      return std::nullopt;
    }
    return PassingDevice::launch(kernel, chunk, number);
  }
  std::optional<Completion> poll() override {
    if (!held_.kernel) return PassingDevice::poll();
    if (ends_when_dropped_ && held_.chunk.drop.now()) {
      Completion dropped;
      dropped.launch = std::exchange(held_, {}).number;
      dropped.begin_ns = dropped.end_ns = steady_clock().now_ns();
      dropped.whole = false;
      return dropped;
    }
    if (!released_) return std::nullopt;
    const Held held = std::exchange(held_, {});
    static_cast<void>(PassingDevice::launch(*held.kernel, held.chunk, held.number));
    return PassingDevice::poll();
  }

  /// From any thread: what hangs ends soon, and nothing hangs any more.
  void release() { released_ = true; }
  /// From any thread: whether it has come so far.
  bool has_hung() const noexcept { return has_hung_; }

 private:
  struct Held {
    const Kernel* kernel = nullptr;
    Chunk chunk;
    std::uint64_t number = 0;
  };

  DeviceInfo info_;
  unsigned hanging_;
  const bool ends_when_dropped_;
  unsigned launches_ = 0;
  Held held_;
  std::atomic<bool> has_hung_{false};
  std::atomic<bool> released_{false};
};

}  // namespace skua::test
