// A launch's way: launch cost, bytes, work at the rate of the moment, and its end.
#include "simulated_launches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

namespace skua {

namespace sg = simgrid::s4u;

std::int64_t SimulatedClock::now_ns() const noexcept {
  return Simulation::start_ns + std::llround((sg::Engine::get_clock() - origin_s_) * 1e9);
}

void SimulatedClock::sleep_until_s(double at_s) const {
  const double wait_s = origin_s_ + std::round(at_s * 1e9) * 1e-9 - sg::Engine::get_clock();
  if (wait_s > 1e-12) sg::this_actor::sleep_for(wait_s);
}

SimulatedLaunches::SimulatedLaunches(Context context) : context_(context) {
  info_.name = context_.device.name;
  info_.kind = DeviceKind::simulated;
  info_.gpu = context_.device.gpu;
  info_.rate_guess = context_.device.rate_guess;
  info_.launches_max = context_.device.launches_max;
}

std::uint64_t SimulatedLaunches::filling_items(const Kernel&, std::uint64_t) const {
  return context_.device.told_filling_items.value_or(context_.device.filling_items);
}

std::optional<Failure> SimulatedLaunches::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  if (lost_) return Failure{Failure::Kind::launch, "refused: the device failed before", nullptr};
  if (context_.device.host_s > 0) sg::this_actor::sleep_for(context_.device.host_s);
  Held held;
  held.kernel = &kernel;
  held.chunk = chunk;
  held.number = number;
  held.launch = launches_++;
  held.queued = held_.size() > ended_;
  held_.push_back(held);
  work_->release();
  return std::nullopt;
}

void SimulatedLaunches::serve() {
  for (;;) {
    work_->acquire();
    run(held_[ended_]);
    ++ended_;
    on_end();
  }
}

/// References stay: a deque moves nothing when it grows at the back or shrinks at the front.
void SimulatedLaunches::run(Held& held) {
  const SimulatedDevice& device = context_.device;
  const SimulatedClock& clock = context_.clock;
  clock.sleep_until_s(clock.now_s() + (held.queued ? device.queued_s.value_or(device.launch_s) : device.launch_s));
  held.begin_ns = clock.now_ns();
  fetch(held.chunk);
  if (held.launch == 0 && device.first_chunk_extra_s > 0)
    clock.sleep_until_s(clock.now_s() + device.first_chunk_extra_s);
  double end_s = end_of_work(device, clock.now_s(), work_of(held));
  if (device.fails_from_s && end_s > *device.fails_from_s) {
    held.failed = true;
    end_s = std::max(clock.now_s(), *device.fails_from_s);
  }
  if (!std::isfinite(end_s) || end_s > 1e6) hang();
  clock.sleep_until_s(std::max(end_s, clock.now_s() + 1e-9));
  held.end_ns = clock.now_ns();
}

double SimulatedLaunches::work_of(const Held& held) const {
  const SimulatedDevice& device = context_.device;
  const Chunk& chunk = held.chunk;
  double work = context_.loop.work ? context_.loop.work(chunk.begin, chunk.end) : static_cast<double>(chunk.items());
  if (chunk.items() < device.filling_items) {
    work *= static_cast<double>(device.filling_items) / static_cast<double>(chunk.items());
  }
  if (held.launch == 0) work *= device.first_chunk_factor;
  if (device.jitter <= 0) return work;
  std::mt19937_64 random(device.seed * 1'000'003 + held.launch);
  return work * (1 + std::uniform_real_distribution<double>(-device.jitter, device.jitter)(random));
}

/// All links of all paths carry their bytes at once; the chunk can run when the last one is done.
void SimulatedLaunches::fetch(const Chunk& chunk) {
  const std::vector<std::uint64_t>& homes = context_.loop.homes;
  if (homes.empty() || context_.loop.bytes_per_item <= 0) return;
  std::vector<sg::ExecPtr> transfers;
  for (std::size_t home = 0; home < homes.size(); ++home) {
    const std::uint64_t begin = std::max(chunk.begin, homes[home]);
    const std::uint64_t end = home + 1 < homes.size() ? std::min(chunk.end, homes[home + 1]) : chunk.end;
    const SimulatedDevice& from = context_.machine.devices[home];
    if (begin >= end || &from == &context_.device) continue;
    const double bytes = static_cast<double>(end - begin) * context_.loop.bytes_per_item;
    bytes_moved_ += static_cast<std::uint64_t>(bytes);
    if (!from.gpu || !context_.device.gpu) continue;
    for (const auto& crossing : context_.links.path(from.gpu->index, context_.device.gpu->index)) {
      // Host::exec_async() would run it on the host of the calling actor.
      const sg::ExecPtr transfer = sg::Exec::init();
      transfer->set_flops_amount(bytes / crossing.bytes_per_second)->set_host(simulated_resource(crossing.link));
      transfer->start();
      transfers.push_back(transfer);
    }
  }
  for (const auto& transfer : transfers) transfer->wait();
}

void SimulatedLaunches::hang() {
  hangs_ = true;
  on_end();
  sg::Semaphore::create(0)->acquire();
}

double SimulatedLaunches::end_s() const noexcept {
  return static_cast<double>(held_.front().end_ns - Simulation::start_ns) * 1e-9;
}

std::optional<Completion> SimulatedLaunches::poll() {
  if (ended_ == 0) return std::nullopt;
  const Held held = held_.front();
  held_.pop_front();
  --ended_;
  Completion completion;
  completion.launch = held.number;
  completion.begin_ns = held.begin_ns;
  completion.end_ns = held.end_ns;
  if (held.failed) {
    lost_ = true;
    completion.failure = Failure{Failure::Kind::launch, "failed in the simulation", nullptr};
    return completion;
  }
  Chunk part = held.chunk;
  for (const std::uint64_t granules = held.chunk.granules(); part.begin < held.chunk.end;) {
    part.end = granules == 1 ? held.chunk.end : std::min(part.begin + part.granule, held.chunk.end);
    held.kernel->run_on_host(part);
    part.begin = part.end;
    if (part.partials != nullptr) part.partials = static_cast<std::byte*>(part.partials) + held.kernel->partial_bytes();
  }
  return completion;
}

void SimulatedLaunches::forget_launches() {
  held_.clear();
  ended_ = 0;
  hangs_ = false;
  work_ = sg::Semaphore::create(0);
}

}  // namespace skua
