// The thread that asks the sensors.
#include "sampler.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <system/skua_thread.hpp>
#include <system/thread.hpp>

#include "amd.hpp"
#include "nvml.hpp"
#include "rounds.hpp"

namespace skua {

class Sampler::Thread {
 public:
  Thread(const Clock& clock, SamplerOptions options) : clock_(clock), options_(std::move(options)) {}
  ~Thread();

  void watch(const GpuAddress& gpu);
  GpuLoad latest(const GpuAddress& gpu) const;
  std::vector<std::string> notes() const;

 private:
  void run();
  void sample();
  void publish(const SensorRounds& rounds);

  const Clock& clock_;
  SamplerOptions options_;
  mutable std::mutex mutex_;  ///< over everything below; never held while a sensor is asked
  std::condition_variable changed_;
  std::map<GpuAddress, GpuLoad> loads_;
  std::vector<std::string> notes_;
  bool stops_ = false;
  std::thread thread_;
};

Sampler::Thread::~Thread() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Sampler::Thread::watch(const GpuAddress& gpu) {
  const std::lock_guard lock(mutex_);
  loads_.try_emplace(gpu);
  if (thread_.joinable()) return;
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    notes_ = {std::string("the load of GPUs is not known: the system gives no thread to read it: ") + error.what()};
  }
}

GpuLoad Sampler::Thread::latest(const GpuAddress& gpu) const {
  const std::lock_guard lock(mutex_);
  const auto found = loads_.find(gpu);
  return found == loads_.end() ? GpuLoad() : found->second;
}

std::vector<std::string> Sampler::Thread::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

void Sampler::Thread::publish(const SensorRounds& rounds) {
  const std::lock_guard lock(mutex_);
  for (auto& [gpu, load] : loads_) load = rounds.load(gpu);
  notes_ = rounds.notes();
}

void Sampler::Thread::sample() {
  const double rate_hz = std::clamp(options_.rate_hz, 10.0, 100.0);
  SensorRounds rounds(options_.open(), clock_, static_cast<std::int64_t>(1e9 / rate_hz));
  for (;;) {
    rounds.run();
    publish(rounds);
    const auto due_ns = rounds.due_ns();
    if (!due_ns) return;
    const std::chrono::nanoseconds pause(std::max<std::int64_t>(*due_ns - clock_.now_ns(), 0));
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, pause, [this] { return stops_; })) return;
  }
}

void Sampler::Thread::run() {
  name_this_thread("skua sampler");
  try {
    sample();
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    for (auto& [gpu, load] : loads_) load = {};
    notes_.push_back(std::string("the load of GPUs is not known: ") + error.what());
  }
}

Sampler::Sampler(const Clock& clock, SamplerOptions options)
    : thread_(std::make_unique<Thread>(clock, std::move(options))) {}

Sampler::~Sampler() = default;

void Sampler::watch(const GpuAddress& gpu) {
  thread_->watch(gpu);
}

GpuLoad Sampler::latest(const GpuAddress& gpu) const {
  return thread_->latest(gpu);
}

std::vector<std::string> Sampler::notes() const {
  return thread_->notes();
}

Sensors open_sensors() {
  Sensors sensors = open_amd_sensors();
  if (auto nvml = open_nvml_sensor()) sensors.push_back(std::move(nvml));
  return sensors;
}

}  // namespace skua
