// Do all GPUs of an uneven node finish together?
// Two are cut to half their compute units; one is disturbed for the middle third of the Job; one has a host thread that
// gets half of its CPU. The ideal has all items done at the rates that the units really have, each measured alone.
// Over one GPU only, parts of it stand in.
//   unequal_bench [RUNS.json]      writes what bench/forecast reads
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <monte_carlo/payoff.hpp>
#include <skua/skua.hpp>

#include "busy_cpu.hpp"
#include "disturber.hpp"
#include "node.hpp"
#include "runs.hpp"
#include "timing.hpp"
#include "unit_rates.hpp"

namespace {

using bench::median;
using Value = skua::Sums<2>;

constexpr double job_s = 1;  ///< about, over all units
constexpr int rounds = 7;

struct Figures {
  double makespan_s = 0;
  double efficiency = 0;
  double imbalance = 0;
  std::uint64_t steals = 0;
  std::string last;
};

Figures measure(skua::Scheduler& scheduler, const monte_carlo::OptionBody<double>& body, std::uint64_t items,
                const std::function<void()>& before, const std::function<void()>& after) {
  std::vector<double> makespans_s;
  std::vector<double> efficiencies;
  std::vector<double> imbalances;
  Figures figures;
  // The first Job loads the kernel and learns the rates.
  for (int round = 0; round <= rounds; ++round) {
    if (round > 0) before();
    const skua::Report report = scheduler.parallel_reduce(items, Value{}, body).report;
    if (round > 0) after();
    if (round == 0) continue;
    makespans_s.push_back(report.makespan_s);
    efficiencies.push_back(report.efficiency());
    imbalances.push_back(report.imbalance());
    for (const skua::DeviceReport& device : report.devices) figures.steals += device.steals;
    figures.last = skua::to_text(report);
  }
  figures.makespan_s = median(makespans_s);
  figures.efficiency = median(efficiencies);
  figures.imbalance = median(imbalances);
  return figures;
}

class Unequal {
 public:
  Unequal(const char* program, bool dump) : program_(program), dump_(dump), body_(monte_carlo::Option{}, 1) {}

  void halved() {
    const bench::Node node(2);
    std::printf("%s\n", node.describe().c_str());
    prepare(node);
    skua::Scheduler scheduler = node.scheduler(0, node.units().size());
    finish("two halves",
           measure(
               scheduler, body_, items_, [] {}, [] {}),
           alone_, ideal_s_);
  }

  /// Prepares the even node of the next two, also.
  void undisturbed(const bench::Node& node) {
    prepare(node);
    skua::Scheduler scheduler = node.scheduler(0, node.units().size());
    finish("equal",
           measure(
               scheduler, body_, items_, [] {}, [] {}),
           alone_, ideal_s_);
  }

  void disturbed(const bench::Node& node) {
    const bench::Unit& unit = node.units().front();
    const auto disturber = bench::make_disturber(unit, node.is_parts(), program_);
    const double factor = disturbed_factor(node, *disturber);
    const double third_s = ideal_s_ / 3;
    skua::Scheduler scheduler = node.scheduler(0, node.units().size());
    const Figures figures = measure(
        scheduler, body_, items_, [&] { disturber->disturb(third_s * 1e3, third_s * 1e3); },
        [&] { disturber->wait(); });
    std::vector<bench::MeasuredDevice> devices = alone_;
    devices.front().changes = {{third_s, factor}, {2 * third_s, 1}};
    const double lost_items = devices.front().items_per_second * (1 - factor) * third_s;
    std::printf("gpu 0 runs at %.2f of its rate while it is disturbed\n", factor);
    finish("disturbed for a third", figures, devices, ideal_s_ + lost_items / rate_of_all());
  }

  void busy_host(const bench::Node& node) {
    skua::Scheduler scheduler = node.scheduler(0, node.units().size());
    const bench::BusyCpu busy(node.units().front().device);
    finish("busy host thread",
           measure(
               scheduler, body_, items_, [] {}, [] {}),
           alone_, ideal_s_);
  }

  const std::vector<bench::MeasuredRun>& runs() const noexcept { return runs_; }

 private:
  /// Chooses the loop for this node, and measures its units.
  void prepare(const bench::Node& node) {
    const std::uint64_t trial = std::uint64_t{1} << (node.is_parts() ? 27 : 31);
    alone_ = bench::measure_units<Value>(node, body_, trial, 1);
    constexpr std::uint64_t round_items = std::uint64_t{1} << 24;
    items_ = static_cast<std::uint64_t>(rate_of_all() * job_s) / round_items * round_items;
    alone_ = bench::measure_units<Value>(node, body_, items_ / 16, 2);
    ideal_s_ = static_cast<double>(items_) / rate_of_all();
  }

  double rate_of_all() const {
    double rate = 0;
    for (const auto& device : alone_) rate += device.items_per_second;
    return rate;
  }

  /// The unit's rate under disturbance, over its own.
  double disturbed_factor(const bench::Node& node, bench::Disturber& disturber) const {
    const std::uint64_t items = items_ / node.units().size() / 4;
    const double alone_s = static_cast<double>(items) / alone_.front().items_per_second;
    skua::Scheduler scheduler = node.scheduler(0, 1);
    static_cast<void>(scheduler.parallel_reduce(items, Value{}, body_));
    std::vector<double> factors;
    for (int round = 0; round < 3; ++round) {
      disturber.disturb(0, 5e3 * alone_s);
      factors.push_back(alone_s / scheduler.parallel_reduce(items, Value{}, body_).report.makespan_s);
      disturber.wait();
    }
    return median(factors);
  }

  void finish(const std::string& name, const Figures& figures, const std::vector<bench::MeasuredDevice>& devices,
              double ideal_s) {
    std::printf(
        "%-22s makespan %8.3f ms, ideal over makespan %.3f, Report's efficiency %.3f (limit 0.97), "
        "imbalance %.2f %% (limit 2), %.1f steals a Job\n",
        name.c_str(), figures.makespan_s * 1e3, ideal_s / figures.makespan_s, figures.efficiency,
        100 * figures.imbalance, static_cast<double>(figures.steals) / rounds);
    if (dump_) std::printf("%s", figures.last.c_str());
    std::fflush(stdout);
    runs_.push_back(bench::make_run(name, items_, devices, devices.size(), figures.makespan_s));
  }

  const char* program_;
  bool dump_;
  monte_carlo::OptionBody<double> body_;
  std::uint64_t items_ = 0;
  double ideal_s_ = 0;
  std::vector<bench::MeasuredDevice> alone_;
  std::vector<bench::MeasuredRun> runs_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::strcmp(argv[1], "--disturb") == 0) return bench::serve_as_disturber(std::atoi(argv[2]));
  const bool dump = argc > 1 && std::strcmp(argv[1], "--reports") == 0;
  Unequal unequal("/proc/self/exe", dump);
  unequal.halved();
  const bench::Node node;
  std::printf("%s\n", node.describe().c_str());
  unequal.undisturbed(node);
  unequal.disturbed(node);
  unequal.busy_host(node);
  if (argc > 1 && !dump) bench::write_runs(argv[1], node.describe(), unequal.runs());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "unequal_bench: %s\n", error.what());
  return 1;
}
