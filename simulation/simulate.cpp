// Joins Jobs, Workers and simulated devices.
#include <skua/simulate.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include <skua/chunking.hpp>
#include <skua/feedback.hpp>
#include <skua/job.hpp>
#include <skua/lower_bound.hpp>
#include <skua/placement.hpp>
#include <skua/reduction.hpp>
#include <skua/worker.hpp>

namespace skua {
namespace {

/// Leaves in each granule a number that only that granule has.
class GranuleKernel final : public Kernel {
 public:
  static double value(std::uint64_t first_item) noexcept {
    return 1.0 / (1.0 + static_cast<double>(first_item % 1'000'003));
  }
  std::size_t partial_bytes() const noexcept override { return sizeof(double); }
  void run_on_host(const Chunk& chunk) const override {
    const double result = value(chunk.begin);
    std::memcpy(chunk.partials, &result, sizeof result);
  }
};

double sum_on_one_device(std::uint64_t items, std::uint64_t granule_items) {
  std::vector<double> values;
  for (std::uint64_t begin = 0; begin < items; begin += granule_items) values.push_back(GranuleKernel::value(begin));
  Partials partials;
  partials.bytes_each = sizeof(double);
  const auto count = static_cast<std::uint32_t>(values.size());
  if (count > 0) partials.pieces = {{{0, count}, reinterpret_cast<const std::byte*>(values.data())}};
  return combine_partials(partials, 0.0, Plus{});
}

SimulatedWait waits_for(const Step& step) {
  switch (step.wait) {
    case Step::Wait::nothing:
      return {SimulatedWait::For::nothing, 0};
    case Step::Wait::completion:
      return {SimulatedWait::For::completion, step.until_ns};
    case Step::Wait::work:
      return {SimulatedWait::For::change, step.until_ns};
    case Step::Wait::finished:
      break;
  }
  return {SimulatedWait::For::finished, 0};
}

/// One scenario's Jobs, one after another on the same devices.
class Jobs {
 public:
  Jobs(const Scenario& scenario, const SimulationOptions& options)
      : scenario_(scenario),
        options_(options),
        simulation_(scenario.machine),
        feedback_(scenario.machine.devices.size()) {
    for (std::uint32_t i = 0; i < feedback_.size(); ++i) distances_.push_back(distances_of(i));
  }

  SimulationResult run(bool is_last) {
    const std::int64_t begin_ns = simulation_.clock().now_ns();
    const double begin_s = simulation_.now_s();
    const auto job = make_job();
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<SimulatedStep> steps;
    for (std::uint32_t i = 0; i < feedback_.size(); ++i) {
      job->seat(i).busy_until_ns = begin_ns;
      job->seat(i).account.name = scenario_.machine.devices[i].name;
      workers.push_back(
          std::make_unique<Worker>(Worker::Context{job, i, simulation_.device(i), simulation_.clock(), feedback_[i],
                                                   distances_[i], options_.traced && is_last}));
      steps.push_back([worker = workers.back().get()] { return waits_for(worker->step()); });
    }
    simulation_.set_loop(loop());
    if (is_last && options_.cancel_at_s) {
      simulation_.call_at(*options_.cancel_at_s, [&] { job->stop(Stop::cancelled, simulation_.clock().now_ns()); });
    }
    simulation_.run(std::move(steps), options_.limit_s);
    job->on_change = nullptr;
    SimulationResult result;
    result.ended = job->over();
    result.report = job->report(begin_ns, simulation_.clock().now_ns());
    // A Job that is not over has no end, so no makespan either: what is known is how long it has been tried.
    if (!result.ended) result.report.makespan_s = simulation_.now_s() - begin_s;
    result.lower_bound_s = skua::lower_bound_s(scenario_.machine, scenario_.costs, scenario_.granule_items, begin_s);
    for (std::uint32_t i = 0; i < workers.size(); ++i) {
      result.report.devices[i].bytes_moved = simulation_.bytes_moved(i);
      result.tracks.emplace_back(i, scenario_.machine.devices[i].name);
      for (TraceEvent& event : workers[i]->take_trace()) result.trace.push_back(std::move(event));
    }
    if (result.ended && job->stopped() == Stop::none) result.fault = check(*job);
    return result;
  }

 private:
  std::shared_ptr<Job> make_job() {
    JobSpec spec;
    spec.name = scenario_.name;
    spec.items = scenario_.costs.items();
    spec.granule_items = scenario_.granule_items;
    spec.kernel = std::make_shared<GranuleKernel>();
    spec.policy = make_chunk_policy(options_.policy);
    spec.policy_name = options_.policy;
    spec.repeatable = scenario_.repeatable;
    spec.placement = placement(spec);
    spec.allocate = [this](std::size_t bytes) { return simulation_.device(0).allocate(bytes); };
    auto job = std::make_shared<Job>(std::move(spec));
    for (std::uint32_t i = 0; i < feedback_.size(); ++i) {
      job->seat(i).rate_guess = scenario_.machine.devices[i].rate_guess;
    }
    job->on_change = [this] { simulation_.notify(); };
    return job;
  }

  std::vector<double> placement(const JobSpec& spec) const {
    if (!scenario_.placement.empty()) return scenario_.placement;
    std::vector<PlacedDevice> devices;
    for (std::size_t i = 0; i < feedback_.size(); ++i) {
      devices.push_back({feedback_[i].items_per_second(), scenario_.machine.devices[i].rate_guess});
    }
    return placement_weights(devices, spec.granules());
  }

  SimulatedLoop loop() const {
    SimulatedLoop loop;
    loop.work = [&costs = scenario_.costs](std::uint64_t begin, std::uint64_t end) { return costs.work(begin, end); };
    loop.bytes_per_item = scenario_.bytes_per_item;
    if (loop.bytes_per_item <= 0) return loop;
    loop.homes = scenario_.homes;
    if (!loop.homes.empty()) return loop;
    for (std::size_t i = 0; i < feedback_.size(); ++i) {
      loop.homes.push_back(scenario_.costs.items() / feedback_.size() * i);
    }
    return loop;
  }

  std::vector<std::uint32_t> distances_of(std::uint32_t index) const {
    const auto& devices = scenario_.machine.devices;
    const auto count = static_cast<std::uint32_t>(devices.size());
    const Topology& topology = scenario_.machine.topology;
    const bool is_listed = devices[index].gpu && devices[index].gpu->index < topology.gpus.size();
    const std::vector<GpuId> nearest = is_listed ? topology.nearest(*devices[index].gpu) : std::vector<GpuId>{};
    std::vector<std::pair<std::size_t, std::uint32_t>> order;
    for (std::uint32_t step = 1; step < count; ++step) {
      const auto& gpu = devices[(index + step) % count].gpu;
      const auto place = gpu ? std::find(nearest.begin(), nearest.end(), *gpu) : nearest.end();
      order.emplace_back(static_cast<std::size_t>(place - nearest.begin()), step);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::uint32_t> places(count, 0);
    for (std::uint32_t place = 0; place < order.size(); ++place) {
      places[(index + order[place].second) % count] = place + 1;
    }
    return places;
  }

  std::string check(const Job& job) const {
    std::string fault = job.check_exactly_once();
    if (!fault.empty()) return fault;
    const double sum = combine_partials(job.partials(), 0.0, Plus{});
    const double expected = sum_on_one_device(scenario_.costs.items(), scenario_.granule_items);
    return std::memcmp(&sum, &expected, sizeof sum) == 0 ? "" : "the reduction's bits are not those of one device";
  }

  const Scenario& scenario_;
  const SimulationOptions& options_;
  Simulation simulation_;
  std::vector<Feedback> feedback_;
  std::vector<std::vector<std::uint32_t>> distances_;
};

}  // namespace

double SimulationResult::efficiency() const noexcept {
  return ended && report.makespan_s > 0 ? lower_bound_s / report.makespan_s : 0;
}

SimulationResult simulate(const Scenario& scenario, const SimulationOptions& options) {
  make_chunk_policy(options.policy);
  Jobs jobs(scenario, options);
  for (int i = 0; i < scenario.jobs_before; ++i) jobs.run(false);
  return jobs.run(true);
}

}  // namespace skua
