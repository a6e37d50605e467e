// Asks sensors in turn, each at a rate that it can bear.
#include "rounds.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace skua {
namespace {

// A sensor may take this part of the sampling thread's time; more makes it wait longer for its next turn.
constexpr std::int64_t cost_ratio = 10;

SensorAnswer answer_of(Sensor& sensor) {
  try {
    return sensor.sample();
  } catch (const std::exception& error) {
    return {{}, std::string("a sensor of GPU load failed: ") + error.what()};
  }
}

}  // namespace

SensorRounds::SensorRounds(Sensors sensors, const Clock& clock, std::int64_t interval_ns)
    : clock_(clock), interval_ns_(interval_ns) {
  for (auto& sensor : sensors) {
    if (sensor) entries_.push_back({std::move(sensor), clock_.now_ns(), {}});
  }
}

void SensorRounds::ask(Entry& entry) {
  const std::int64_t begin_ns = clock_.now_ns();
  SensorAnswer answer = answer_of(*entry.sensor);
  const std::int64_t end_ns = clock_.now_ns();
  entry.loads.clear();
  if (answer.failure) {
    notes_.push_back(std::move(*answer.failure));
    entry.sensor.reset();
    return;
  }
  for (GpuSample& sample : answer.samples) {
    sample.load.at_ns = end_ns;
    entry.loads[sample.gpu].fill_from(sample.load);
  }
  entry.due_ns = std::max(begin_ns + interval_ns_, end_ns + (end_ns - begin_ns) * (cost_ratio - 1));
}

void SensorRounds::run() {
  for (Entry& entry : entries_) {
    if (entry.due_ns <= clock_.now_ns()) ask(entry);
  }
  std::erase_if(entries_, [](const Entry& entry) { return entry.sensor == nullptr; });
}

std::optional<std::int64_t> SensorRounds::due_ns() const {
  const auto first = std::min_element(entries_.begin(), entries_.end(),
                                      [](const Entry& a, const Entry& b) { return a.due_ns < b.due_ns; });
  return first == entries_.end() ? std::nullopt : std::optional(first->due_ns);
}

GpuLoad SensorRounds::load(const GpuAddress& gpu) const {
  GpuLoad load;
  for (const Entry& entry : entries_) {
    if (const auto found = entry.loads.find(gpu); found != entry.loads.end()) load.fill_from(found->second);
  }
  return load;
}

}  // namespace skua
