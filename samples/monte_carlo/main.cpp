// monte_carlo: pi, European options, or light in a turbid slab, on every device of this machine.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <skua/input.hpp>
#include <skua/progress.hpp>
#include <skua/scheduler.hpp>

#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "solve.hpp"

namespace monte_carlo {
namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

/// One line for each run; with JSON they go into the Report instead.
std::string run_text(std::uint64_t run, std::uint64_t runs, const skua::Report& report) {
  return fmt::format("run {} of {}: makespan {:.6f} s", run, runs, report.makespan_s);
}

void print(const Solution& solution, Format format) {
  if (format == Format::json) {
    fmt::print("{}\n", skua::to_json(solution.report, to_json(solution.result)));
  } else {
    fmt::print("{}\n{}", to_text(solution.result), skua::to_text(solution.report));
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error("standard output cannot be written");
}

/// Over devices of several kinds the bits depend on who ran what, as the Report says.
bool gives_same_bits(const skua::Scheduler& scheduler) {
  for (std::size_t i = 1; i < scheduler.device_count(); ++i) {
    if (scheduler.device(i).kind != scheduler.device(0).kind) return false;
  }
  return true;
}

/// Solves the problem as often as wished, until one is interrupted. Nothing when two runs differ that must not.
std::optional<Solution> solve_repeatedly(skua::Scheduler& scheduler, const Options& options,
                                         const skua::ProgressLine& line) {
  Watch watch;
  if (line.shown()) watch.progress = line;
  const Interrupt interrupt(watch.cancellation);
  Solution last;
  std::string first_result;
  std::vector<std::string> runs;
  for (std::uint64_t run = 1; run <= options.repeat; ++run) {
    last = solve(scheduler, options, watch);
    line.clear();
    if (options.repeat > 1) {
      runs.push_back(run_text(run, options.repeat, last.report));
      if (options.format == Format::text) fmt::print("{}\n", runs.back());
    }
    if (last.report.cancelled) break;
    const std::string result = to_json(last.result);
    if (run == 1) first_result = result;
    if (result != first_result && gives_same_bits(scheduler)) {
      fmt::print(stderr, "monte_carlo: run {} gave {}, but run 1 gave {}\n", run, result, first_result);
      return std::nullopt;
    }
  }
  if (options.format == Format::json) last.report.notes.insert(last.report.notes.end(), runs.begin(), runs.end());
  return last;
}

int run(int argument_count, const char* const* arguments) {
  const std::optional<Options> options = read_options(argument_count, arguments);
  if (!options) return exit_done;
  skua::check_environment();
  const skua::ProgressLine line({"paths", static_cast<double>(paths_in_item(options->problem))});
  skua::SchedulerOptions where;
  where.devices = options->devices;
  skua::Scheduler scheduler(where);

  const std::optional<Solution> solution = solve_repeatedly(scheduler, *options, line);
  if (!solution) return exit_failed;
  print(*solution, options->format);
  if (!solution->report.cancelled) return exit_done;
  fmt::print(stderr, "monte_carlo: interrupted after {} of {} paths\n", solution->paths.done, solution->paths.wanted);
  return exit_failed;
}

}  // namespace
}  // namespace monte_carlo

int main(int argument_count, char** arguments) {
  try {
    return monte_carlo::run(argument_count, arguments);
  } catch (const skua::InputError& error) {
    fmt::print(stderr, "monte_carlo: {}\n", monte_carlo::in_words_of_command_line(error.what()));
    return monte_carlo::exit_bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "monte_carlo: {}\n", error.what());
    return monte_carlo::exit_failed;
  }
}
