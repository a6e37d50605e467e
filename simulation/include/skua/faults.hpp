// What goes wrong on a simulated machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/simulated.hpp>

namespace skua {

enum class FaultKind { slow, near_stop, stall, hang, error, occupancy, host, first_chunk };

/// One fault; what is not given is chosen by the seed, or is the kind's own.
struct Fault {
  FaultKind kind = FaultKind::slow;
  std::optional<std::uint32_t> device{};
  std::optional<double> at_s{};
  std::optional<double> for_s{};
  std::optional<double> factor{};
};

/// FAULT[;FAULT...], each KIND@DEVICE[:OPTION=VALUE[,OPTION=VALUE...]]. DEVICE is a number or `any`.
///
/// slow       runs at factor (0.25) of its rate          near-stop  runs at factor (0.02)
/// stall      stands still for `for` (0.2 s)             hang       never ends anything again
/// error      fails what it runs, and is then retired    occupancy  says factor (8) times what fills it
/// host       its host thread takes 200 us a look, times factor (1)
/// first-chunk  its first chunk takes factor (300) times as long
///
/// at=SECONDS is when (a random moment of the middle of the run); for=SECONDS how long slow and near-stop last (for
/// ever).
/// Fails: InputError that names the part of the text.
std::vector<Fault> parse_faults(const std::string& text);

/// Fails: InputError for a device that is not there.
void apply_faults(const std::vector<Fault>& faults, double ideal_s, std::uint64_t seed,
                  std::vector<SimulatedDevice>& devices);

/// The device runs at `factor` of what it would have from from_s to until_s; nothing: for ever.
void change_rate(SimulatedDevice& device, double from_s, std::optional<double> until_s, double factor);

}  // namespace skua
