// What is simulated: a machine, a loop, and what goes wrong. The named ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skua/costs.hpp>
#include <skua/simulated.hpp>

namespace skua {

/// A loop that ran before.
struct EarlierLoop {
  Costs costs{1, {1.0}};
  std::uint64_t granule_items = 1;
  double cost_factor = 1;  ///< of every item, against the loop that is measured
};

struct Scenario {
  std::string name;
  SimulatedMachine machine;
  Costs costs{1, {1.0}};
  std::uint64_t granule_items = 1;
  double bytes_per_item = 0;
  std::vector<std::uint64_t> homes;  ///< first item that lies with each device; empty: where an even split puts it
  bool repeatable = true;            ///< late chunks may run again
  std::vector<double> placement;     ///< weights of the first deal; empty: by what is known or guessed of rates
  std::vector<EarlierLoop> before;   ///< of the same name, whatever they cost
  int jobs_before = 0;               ///< of the loop itself, after those, so that rates are known
  bool is_launched = false;          ///< chunks are launched whole, as the kernels of a program (Scheduler::launch)
  std::uint64_t filling_items = 0;   ///< what the program says fills a device; 0: nothing
  std::vector<std::string> notes;    ///< on how it was read
};

std::vector<std::string> scenario_names();

/// Chance comes from the seed alone.
/// Fails: InputError that names the text and the scenarios.
Scenario make_scenario(const std::string& name, std::uint64_t seed);

}  // namespace skua
