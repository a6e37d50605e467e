// One step of a device over all its Jobs.
#include "worker_list.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace skua {
namespace {

/// Whichever of the two lets the device wait less.
Step sooner(const Step& a, const Step& b) {
  if (a.wait == Step::Wait::finished) return b;
  if (b.wait == Step::Wait::finished) return a;
  if (a.wait == Step::Wait::nothing || b.wait == Step::Wait::nothing) return {Step::Wait::nothing, 0, 0};
  if (a.wait != b.wait) return a.wait == Step::Wait::completion ? a : b;
  return a.until_ns <= b.until_ns ? a : b;
}

}  // namespace

std::uint32_t WorkerList::launches_held() const noexcept {
  std::uint32_t held = 0;
  for (const auto& job : jobs_) held += job->launches_held(index_);
  return held;
}

/// Drivers that say they never block sometimes do.
std::optional<Completion> WorkerList::poll() {
  constexpr std::int64_t slow_ns = 10'000'000;
  if (device_.info().can.runs_in_poll) return device_.poll();
  const std::int64_t asked_ns = clock_.now_ns();
  std::optional<Completion> completion = device_.poll();
  if (clock_.now_ns() - asked_ns >= slow_ns) {
    for (const auto& job : jobs_) job->note_slow_call(index_);
  }
  return completion;
}

/// Of a device that runs its launches in there nothing runs any more: it is lost. What another one does is not known:
/// it is waited for.
std::optional<Completion> WorkerList::end_of_a_poll_that_threw(const std::string& what, std::exception_ptr exception) {
  const std::string message = "its poll() threw: " + what;
  for (const auto& job : jobs_) {
    const auto launch = job->oldest_launch(index_);
    if (!launch || !device_.info().can.runs_in_poll) continue;
    Completion lost;
    lost.launch = *launch;
    lost.begin_ns = lost.end_ns = clock_.now_ns();
    lost.failure = Failure{Failure::Kind::lost, message, exception};
    return lost;
  }
  for (const auto& job : jobs_) {
    job->stop(Stop::body_failed, "device " + device_.info().name + ": " + message, exception);
  }
  return std::nullopt;
}

Step WorkerList::step() {
  std::optional<Completion> ended;
  // One at a time: a device that runs on by itself is given new work before it is asked for more.
  if (launches_held() > 0) {
    try {
      ended = poll();
    } catch (const std::exception& error) {
      ended = end_of_a_poll_that_threw(error.what(), std::current_exception());
    } catch (...) {
      ended = end_of_a_poll_that_threw("not a std::exception", std::current_exception());
    }
  }
  Step merged{Step::Wait::finished, 0, 0};
  for (const auto& job : jobs_) {
    const bool is_its = ended && job->holds(index_, ended->launch);
    const std::span<const Completion> its(is_its ? &*ended : nullptr, is_its ? 1 : 0);
    const std::uint32_t held = launches_held();
    const std::uint32_t launches_max = device_.info().can.launches_max;
    const Step step = job->step(index_, its, launches_max > held ? launches_max - held : 0);
    if (step.wait == Step::Wait::finished) finished_.push_back(job);
    merged = sooner(merged, step);
  }
  std::erase_if(jobs_,
                [&](const auto& job) { return std::find(finished_.begin(), finished_.end(), job) != finished_.end(); });
  return merged;
}

std::vector<std::shared_ptr<JobRun>> WorkerList::take_finished() {
  return std::exchange(finished_, {});
}

}  // namespace skua
