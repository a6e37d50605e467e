// Takes up Jobs that are offered, and steps the device's Workers.
#include "device_thread.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <run/worker_list.hpp>
#include <system/keep_forever.hpp>
#include <system/skua_thread.hpp>
#include <system/thread.hpp>

#include "waiting.hpp"

namespace skua {
namespace {

class DeviceThread {
 public:
  DeviceThread(std::shared_ptr<CrewState> state, std::uint32_t index)
      : state_(std::move(state)),
        index_(index),
        member_(state_->members[index]),
        workers_(*state_->devices[index], index, *state_->clock),
        waiting_(member_.parking, *state_->clock, state_->is_warm_device(index)) {}

  void run() {
    name_skua_thread(state_->devices[index_]->info().name);
    note(state_->devices[index_]->attach());
    for (;;) {
      const Parking::Ticket ticket = member_.parking.ticket();
      if (!take_up()) return;
      for (const auto& work : std::exchange(earlier_, {})) state_->devices[index_]->wait_for(work);
      if (workers_.empty()) {
        wait_for_a_job(ticket);
        continue;
      }
      const Step step = workers_.step();
      if (state_->trace) write_trace_now_and_then();
      for (auto& job : workers_.take_finished()) leave(std::move(job));
      if (!workers_.empty()) waiting_.wait(step, ticket);
    }
  }

 private:
  void note(const std::vector<std::string>& notes) {
    const std::lock_guard lock(state_->mutex);
    member_.notes.insert(member_.notes.end(), notes.begin(), notes.end());
  }

  /// False when the thread is to end.
  bool take_up() {
    if (!member_.is_offered.load(std::memory_order_acquire) && !state_->is_stopping) return true;
    const std::lock_guard lock(state_->mutex);
    if (state_->is_stopping) {
      // Only what nobody waits for any more can be left. Its device may yet write to what it was given.
      for (const auto& job : workers_.jobs()) keep_forever(job);
      member_.has_ended = true;
      state_->caller.notify_all();
      return false;
    }
    if (!member_.offered) return true;
    member_.inside = std::move(member_.offered);
    member_.is_offered.store(false, std::memory_order_relaxed);
    state_->inside_count.fetch_add(1, std::memory_order_release);
    workers_.add(member_.inside);
    earlier_ = state_->earlier;
    cpu_begin_ns_ = this_thread_cpu_ns();
    pause_ns_ = state_->clock->now_ns() - left_ns_;
    return true;
  }

  void wait_for_a_job(Parking::Ticket ticket) {
    const auto noticed = [&] { return member_.parking.ticket() != ticket; };
    if (spin_until(noticed, warm_until_ns_, *state_->clock)) return;
    if (yield_until(noticed, awake_until_ns_, *state_->clock)) return;
    member_.parking.wait(ticket);
  }

  /// So that it is not kept until the Job ends, which this process may not live to see.
  void write_trace_now_and_then() {
    constexpr std::int64_t interval_ns = 10'000'000;
    const std::int64_t now_ns = state_->clock->now_ns();
    if (now_ns - trace_written_ns_ < interval_ns) return;
    trace_written_ns_ = now_ns;
    for (const auto& job : workers_.jobs()) state_->trace->add(job->take_trace(index_));
    state_->trace->flush();
  }

  void leave(std::shared_ptr<JobRun> job) {
    job->add_host_ns(index_, this_thread_cpu_ns() - cpu_begin_ns_);
    if (state_->trace) state_->trace->add(job->take_trace(index_));
    {
      const std::lock_guard lock(state_->mutex);
      member_.has_a_part.store(false, std::memory_order_relaxed);
      if (member_.given_up == job) {
        job->came_back();
        member_.given_up.reset();
      } else {
        // Its caller is to be the last to hold it.
        job.reset();
        member_.inside.reset();
        state_->inside_count.fetch_sub(1, std::memory_order_release);
      }
    }
    state_->caller.notify_all();
    left_ns_ = state_->clock->now_ns();
    if (!state_->is_warm_device(index_)) return;
    warm_until_ns_ = left_ns_ + warm_ns;
    awake_until_ns_ = left_ns_ + awake_ns(pause_ns_);
  }

  std::shared_ptr<CrewState> state_;
  std::uint32_t index_;
  CrewState::Member& member_;
  WorkerList workers_;
  Waiting waiting_;
  std::vector<std::shared_ptr<const EarlierWork>> earlier_;  ///< what the Job that was taken up last is to wait for
  std::int64_t warm_until_ns_ = 0;
  std::int64_t awake_until_ns_ = 0;
  std::int64_t left_ns_ = 0;   ///< when the last Job was left
  std::int64_t pause_ns_ = 0;  ///< between the last two Jobs
  std::int64_t cpu_begin_ns_ = 0;
  std::int64_t trace_written_ns_ = 0;
};

}  // namespace

std::thread start_device_thread(const std::shared_ptr<CrewState>& state, std::uint32_t index) {
  const SignalsBlocked blocked;
  return std::thread([state, index] { DeviceThread(state, index).run(); });
}

}  // namespace skua
