// skua simulate.
#include "simulate_command.hpp"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <skua/described_machine.hpp>
#include <skua/faults.hpp>
#include <skua/input.hpp>
#include <skua/lower_bound.hpp>
#include <skua/policy.hpp>
#include <skua/replay.hpp>
#include <skua/scenario.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulate.hpp>
#include <skua/summary.hpp>
#include <text/pieces.hpp>

namespace skua {
namespace {

constexpr std::uint64_t default_items = 1'000'000;
constexpr std::uint64_t seeds_max = 1'000'000;
constexpr std::uint64_t number_max = 1'000'000;

std::optional<std::uint64_t> count_of(const std::string& text, const char* option, std::uint64_t least,
                                      std::uint64_t most) {
  if (text.empty()) return std::nullopt;
  const std::uint64_t value = parse_count(text, option);
  if (value < least || value > most) {
    throw InputError(fmt::format("{} {}: must be from {} to {}", option, text, least, most));
  }
  return value;
}

std::vector<std::string> policies_of(const std::string& text) {
  if (text == "all") return chunk_policy_names();
  std::vector<std::string> names;
  for (const std::string_view name : split(text, ',')) {
    names.emplace_back(trimmed(name));
    try {
      make_chunk_policy(names.back());
    } catch (const InputError& error) {
      throw InputError(std::string("--") + error.what());
    }
  }
  return names;
}

/// The machine, the scenario or the recorded run that the arguments name, as this seed makes it.
Scenario scenario_of(const SimulateArguments& arguments, std::uint64_t seed) {
  if (!arguments.replay.empty()) return read_recorded_run(arguments.replay);
  if (!arguments.scenario.empty()) return make_scenario(arguments.scenario, seed);
  Scenario made;
  made.name = arguments.machine;
  const auto gpus = count_of(arguments.gpus, "--gpus", 1, number_max);
  made.machine =
      read_simulated_machine(arguments.machine, gpus ? std::optional(static_cast<std::uint32_t>(*gpus)) : std::nullopt);
  for (std::size_t i = 0; i < made.machine.devices.size(); ++i) {
    made.machine.devices[i].seed = seed * made.machine.devices.size() + i;
  }
  made.costs = Costs(default_items, {1.0});
  made.granule_items = default_granule_items(default_items);
  return made;
}

void apply_options(const SimulateArguments& arguments, std::uint64_t seed, Scenario& scenario) {
  const auto items = count_of(arguments.items, "--items", 1, std::uint64_t{1} << 53);
  const std::uint64_t item_count = items.value_or(scenario.costs.items());
  const bool is_file = arguments.costs.ends_with(".csv");
  if (is_file) {
    scenario.costs = read_costs(arguments.costs, item_count);
  } else if (!arguments.costs.empty() || items) {
    scenario.costs = make_costs(arguments.costs.empty() ? "uniform" : arguments.costs, item_count, seed);
  }
  if (items) scenario.granule_items = default_granule_items(item_count);
  if (!arguments.bytes_per_item.empty()) {
    scenario.bytes_per_item = parse_number(arguments.bytes_per_item, "--bytes-per-item");
    if (scenario.bytes_per_item < 0) throw InputError("--bytes-per-item " + arguments.bytes_per_item + ": below 0");
  }
  if (const auto threads = count_of(arguments.host_threads, "--host-threads", 1, number_max)) {
    scenario.machine.host_threads = static_cast<std::uint32_t>(*threads);
  }
  if (arguments.faults.empty()) return;
  const double ideal_s = lower_bound_s(scenario.machine, scenario.costs, scenario.granule_items);
  apply_faults(parse_faults(arguments.faults), ideal_s, seed, scenario.machine.devices);
}

void write_trace(const std::string& path, const SimulationResult& result) {
  std::ofstream stream(path, std::ios::trunc);
  stream << result.trace << '\n';
  if (!stream.flush()) throw InputError("--trace " + path + ": cannot be written");
}

void check_arguments(const SimulateArguments& arguments, std::size_t policies, std::uint64_t seeds) {
  const int named = !arguments.machine.empty() + !arguments.scenario.empty() + !arguments.replay.empty();
  if (named != 1) throw InputError("simulate: give one of --machine FILE, --scenario NAME and --replay RUN.json");
  if (!arguments.gpus.empty() && arguments.machine.empty()) throw InputError("--gpus goes with --machine only");
  if (!arguments.trace.empty() && (policies > 1 || seeds > 1)) {
    throw InputError("--trace " + arguments.trace + ": a trace is of one policy and one seed");
  }
}

}  // namespace

int run_simulate_command(const SimulateArguments& arguments) {
  const std::vector<std::string> policies = policies_of(arguments.policy);
  const std::uint64_t first_seed = count_of(arguments.seed, "--seed", 0, std::uint64_t{1} << 53).value_or(1);
  const std::uint64_t seeds = count_of(arguments.seeds, "--seeds", 1, seeds_max).value_or(1);
  check_arguments(arguments, policies.size(), seeds);
  std::vector<PolicySummary> summaries;
  bool is_sound = true;
  for (const std::string& policy : policies) {
    std::vector<SimulationResult> results;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
      Scenario scenario = scenario_of(arguments, seed);
      apply_options(arguments, seed, scenario);
      if (summaries.empty() && results.empty()) {
        for (const std::string& note : scenario.notes) fmt::print(stderr, "skua: {}\n", note);
      }
      SimulationOptions options;
      options.policy = policy;
      if (!arguments.engine.empty()) options.engine = parse_simulation_engine(arguments.engine);
      options.traced = !arguments.trace.empty();
      results.push_back(simulate(scenario, options));
      SimulationResult& result = results.back();
      if (!result.fault.empty()) {
        fmt::print(stderr, "skua: policy {}, seed {}: {}\n", policy, seed, result.fault);
        is_sound = false;
      }
      if (options.traced) write_trace(arguments.trace, result);
    }
    summaries.push_back(summarize(policy, results));
  }
  const std::string title = !arguments.scenario.empty()  ? arguments.scenario
                            : !arguments.machine.empty() ? arguments.machine
                                                         : arguments.replay;
  const std::string text = arguments.json ? to_json(title, summaries)
                                          : fmt::format("{}, {} seed{}, lower bound {:.3f} ms\n", title, seeds,
                                                        seeds == 1 ? "" : "s", summaries.front().lower_bound_s * 1e3) +
                                                to_text(summaries);
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return is_written && is_sound ? 0 : 1;
}

}  // namespace skua
