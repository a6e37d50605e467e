// The grammar of --faults, and what each fault does to a device.
#include <skua/faults.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <skua/input.hpp>
#include <text/pieces.hpp>

namespace skua {
namespace {

const std::map<std::string, FaultKind>& kinds() {
  static const std::map<std::string, FaultKind> all = {
      {"slow", FaultKind::slow},   {"near-stop", FaultKind::near_stop},
      {"stall", FaultKind::stall}, {"hang", FaultKind::hang},
      {"error", FaultKind::error}, {"occupancy", FaultKind::occupancy},
      {"host", FaultKind::host},   {"first-chunk", FaultKind::first_chunk}};
  return all;
}

void read_option(const std::string& option, const std::string& what, Fault& fault) {
  const std::size_t equals = option.find('=');
  const std::string name = option.substr(0, equals);
  if (equals == std::string::npos || (name != "at" && name != "for" && name != "factor")) {
    throw InputError(what + ": '" + option + "' is none of at=SECONDS, for=SECONDS, factor=NUMBER");
  }
  const std::string value_text = option.substr(equals + 1);
  if (name == "at" && value_text == "random") return;
  const double value = parse_number(value_text, what + ": " + name);
  if (value < 0) throw InputError(what + ": " + name + " must not be negative");
  (name == "at" ? fault.at_s : name == "for" ? fault.for_s : fault.factor) = value;
}

Fault parse_fault(const std::string& text) {
  const std::string what = "--faults " + text;
  const std::size_t at = text.find('@');
  if (at == std::string::npos) throw InputError(what + ": give KIND@DEVICE, as hang@3 or slow@any:at=0.05");
  const auto kind = kinds().find(text.substr(0, at));
  if (kind == kinds().end()) {
    std::string names;
    for (const auto& [name, value] : kinds()) names += (names.empty() ? "" : ", ") + name;
    throw InputError(what + ": no such fault; there are " + names);
  }
  Fault fault;
  fault.kind = kind->second;
  const std::size_t colon = std::min(text.find(':', at), text.size());
  const std::string device = text.substr(at + 1, colon - at - 1);
  if (device != "any") {
    const std::uint64_t number = parse_count(device, what + ": device");
    if (number > 0xffff'ffff) throw InputError(what + ": there is no device " + device);
    fault.device = static_cast<std::uint32_t>(number);
  }
  if (colon == text.size()) return fault;
  for (const std::string_view option : split(std::string_view(text).substr(colon + 1), ',')) {
    read_option(std::string(option), what, fault);
  }
  return fault;
}

void apply(const Fault& fault, double at_s, SimulatedDevice& device) {
  const auto until = [&](std::optional<double> lasts_s) {
    return lasts_s ? std::optional<double>(at_s + *lasts_s) : std::nullopt;
  };
  switch (fault.kind) {
    case FaultKind::slow:
      return change_rate(device, at_s, until(fault.for_s), fault.factor.value_or(0.25));
    case FaultKind::near_stop:
      return change_rate(device, at_s, until(fault.for_s), fault.factor.value_or(0.02));
    case FaultKind::stall:
      return change_rate(device, at_s, until(fault.for_s.value_or(0.2)), 0);
    case FaultKind::hang:
      return change_rate(device, at_s, std::nullopt, 0);
    case FaultKind::error:
      device.fails_from_s = std::min(at_s, device.fails_from_s.value_or(at_s));
      return;
    case FaultKind::occupancy: {
      const double told = std::max(1.0, static_cast<double>(device.filling_items) * fault.factor.value_or(8));
      device.told_filling_items = static_cast<std::uint64_t>(std::min(told, 1e18));
      device.occupancy = std::min(1.0, 1 / std::max(1.0, fault.factor.value_or(8)));
      return;
    }
    case FaultKind::host:
      device.step_s += 200e-6 * fault.factor.value_or(1);
      return;
    case FaultKind::first_chunk:
      device.first_chunk_factor = fault.factor.value_or(300);
      return;
  }
}

}  // namespace

std::vector<Fault> parse_faults(const std::string& text) {
  std::vector<Fault> faults;
  for (const std::string_view part : split(text, ';')) faults.push_back(parse_fault(std::string(part)));
  return faults;
}

void change_rate(SimulatedDevice& device, double from_s, std::optional<double> until_s, double factor) {
  const auto factor_at = [&](double s) {
    double found = 1;
    for (const RateChange& change : device.changes) {
      if (change.from_s <= s) found = change.factor;
    }
    return found;
  };
  std::vector<double> moments = {from_s};
  if (until_s) moments.push_back(*until_s);
  for (const RateChange& change : device.changes) moments.push_back(change.from_s);
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  std::vector<RateChange> changes;
  for (const double moment : moments) {
    const bool inside = moment >= from_s && (!until_s || moment < *until_s);
    changes.push_back({moment, factor_at(moment) * (inside ? factor : 1)});
  }
  device.changes = std::move(changes);
}

void apply_faults(const std::vector<Fault>& faults, double ideal_s, std::uint64_t seed,
                  std::vector<SimulatedDevice>& devices) {
  std::mt19937_64 random(seed);
  for (const Fault& fault : faults) {
    const auto drawn = static_cast<std::size_t>(random() % devices.size());
    const double drawn_s = ideal_s * std::uniform_real_distribution<double>(0.3, 0.7)(random);
    const std::size_t index = fault.device.value_or(static_cast<std::uint32_t>(drawn));
    if (index >= devices.size()) {
      throw InputError("--faults: there is no device " + std::to_string(index) + ": the last one is " +
                       std::to_string(devices.size() - 1));
    }
    apply(fault, fault.at_s.value_or(drawn_s), devices[index]);
  }
}

}  // namespace skua
