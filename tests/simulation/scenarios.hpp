// The named situations: eight devices, 100 ms of work for all of them, 12 us a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <skua/chunking.hpp>
#include <skua/reduction.hpp>

#include "support/virtual_machine.hpp"

namespace skua::test {

inline constexpr std::uint64_t scenario_items = 800'000;
inline constexpr std::uint64_t scenario_granule = 32;

inline double term(std::uint64_t i) {
  return 1.0 / (1.0 + static_cast<double>(i % 1013));
}
using Term = double (*)(std::uint64_t);
using SumKernel = ReduceKernel<double, Term, Plus>;

inline JobSpec sum_job(std::uint64_t items, std::uint64_t granule_items, const std::string& policy = "factoring") {
  JobSpec spec;
  spec.items = items;
  spec.granule_items = granule_items;
  spec.kernel = std::make_shared<SumKernel>(&term, Plus{});
  spec.policy = make_chunk_policy(policy);
  spec.policy_name = policy;
  spec.repeatable = true;
  return spec;
}

struct Scenario {
  std::string name;
  std::vector<Behaviour> devices;
  Work work;  ///< empty: each item is 1
  double total_work = static_cast<double>(scenario_items);
};

inline std::vector<Behaviour> equal_devices(std::uint64_t seed, double noise = 0, std::size_t count = 8) {
  std::vector<Behaviour> devices(count);
  for (std::size_t i = 0; i < count; ++i) {
    devices[i].seed = seed * count + i;
    devices[i].noise = noise;
  }
  return devices;
}

/// All but `ramp` have a little noise, so that seeds differ.
inline Scenario scenario(const std::string& name, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto chosen = static_cast<std::size_t>(random() % 8);
  Scenario result{name, equal_devices(seed, name == "noise" ? 0.1 : 0.01), {}};
  std::vector<Behaviour>& devices = result.devices;
  if (name == "one-half") devices[chosen].work_per_second = 0.5e6;
  if (name == "half-half") {
    for (std::size_t i = 4; i < 8; ++i) devices[i].work_per_second = 0.5e6;
  }
  if (name == "thirty") {
    // Under an even split devices 4 to 7 would be busy 30 % of the time; together all do 8e6 a second.
    for (std::size_t i = 0; i < 8; ++i) devices[i].work_per_second = i < 4 ? 0.3 * 2e6 / 1.3 : 2e6 / 1.3;
  }
  if (name == "ramp") {
    // From 0.5 to 1.5: the sum over all items is their number.
    result.work = [](std::uint64_t begin, std::uint64_t end) {
      const auto before = [](double i) { return 0.5 * i + 0.5 * i * i / static_cast<double>(scenario_items); };
      return before(static_cast<double>(end)) - before(static_cast<double>(begin));
    };
  }
  const double midway = 0.03 + 0.04 * std::uniform_real_distribution<double>(0, 1)(random);
  if (name == "drop") devices[chosen].changes = {{midway, 0.25}};
  if (name == "near-stop") devices[chosen].changes = {{midway, 0.02}};
  if (name == "neighbour") devices[chosen].changes = {{0.035, 0.5}, {0.070, 1}};
  if (name == "hang") devices[chosen].hangs_at = random() % 8;
  if (name == "error") devices[chosen].fails_at = random() % 8;
  return result;
}

inline double sum_of(const VirtualMachine::Run& run) {
  return combine_partials(run.job->partials(), 0.0, Plus{});
}

/// The same sum, computed without any scheduler.
inline double plain_sum(std::uint64_t items, std::uint64_t granule_items) {
  const SumKernel kernel(&term, Plus{});
  std::vector<double> sums((items + granule_items - 1) / granule_items);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Chunk chunk;
    chunk.begin = i * granule_items;
    chunk.end = std::min(items, chunk.begin + granule_items);
    chunk.granule = granule_items;
    chunk.partials = &sums[i];
    kernel.run_on_host(chunk);
  }
  Partials partials;
  partials.bytes_each = sizeof(double);
  const auto count = static_cast<std::uint32_t>(sums.size());
  if (count > 0) partials.pieces = {{{0, count}, reinterpret_cast<const std::byte*>(sums.data())}};
  return combine_partials(partials, 0.0, Plus{});
}

}  // namespace skua::test
