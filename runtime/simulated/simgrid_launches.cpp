// A launch's way: launch cost, bytes, work, and its end.
#include "simgrid_launches.hpp"

#include <cmath>
#include <vector>

namespace skua {

namespace sg = simgrid::s4u;

std::int64_t SimGridClock::now_ns() const noexcept {
  return Simulation::start_ns + std::llround((sg::Engine::get_clock() - origin_s_) * 1e9);
}

double SimGridClock::seconds_until(std::int64_t moment_ns) const {
  return origin_s_ + simulated_s(moment_ns) - sg::Engine::get_clock();
}

void SimGridClock::sleep_until(std::int64_t moment_ns) const {
  const double wait_s = seconds_until(moment_ns);
  if (wait_s > 1e-12) sg::this_actor::sleep_for(wait_s);
}

void SimGridLaunches::serve() {
  for (;;) {
    work_->acquire();
    // References stay: a deque moves nothing when it grows at the back or shrinks at the front.
    Held& held = running();
    const auto after_ns = [&](double seconds) { return now_ns() + simulated_ns(seconds) - Simulation::start_ns; };
    clock_.sleep_until(after_ns(launch_seconds(held)));
    held.begin_ns = now_ns();
    fetch(held.chunk);
    if (held.ordinal == 0) clock_.sleep_until(after_ns(described().first_chunk_extra_s));
    begin_work(held, now_ns());
    wait_for_end(held);
    end_running();
    on_end();
  }
}

/// It may come sooner than was thought, when the launch is dropped.
void SimGridLaunches::wait_for_end(const Held& held) {
  while (held.end_ns > now_ns()) {
    if (held.end_ns == never_ns) {
      on_end();
      replanned_->acquire();
    } else {
      replanned_->acquire_timeout(clock_.seconds_until(held.end_ns));
    }
  }
}

/// All links of all paths carry their bytes at once; the chunk can run when the last one is done.
void SimGridLaunches::fetch(const Chunk& chunk) {
  std::vector<sg::ExecPtr> executions;
  for (const Transfer& transfer : transfers(chunk)) {
    for (const auto& crossing : transfer.path) {
      // Host::exec_async() would run it on the host of the calling actor.
      const sg::ExecPtr execution = sg::Exec::init();
      execution->set_flops_amount(transfer.bytes / crossing.bytes_per_second)
          ->set_host(simgrid_resource(crossing.link));
      execution->start();
      executions.push_back(execution);
    }
  }
  for (const auto& execution : executions) execution->wait();
}

void SimGridLaunches::forget_launches() {
  SimulatedLaunches::forget_launches();
  work_ = sg::Semaphore::create(0);
  replanned_ = sg::Semaphore::create(0);
}

}  // namespace skua
