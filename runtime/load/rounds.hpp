// Which sensor is asked when, and what all of them say together; without a thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/clock.hpp>
#include "sampler.hpp"

namespace skua {

class SensorRounds {
 public:
  SensorRounds(Sensors sensors, const Clock& clock, std::int64_t interval_ns);

  /// Asks the sensors whose time has come.
  void run();

  /// When the next one's time comes; nothing when no sensor is left.
  std::optional<std::int64_t> due_ns() const;

  GpuLoad load(const GpuAddress& gpu) const;
  const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  struct Entry {
    std::unique_ptr<Sensor> sensor;
    std::int64_t due_ns = 0;
    std::map<GpuAddress, GpuLoad> loads;
  };
  void ask(Entry& entry);

  std::vector<Entry> entries_;
  const Clock& clock_;
  std::int64_t interval_ns_;
  std::vector<std::string> notes_;
};

}  // namespace skua
