// How well does a loop scale over the GPUs of a node?
// The ideal is the best time of one GPU, by skua or by one plain kernel, over their number. Beside it, in turn in the
// same run: one plain kernel a GPU over equal parts of the loop, and skua's even static split.
// Over one GPU only, equal parts of it stand in, and loops are a sixteenth as long.
//   scaling_bench [RUNS.json]      writes what bench/forecast reads
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <monte_carlo/payoff.hpp>
#include <monte_carlo/slab.hpp>
#include <skua/skua.hpp>

#include "node.hpp"
#include "plain.hpp"
#include "runs.hpp"
#include "timing.hpp"
#include "unit_rates.hpp"

namespace {

using bench::median;
using bench::milliseconds;

/// Numbers of units to run over: 1, 2, 4, ... and all.
std::vector<std::size_t> unit_counts(std::size_t all) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

/// One plain kernel a unit, all started by this thread, over equal parts of the loop.
template <class Value, class Body>
class PlainSplit {
 public:
  PlainSplit(const bench::Node& node, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bench::Unit& unit = node.units()[i];
      kernels_.push_back(
          std::make_unique<bench::Plain<Value, Body>>(unit.ordinal, unit.compute_units, unit.make_stream));
    }
  }

  Value run(const Body& body, std::uint64_t items) {
    const std::uint64_t count = kernels_.size();
    const std::uint64_t each = items / count;
    for (std::uint64_t i = 0; i < count; ++i) {
      kernels_[i]->start(body, i * each, i + 1 == count ? items : (i + 1) * each);
    }
    Value sum{};
    for (auto& kernel : kernels_) sum = sum + kernel->sum();
    return sum;
  }

 private:
  std::vector<std::unique_ptr<bench::Plain<Value, Body>>> kernels_;
};

struct Figures {
  std::vector<double> plain_ms;
  std::vector<double> static_ms;
  std::vector<double> skua_ms;
  std::vector<double> makespan_ms;
  std::vector<double> imbalance;
  double first_ms = 0;
};

template <class Value, class Body>
class Scaling {
 public:
  Scaling(const bench::Node& node, std::string loop, const Body& body, std::uint64_t items)
      : node_(node), loop_(std::move(loop)), body_(body), items_(items) {}

  void run(std::vector<bench::MeasuredRun>& runs) {
    const auto alone = bench::measure_units<Value>(node_, body_, items_, 3);
    double one_ms = 0;
    for (const std::size_t count : unit_counts(node_.units().size())) {
      const Figures figures = measure(count);
      if (count == 1) one_ms = std::min(median(figures.plain_ms), median(figures.skua_ms));
      print(figures, count, one_ms / static_cast<double>(count));
      runs.push_back(bench::make_run(loop_ + " over " + std::to_string(count), items_, alone, count,
                                     median(figures.makespan_ms) * 1e-3));
    }
  }

 private:
  Figures measure(std::size_t count) {
    skua::Scheduler scheduler = node_.scheduler(0, count);
    PlainSplit<Value, Body> plain(node_, count);
    skua::JobOptions options;
    // Loads the kernel, and nothing is learnt for the name that is measured.
    options.name = "load";
    static_cast<void>(scheduler.parallel_reduce(items_, Value{}, body_, skua::Plus{}, options));
    const double once_ms = milliseconds([&] { plain.run(body_, items_); });
    options.name = "measured";
    skua::JobOptions even;
    even.name = "static";
    even.policy = "static";
    even.placement = skua::Placement::even;
    const int rounds = static_cast<int>(std::clamp(700 / once_ms, 3.0, 101.0));
    Figures figures;
    for (int round = 0; round <= rounds; ++round) {
      skua::Reduction<Value> sum;
      const double skua_ms =
          milliseconds([&] { sum = scheduler.parallel_reduce(items_, Value{}, body_, skua::Plus{}, options); });
      check_bits(sum.value);
      if (round == 0) {
        figures.first_ms = skua_ms;
        continue;
      }
      figures.skua_ms.push_back(skua_ms);
      figures.makespan_ms.push_back(1e3 * sum.report.makespan_s);
      figures.imbalance.push_back(sum.report.imbalance());
      figures.plain_ms.push_back(milliseconds([&] { plain.run(body_, items_); }));
      figures.static_ms.push_back(
          milliseconds([&] { scheduler.parallel_reduce(items_, Value{}, body_, skua::Plus{}, even); }));
    }
    return figures;
  }

  void check_bits(const Value& value) {
    if (!any_) bits_ = value;
    any_ = true;
    is_equal_ = is_equal_ && std::memcmp(&bits_, &value, sizeof(Value)) == 0;
  }

  void print(const Figures& figures, std::size_t count, double ideal_ms) const {
    std::printf(
        "%-7s 2^%4.1f over %zu: ideal %9.3f ms; times that: skua %.3f (first Job %.3f, makespan alone %.3f), "
        "plain kernels %.3f, static %.3f; imbalance %.2f %%, bits %s\n",
        loop_.c_str(), std::log2(static_cast<double>(items_)), count, ideal_ms, median(figures.skua_ms) / ideal_ms,
        figures.first_ms / ideal_ms, median(figures.makespan_ms) / ideal_ms, median(figures.plain_ms) / ideal_ms,
        median(figures.static_ms) / ideal_ms, 100 * median(figures.imbalance), is_equal_ ? "equal" : "DIFFER");
    std::fflush(stdout);
  }

  const bench::Node& node_;
  std::string loop_;
  Body body_;
  std::uint64_t items_;
  Value bits_{};
  bool any_ = false;
  bool is_equal_ = true;
};

}  // namespace

int main(int argc, char** argv) try {
  const bench::Node node;
  std::printf("%s\n", node.describe().c_str());
  const unsigned shorter = node.is_parts() ? 4 : 0;
  const monte_carlo::OptionBody<double> option(monte_carlo::Option{}, 1);
  const monte_carlo::SlabBody slab(monte_carlo::Slab{}, 1);
  std::vector<bench::MeasuredRun> runs;
  for (const unsigned exponent : {25u, 29u, 32u, 35u}) {
    Scaling<skua::Sums<2>, monte_carlo::OptionBody<double>>(node, "option", option,
                                                            std::uint64_t{1} << (exponent - shorter))
        .run(runs);
  }
  for (const unsigned exponent : {26u, 31u}) {
    Scaling<skua::Sums<6>, monte_carlo::SlabBody>(node, "slab", slab, std::uint64_t{1} << (exponent - shorter))
        .run(runs);
  }
  if (argc > 1) bench::write_runs(argv[1], node.describe(), runs);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "scaling_bench: %s\n", error.what());
  return 1;
}
