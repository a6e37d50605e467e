// A device for tests that knows which thread calls it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "devices.hpp"

namespace skua::test {

/// Counts the calls that do not come from the thread that attached it, and are not among those that others may make.
class WatchfulDevice final : public PassingDevice {
 public:
  explicit WatchfulDevice(std::unique_ptr<Device> inner) : PassingDevice(std::move(inner)) {}
  std::vector<std::string> attach() override {
    thread_ = std::this_thread::get_id();
    return PassingDevice::attach();
  }
  std::uint64_t filling_items(const Kernel& kernel, std::uint64_t granule) const override {
    look();
    return PassingDevice::filling_items(kernel, granule);
  }
  std::optional<double> occupancy(const Kernel& kernel, std::uint64_t granule) const override {
    look();
    return PassingDevice::occupancy(kernel, granule);
  }
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override {
    look();
    return PassingDevice::launch(kernel, chunk, number);
  }
  std::optional<Completion> poll() override {
    look();
    return PassingDevice::poll();
  }
  std::optional<Failure> copy(const Copy& copy, std::uint64_t number) override {
    look();
    return PassingDevice::copy(copy, number);
  }
  int strangers() const noexcept { return strangers_; }

 private:
  void look() const { strangers_ += std::this_thread::get_id() == thread_ ? 0 : 1; }

  std::atomic<std::thread::id> thread_{};
  mutable std::atomic<int> strangers_{0};
};

}  // namespace skua::test
