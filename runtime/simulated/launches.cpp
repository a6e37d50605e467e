// A launch's work, and when it ends: by itself, at a granule border after it was dropped, by a failure, or never.
#include "launches.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "engine.hpp"

namespace skua {

std::int64_t simulated_ns(double seconds) noexcept {
  const bool is_near = std::isfinite(seconds) && seconds < 1e6;
  return is_near ? Simulation::start_ns + std::llround(seconds * 1e9) : SimulatedLaunches::never_ns;
}

double simulated_s(std::int64_t ns) noexcept {
  return static_cast<double>(ns - Simulation::start_ns) * 1e-9;
}

SimulatedLaunches::SimulatedLaunches(const SimulatedSetting& setting, std::size_t index)
    : setting_(setting), device_(setting.machine.devices[index]) {
  info_.name = device_.name;
  info_.gpu = device_.gpu;
  info_.rate_guess = device_.rate_guess;
  info_.can.launches_max = device_.launches_max;
  info_.can.reaches_host_memory = true;
  info_.can.stops_at_granules = device_.stops_at_granules && device_.stops_when_dropped;
}

std::uint64_t SimulatedLaunches::filling_items(const Kernel&, std::uint64_t) const {
  return device_.told_filling_items.value_or(device_.filling_items);
}

std::optional<double> SimulatedLaunches::occupancy(const Kernel&, std::uint64_t) const {
  return device_.occupancy;
}

std::optional<Failure> SimulatedLaunches::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  if (lost_) return Failure{Failure::Kind::lost, "refused: the device failed before", nullptr};
  Held held;
  held.ordinal = launches_++;
  if (device_.refuses_at && held.ordinal >= *device_.refuses_at) {
    return Failure{Failure::Kind::launch, "refused in the simulation", nullptr};
  }
  if (device_.host_s > 0) spend_on_host(device_.host_s);
  settle();
  held.kernel = &kernel;
  held.chunk = chunk;
  held.number = number;
  held.is_queued = !is_idle();
  held_.push_back(held);
  launched();
  return std::nullopt;
}

double SimulatedLaunches::launch_seconds(const Held& held) const noexcept {
  return held.is_queued ? device_.queued_s.value_or(device_.launch_s) : device_.launch_s;
}

std::vector<SimulatedLaunches::Transfer> SimulatedLaunches::transfers(const Chunk& chunk) {
  std::vector<Transfer> found;
  const std::vector<std::uint64_t>& homes = setting_.loop.homes;
  if (homes.empty() || setting_.loop.bytes_per_item <= 0) return found;
  for (std::size_t home = 0; home < homes.size(); ++home) {
    const std::uint64_t begin = std::max(chunk.begin, homes[home]);
    const std::uint64_t end = home + 1 < homes.size() ? std::min(chunk.end, homes[home + 1]) : chunk.end;
    const SimulatedDevice& from = setting_.machine.devices[home];
    if (begin >= end || &from == &device_) continue;
    const double bytes = static_cast<double>(end - begin) * setting_.loop.bytes_per_item;
    bytes_moved_ += static_cast<std::uint64_t>(bytes);
    if (!from.gpu || !device_.gpu) continue;
    found.push_back({bytes, setting_.links.path(from.gpu->index, device_.gpu->index)});
  }
  return found;
}

double SimulatedLaunches::work_of(const Held& held) const {
  const Chunk& chunk = held.chunk;
  const auto& work_of_items = setting_.loop.work;
  double work = work_of_items ? work_of_items(chunk.begin, chunk.end) : static_cast<double>(chunk.items());
  if (chunk.items() < device_.filling_items) {
    work *= static_cast<double>(device_.filling_items) / static_cast<double>(chunk.items());
  }
  if (held.ordinal == 0) work *= device_.first_chunk_factor;
  if (device_.jitter <= 0) return work;
  std::mt19937_64 random(device_.seed * 1'000'003 + held.ordinal);
  return work * (1 + std::uniform_real_distribution<double>(-device_.jitter, device_.jitter)(random));
}

void SimulatedLaunches::begin_work(Held& held, std::int64_t now_ns) const {
  held.work_ns = now_ns;
  plan_end(held);
}

bool SimulatedLaunches::can_stop(const Held& held) const noexcept {
  return device_.stops_when_dropped && held.kernel->unit() == Kernel::Unit::granule;
}

void SimulatedLaunches::plan_end(Held& held) const {
  const double begin_s = simulated_s(*held.work_ns);
  const double work = work_of(held);
  held.granules_run = held.chunk.granules();
  held.fails = false;
  double end_s = std::numeric_limits<double>::infinity();
  if (!device_.hangs_at || held.ordinal < *device_.hangs_at) {
    end_s = held.dropped_ns && can_stop(held) ? drop_at_border(held, work) : end_of_work(device_, begin_s, work);
  }
  if (device_.fails_from_s && end_s > *device_.fails_from_s) {
    held.fails = true;
    end_s = std::max(begin_s, *device_.fails_from_s);
  }
  held.end_ns = std::max(simulated_ns(end_s), held.begin_ns + 1);
}

/// The first border that it reaches once it was seen to be dropped. Borders are where the work of the granules before
/// them is done.
double SimulatedLaunches::drop_at_border(Held& held, double work) const {
  const Chunk& chunk = held.chunk;
  const double begin_s = simulated_s(*held.work_ns);
  const double dropped_s = simulated_s(*held.dropped_ns);
  const auto& work_of_items = setting_.loop.work;
  const double all = work_of_items ? work_of_items(chunk.begin, chunk.end) : static_cast<double>(chunk.items());
  const auto reached_s = [&](std::uint64_t granules) {
    if (granules == 0) return begin_s;
    const std::uint64_t end = granules == chunk.granules() ? chunk.end : chunk.begin + granules * chunk.granule;
    const bool is_free = !(all > 0);
    const double before =
        work_of_items && !is_free ? work_of_items(chunk.begin, end) : static_cast<double>(end - chunk.begin);
    return end_of_work(device_, begin_s, work * (before / (is_free ? static_cast<double>(chunk.items()) : all)));
  };
  std::uint64_t low = chunk.drop.is_asked() ? 1 : 0;
  std::uint64_t high = chunk.granules();
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (reached_s(middle) < dropped_s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  held.granules_run = low;
  return std::max(reached_s(low), std::min(dropped_s, reached_s(chunk.granules())));
}

bool SimulatedLaunches::look_at_drops() {
  if (is_idle()) return false;
  settle();
  bool is_cut = false;
  for (std::size_t i = ended_; i < held_.size(); ++i) {
    Held& held = held_[i];
    if (held.dropped_ns || !held.chunk.drop.now()) continue;
    held.dropped_ns = now_ns();
    if (!held.work_ns) continue;
    plan_end(held);
    replanned();
    is_cut = true;
  }
  return is_cut;
}

bool SimulatedLaunches::hangs() const noexcept {
  return ended_ < held_.size() && held_[ended_].work_ns && held_[ended_].end_ns == never_ns;
}

void SimulatedLaunches::run_granules(const Held& held) const {
  Chunk part = held.chunk;
  if (held.kernel->unit() != Kernel::Unit::granule) return held.kernel->run_on_host(part);
  for (std::uint64_t granule = 0; granule < held.granules_run; ++granule) {
    part.end = granule + 1 == held.chunk.granules() ? held.chunk.end : part.begin + part.granule;
    held.kernel->run_on_host(part);
    part.begin = part.end;
    if (part.partials != nullptr) part.partials = static_cast<std::byte*>(part.partials) + held.kernel->partial_bytes();
  }
}

std::optional<Completion> SimulatedLaunches::poll() {
  settle();
  if (ended_ == 0) return std::nullopt;
  const Held held = held_.front();
  held_.pop_front();
  --ended_;
  Completion completion;
  completion.launch = held.number;
  completion.begin_ns = held.begin_ns;
  completion.end_ns = held.end_ns;
  if (device_.lost_at && held.ordinal >= *device_.lost_at) {
    lost_ = true;
    completion.failure = Failure{Failure::Kind::lost, "lost in the simulation", nullptr};
    return completion;
  }
  if (held.fails || device_.fails_at == held.ordinal) {
    lost_ = held.fails;
    completion.failure = Failure{Failure::Kind::launch, "failed in the simulation", nullptr};
    return completion;
  }
  run_granules(held);
  completion.whole = held.granules_run == held.chunk.granules();
  if (!completion.whole && held.granules_run > 0) completion.done_before_drop = {{0, held.granules_run}};
  return completion;
}

void SimulatedLaunches::forget_launches() {
  held_.clear();
  ended_ = 0;
}

}  // namespace skua
