// Drives JobRuns over simulated devices.
#include <skua/simulate.hpp>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include <skua/lower_bound.hpp>

#include <run/worker_list.hpp>
#include <trace/chunk_event.hpp>

#include "granule_record.hpp"

namespace skua {
namespace {

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

/// Returns nullopt for an event that is no launch.
std::optional<SimulatedChunk> chunk_of(const TraceEvent& event) {
  const bool is_copy = event.name == copy_event_name;
  if (!is_copy && event.name != chunk_event_name) return std::nullopt;
  ChunkValues values;
  for (const auto& [name, value] : event.values) values.set(name, value);
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns - Simulation::start_ns) * 1e-9; };
  return SimulatedChunk{event.device,
                        is_copy,
                        {values.first_item, values.first_item + values.items},
                        seconds(event.begin_ns),
                        seconds(event.end_ns)};
}

std::vector<const DeviceInfo*> infos_of(Simulation& simulation) {
  std::vector<const DeviceInfo*> infos;
  for (std::size_t i = 0; i < simulation.machine().devices.size(); ++i) infos.push_back(&simulation.device(i).info());
  return infos;
}

class Listener final : public JobListener {
 public:
  Listener(Simulation& simulation, std::size_t to_come) : simulation_(simulation), to_come_(to_come) {}
  void changed() noexcept override { simulation_.notify(); }
  bool may_end() override { return to_come_ == 0; }
  void came() noexcept { --to_come_; }

 private:
  Simulation& simulation_;
  std::size_t to_come_;
};

/// One scenario's Jobs, one after another on the same devices.
class Jobs {
 public:
  Jobs(const Scenario& scenario, const SimulationOptions& options)
      : scenario_(scenario),
        options_(options),
        simulation_(scenario.machine, options.engine),
        nearness_(infos_of(simulation_), scenario.machine.topology),
        memory_(scenario.machine.devices.size()) {}

  void run_before(const EarlierLoop& loop) {
    Listener listener(simulation_, 0);
    const auto job = start(loop, listener, record_of(loop), {});
    drive(job, {});
    job->remember();
  }

  SimulationResult run_last() {
    const EarlierLoop last{scenario_.costs, scenario_.granule_items};
    const auto record = record_of(last);
    Listener listener(simulation_, options_.received.size());
    const std::int64_t begin_ns = simulation_.clock().now_ns();
    const double begin_s = simulation_.now_s();
    const auto job = start(last, listener, record, options_.own);
    for (const LateGranules& late : options_.received) {
      simulation_.call_at(late.at_s, [this, &listener, &job, granules = late.granules] {
        listener.came();
        received_.push_back(granules);
        job->receive(granules);
        job->ask_for_end();
      });
    }
    if (options_.cancel_at_s) simulation_.call_at(*options_.cancel_at_s, [&job] { job->stop(Stop::cancelled); });
    drive(job, options_.on_look);
    SimulationResult result;
    result.begin_s = begin_s;
    result.ended = job->is_over();
    if (!result.ended) job->stop(Stop::device_hangs);
    result.report = job->report(begin_ns, simulation_.clock().now_ns());
    result.lower_bound_s = lower_bound_s(scenario_.machine, scenario_.costs, scenario_.granule_items, begin_s);
    for (std::uint32_t i = 0; i < job->device_count(); ++i) {
      result.report.devices[i].bytes_moved = simulation_.bytes_moved(i);
    }
    if (options_.traced) add_trace(*job, result);
    result.fault = check(*job, *record, result);
    return result;
  }

 private:
  std::shared_ptr<GranuleRecord> record_of(const EarlierLoop& loop) const {
    const auto unit = scenario_.is_launched ? Kernel::Unit::chunk : Kernel::Unit::granule;
    return std::make_shared<GranuleRecord>(loop.costs.items(), loop.granule_items, unit);
  }

  std::shared_ptr<JobRun> start(const EarlierLoop& loop, Listener& listener, std::shared_ptr<const Kernel> kernel,
                                std::optional<Interval> own) {
    JobRequest request;
    request.name = scenario_.name;
    request.items = loop.costs.items();
    request.granule_items = loop.granule_items;
    request.filling_items = scenario_.filling_items;
    request.own = own;
    request.kernel = std::move(kernel);
    request.policy = options_.policy;
    request.repeatable = scenario_.repeatable;
    request.weights = scenario_.placement;
    DeviceSet devices{{}, nearness_, options_.traced};
    for (std::uint32_t i = 0; i < scenario_.machine.devices.size(); ++i) {
      devices.entries.push_back({simulation_.device(i)});
    }
    simulation_.set_loop(simulated(loop));
    return std::make_shared<JobRun>(std::move(request), devices, memory_, simulation_.clock(), listener);
  }

  /// Until every device has left the Job; those that hang are given up once nothing more can happen.
  void drive(const std::shared_ptr<JobRun>& job, const std::function<void(const SimulatedLook&)>& on_look) {
    const double begin_s = simulation_.now_s();
    std::deque<WorkerList> workers;
    std::vector<SimulatedStep> steps;
    for (std::uint32_t i = 0; i < job->device_count(); ++i) {
      WorkerList& list = workers.emplace_back(simulation_.device(i), i, simulation_.clock());
      if (job->takes_part(i)) list.add(job);
      steps.push_back([this, i, begin_s, &list, &job, &on_look] {
        const Step step = list.step();
        if (on_look) {
          on_look({i, simulation_.now_s() - begin_s, step.wait == Step::Wait::work, job->items_left()});
        }
        return waits_for(step);
      });
    }
    simulation_.run(std::move(steps), options_.limit_s);
    for (std::uint32_t i = 0; i < workers.size(); ++i) {
      if (!workers[i].empty()) job->give_up(i);
    }
  }

  SimulatedLoop simulated(const EarlierLoop& loop) const {
    SimulatedLoop made;
    made.work = [costs = loop.costs, factor = loop.cost_factor](std::uint64_t begin, std::uint64_t end) {
      return factor * costs.work(begin, end);
    };
    made.bytes_per_item = scenario_.bytes_per_item;
    if (made.bytes_per_item <= 0) return made;
    made.homes = scenario_.homes;
    if (!made.homes.empty()) return made;
    const std::size_t count = scenario_.machine.devices.size();
    for (std::size_t i = 0; i < count; ++i) made.homes.push_back(loop.costs.items() / count * i);
    return made;
  }

  void add_trace(JobRun& job, SimulationResult& result) const {
    std::vector<std::pair<std::uint32_t, std::string>> tracks;
    std::vector<TraceEvent> events;
    for (std::uint32_t i = 0; i < job.device_count(); ++i) {
      tracks.emplace_back(i, scenario_.machine.devices[i].name);
      for (TraceEvent& event : job.take_trace(i)) {
        if (const auto chunk = chunk_of(event)) result.chunks.push_back(*chunk);
        events.push_back(std::move(event));
      }
    }
    result.trace = trace_json(tracks, events);
  }

  /// What the Job had in the end, in order.
  std::vector<Interval> owned() const {
    const Granules granules(scenario_.costs.items(), scenario_.granule_items);
    std::vector<Interval> all = {options_.own.value_or(granules.all())};
    all.insert(all.end(), received_.begin(), received_.end());
    std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.front < b.front; });
    return all;
  }

  std::string check(const JobRun& job, const GranuleRecord& record, const SimulationResult& result) const {
    const std::vector<Interval> had = owned();
    std::string fault = record.check_runs(result.report, had, scenario_.repeatable);
    if (!fault.empty() || job.stopped() != Stop::none) return fault;
    fault = job.check_exactly_once();
    return !fault.empty() ? fault : record.check_sum(job.partials(), had);
  }

  const Scenario& scenario_;
  const SimulationOptions& options_;
  Simulation simulation_;
  Nearness nearness_;
  RateMemory memory_;
  std::vector<Interval> received_;
};

double part_of(double bound_s, double took_s) {
  return took_s > 0 ? bound_s / took_s : 0;
}

}  // namespace

double SimulationResult::efficiency() const noexcept {
  return ended ? part_of(lower_bound_s, report.makespan_s) : 0;
}

double SimulationResult::efficiency_until_counted() const noexcept {
  return ended ? part_of(lower_bound_s, report.makespan_s - report.waited_s) : 0;
}

SimulationResult simulate(const Scenario& scenario, const SimulationOptions& options) {
  Jobs jobs(scenario, options);
  for (const EarlierLoop& loop : scenario.before) jobs.run_before(loop);
  const EarlierLoop same{scenario.costs, scenario.granule_items};
  for (int i = 0; i < scenario.jobs_before; ++i) jobs.run_before(same);
  return jobs.run_last();
}

}  // namespace skua
