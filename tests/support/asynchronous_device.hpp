// A device for tests that completes on a thread of its own.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <skua/device.hpp>

#include "devices.hpp"

namespace skua::test {

/// Runs chunks on a thread of its own, two in flight, as a GPU would; looks between granules whether they are dropped.
class AsynchronousDevice final : public Device {
 public:
  explicit AsynchronousDevice(std::string name, bool stays_warm = false) : runner_([this] { run(); }) {
    info_.name = std::move(name);
    info_.can.stays_warm = stays_warm;
    info_.can.reaches_host_memory = true;
  }
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

  static void run_chunk(const Launch& launch, Completion& completion) {
    const std::size_t bytes = launch.kernel->partial_bytes();
    Chunk part = launch.chunk;
    std::uint64_t granules = 0;
    for (std::uint64_t begin = launch.chunk.begin; begin < launch.chunk.end; begin = part.end, ++granules) {
      if (launch.chunk.drop.now()) {
        completion.whole = false;
        if (granules > 0) completion.done_before_drop = {{0, granules}};
        return;
      }
      const bool whole = launch.kernel->unit() != Kernel::Unit::granule;
      part.begin = begin;
      part.end = whole ? launch.chunk.end : std::min(begin + launch.chunk.granule, launch.chunk.end);
      try {
        launch.kernel->run_on_host(part);
      } catch (...) {
        if (granules > 0) completion.done_before_drop = {{0, granules}};
        throw;
      }
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
      try {
        const BodyScope scope;
        run_chunk(launch, completion);
      } catch (const std::exception& error) {
        completion.failure = Failure{Failure::Kind::body, error.what(), std::current_exception()};
      }
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
