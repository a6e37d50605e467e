// The named situations, unless said otherwise: eight devices, 100 ms of work for all of them, 12 us a launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <skua/chunking.hpp>
#include <skua/reduction.hpp>

#include "virtual_machine.hpp"

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
  std::uint64_t items = scenario_items;
  std::uint64_t granule_items = scenario_granule;
  Work work;                     ///< empty: each item is 1
  double total_work = 0;         ///< of all items
  double costliest_granule = 1;  ///< work of it
  int jobs_before = 0;           ///< Jobs of the same name that ran before the one that counts
  VirtualMachine::Options options;
  double unit_bound_s = 0;  ///< set where the bound is not the fluid one
};

/// Fails: std::invalid_argument for a name that there is not.
Scenario scenario(const std::string& name, std::uint64_t seed);

/// One run of a scenario: the Job that counts, and what it reached.
struct Outcome {
  VirtualMachine::Run run;
  double bound_s = 0;
  double efficiency() const { return bound_s / run.report.makespan_s; }
};

/// `placement` by the rates that earlier Jobs have taught, where there were any.
Outcome run_scenario(const Scenario& situation, const std::string& policy = "factoring");

std::vector<Behaviour> equal_devices(std::uint64_t seed, double noise = 0, std::size_t count = 8);

inline double sum_of(const VirtualMachine::Run& run) {
  return combine_partials(run.job->partials(), 0.0, Plus{});
}

/// The same sum, computed without any scheduler.
double plain_sum(std::uint64_t items, std::uint64_t granule_items);

}  // namespace skua::test
