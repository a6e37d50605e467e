// One reduction for pi and the slab, one for each option.
#include "solve.hpp"

#include <cstddef>

#include <skua/reduction.hpp>

#include "black_scholes.hpp"
#include "option.hpp"
#include "pi.hpp"
#include "report_sum.hpp"
#include "slab.hpp"

namespace monte_carlo {
namespace {

skua::JobOptions job_options(const Options& options, const char* name, const Watch& watch) {
  skua::JobOptions job;
  job.name = name;
  job.granule_items = options.granule_paths;
  job.policy = options.policy;
  job.cancellation = watch.cancellation;
  job.progress = watch.progress;
  return job;
}

Paths paths_of(const skua::Report& report) {
  return {report.items, report.items_done};
}

Solution solve_pi(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  const auto inside = scheduler.parallel_reduce(options.paths, std::uint64_t{0}, PiBody{options.seed}, skua::Plus{},
                                                job_options(options, "pi", watch));
  PiResult result{paths_of(inside.report), {}};
  // Each point counts 4 or 0.
  const double points = static_cast<double>(inside.value);
  result.pi = estimate(4 * points, 16 * points, result.paths.done);
  return {result, inside.report};
}

/// Progress over all options, told from that of one of them.
std::function<void(const skua::Progress&)> progress_from(const Watch& watch, const skua::Report& before,
                                                         std::uint64_t all_paths) {
  if (!watch.progress) return {};
  return [show = watch.progress, done = before.items_done, elapsed_s = before.makespan_s,
          all_paths](const skua::Progress& one) {
    show({all_paths, done + one.items_done, elapsed_s + one.elapsed_s});
  };
}

Solution solve_options(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  std::uint64_t all_paths = 0;
  for (const Position& position : options.positions) all_paths += position.paths;

  OptionResult result;
  skua::Report total;
  for (std::size_t i = 0; i < options.positions.size(); ++i) {
    const Position& position = options.positions[i];
    skua::JobOptions job = job_options(options, "option", watch);
    job.progress = progress_from(watch, total, all_paths);
    const auto sums = scheduler.parallel_reduce(
        position.paths, skua::Sums<2>{}, OptionBody(position.option, options.seed, static_cast<std::uint32_t>(i)),
        skua::Plus{}, job);
    const Paths paths = paths_of(sums.report);
    result.options.push_back({position.name, paths, estimate(sums.value.values[0], sums.value.values[1], paths.done),
                              black_scholes_price(position.option)});
    add_report(total, sums.report);
  }
  return {result, total};
}

Solution solve_slab(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  const Slab& slab = options.slab.slab;
  const auto sums = scheduler.parallel_reduce(options.paths, skua::Sums<6>{}, SlabBody(slab, options.seed),
                                              skua::Plus{}, job_options(options, "slab", watch));
  SlabResult result;
  result.case_name = options.slab.name;
  result.paths = paths_of(sums.report);
  result.specular_reflectance = specular_reflectance(slab);
  const auto& values = sums.value.values;
  result.reflectance = estimate(values[0], values[1], result.paths.done);
  if (result.reflectance.mean) *result.reflectance.mean += result.specular_reflectance;
  result.transmittance = estimate(values[2], values[3], result.paths.done);
  result.absorption = estimate(values[4], values[5], result.paths.done);
  result.published = options.slab.published;
  return {result, sums.report};
}

}  // namespace

Solution solve(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  switch (options.problem) {
    case Problem::pi:
      return solve_pi(scheduler, options, watch);
    case Problem::option:
      return solve_options(scheduler, options, watch);
    case Problem::slab:
      break;
  }
  return solve_slab(scheduler, options, watch);
}

}  // namespace monte_carlo
