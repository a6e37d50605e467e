// A group of the host's cores as a device.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <skua/clock.hpp>
#include <skua/device.hpp>

#include "launch_ring.hpp"

#include "cores.hpp"
#include "granule_counts.hpp"

namespace skua {

/// The thread that drives it is its first core, so a chunk costs no hand-over to another thread.
class HostDevice final : public Device {
 public:
  HostDevice(DeviceInfo info, unsigned cores, const Clock& clock);

  const DeviceInfo& info() const noexcept override { return info_; }
  std::vector<std::string> attach() override;
  std::optional<Failure> launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) override;
  std::optional<Completion> poll() override;
  std::optional<Failure> copy(const Copy& copy, std::uint64_t number) override;
  std::uint64_t granules_done(std::uint64_t number) const noexcept override { return counts_.done(number); }

 private:
  struct Launch {
    const Kernel* kernel = nullptr;
    Chunk chunk;
    std::uint64_t number = 0;
  };

  Completion run(const Launch& launch);

  DeviceInfo info_;
  unsigned core_count_;
  std::unique_ptr<Cores> cores_;
  GranuleCounts counts_;
  const Clock& clock_;
  LaunchRing<Launch, 1> waiting_;
  std::deque<std::pair<std::uint64_t, Copy>> copies_;
};

}  // namespace skua
