// One Job for each problem, also for all options of a portfolio.
#include "solve.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include <skua/reduction.hpp>

#include "black_scholes.hpp"
#include "payoff.hpp"
#include "pi.hpp"
#include "portfolio_body.hpp"
#include "portfolio_plan.hpp"
#include "readable_memory.hpp"
#include "slab.hpp"

namespace monte_carlo {
namespace {

/// Rounded up; also of granules.
std::uint64_t option_items(std::uint64_t paths) {
  return paths / option_paths_in_item + (paths % option_paths_in_item != 0 ? 1 : 0);
}

skua::JobOptions job_options(const Options& options, const char* name, const Watch& watch) {
  skua::JobOptions job;
  job.name = name;
  job.granule_items = options.problem == Problem::option ? option_items(options.granule_paths) : options.granule_paths;
  job.policy = options.policy;
  job.cancellation = watch.cancellation;
  job.progress = watch.progress;
  return job;
}

Paths paths_of(const skua::Report& report) {
  return {report.items, report.items_done, report.items};
}

Paths option_paths(const Position& position, std::uint64_t items_done) {
  return {option_items(position.paths) * option_paths_in_item, items_done * option_paths_in_item, position.paths};
}

PricedOption priced(const Position& position, const Paths& paths, const skua::Sums<2>& sums) {
  return {position.name, paths, estimate(sums.values[0], sums.values[1], paths.done),
          black_scholes_price(position.option)};
}

Solution solve_pi(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  const auto inside = scheduler.parallel_reduce(options.paths, std::uint64_t{0}, PiBody{options.seed}, skua::Plus{},
                                                job_options(options, "pi", watch));
  PiResult result{paths_of(inside.report), {}};
  // Each point counts 4 or 0.
  const double points = static_cast<double>(inside.value);
  result.pi = estimate(4 * points, 16 * points, result.paths.done);
  return {result, result.paths, inside.report};
}

template <class Real>
Solution solve_option(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  const Position& position = options.positions.front();
  const auto inside = scheduler.parallel_reduce(option_items(position.paths), skua::Sums<2>{},
                                                OptionBody<Real>(position.option, options.seed), skua::Plus{},
                                                job_options(options, "option", watch));
  const Paths paths = option_paths(position, inside.report.items_done);
  OptionResult result;
  result.precision = options.precision;
  result.options.push_back(priced(position, paths, inside.value));
  return {result, paths, inside.report};
}

/// A GPU may still read it when the Job has ended in an error: the kernel owns it.
template <class Real>
std::shared_ptr<const GranuleOption<Real>> granule_options(const skua::Scheduler& scheduler, const Options& options,
                                                           const PortfolioPlan& plan) {
  using Entry = GranuleOption<Real>;
  const std::shared_ptr<void> memory = readable_memory(scheduler, plan.granules() * sizeof(Entry));
  auto* const entries = static_cast<Entry*>(memory.get());
  for (std::size_t i = 0; i < plan.stretches.size(); ++i) {
    const Stretch& stretch = plan.stretches[i];
    Entry entry;
    entry.payoff = Payoff<Real>(options.positions[i].option);
    entry.stream = static_cast<std::uint32_t>(i);
    entry.first = std::uint64_t{stretch.first_granule} << plan.granule_shift;
    entry.end = entry.first + stretch.items;
    for (std::uint32_t granule = 0; granule < stretch.granules; ++granule) {
      new (entries + stretch.first_granule + granule) Entry(entry);
    }
  }
  return {memory, entries};
}

/// All options in one Job.
template <class Real>
Solution solve_portfolio(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  using Loop =
      typename skua::Kernels<skua::CompiledBy>::template Reduce<skua::Sums<2>, PortfolioBody<Real>, skua::Plus>;
  std::vector<std::uint64_t> items;
  for (const Position& position : options.positions) items.push_back(option_items(position.paths));
  const PortfolioPlan plan = plan_portfolio(items, option_items(options.granule_paths));
  const auto entries = granule_options<Real>(scheduler, options, plan);
  const auto loop =
      std::make_shared<Loop>(PortfolioBody<Real>{options.seed, entries.get(), plan.granule_shift}, skua::Plus{});
  const std::shared_ptr<const skua::Kernel> kernel(loop.get(), [loop, entries](const skua::Kernel*) {});

  skua::JobOptions job = job_options(options, "portfolio", watch);
  job.granule_items = plan.granule_items();
  job.repeat = skua::Repeat::allowed;
  skua::Partials partials;
  const skua::Report report = scheduler.run(plan.items(), kernel, job, &partials);
  const std::vector<StretchSums> sums = sums_by_stretch(plan, partials);

  OptionResult result;
  result.precision = options.precision;
  Paths all;
  for (std::size_t i = 0; i < options.positions.size(); ++i) {
    const Position& position = options.positions[i];
    const Paths paths = option_paths(position, sums[i].items_done);
    result.options.push_back(priced(position, paths, sums[i].sums));
    all.wanted += paths.wanted;
    all.done += paths.done;
    all.asked += paths.asked;
  }
  return {result, all, report};
}

template <class Real>
Solution solve_options(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  return options.is_portfolio ? solve_portfolio<Real>(scheduler, options, watch)
                              : solve_option<Real>(scheduler, options, watch);
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
  return {result, result.paths, sums.report};
}

}  // namespace

std::uint64_t paths_in_item(Problem problem) {
  return problem == Problem::option ? option_paths_in_item : 1;
}

Solution solve(skua::Scheduler& scheduler, const Options& options, const Watch& watch) {
  switch (options.problem) {
    case Problem::pi:
      return solve_pi(scheduler, options, watch);
    case Problem::option:
      return options.precision == Precision::single_float ? solve_options<float>(scheduler, options, watch)
                                                          : solve_options<double>(scheduler, options, watch);
    case Problem::slab:
      break;
  }
  return solve_slab(scheduler, options, watch);
}

}  // namespace monte_carlo
