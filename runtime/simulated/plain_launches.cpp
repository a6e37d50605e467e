// When the launches of a device without actors begin and end.
#include "plain_launches.hpp"

#include <algorithm>

namespace skua {
namespace {

std::int64_t span_ns(double seconds) {
  return simulated_ns(seconds) - Simulation::start_ns;
}

}  // namespace

void PlainLaunches::launched() {
  if (!running().work_ns) begin_running(now_ns());
}

void PlainLaunches::settle() {
  while (!is_idle() && running().end_ns <= now_ns()) {
    const std::int64_t end_ns = running().end_ns;
    end_running();
    if (!is_idle()) begin_running(end_ns);
  }
}

void PlainLaunches::begin_running(std::int64_t turn_ns) {
  Held& held = running();
  held.begin_ns = turn_ns + span_ns(launch_seconds(held));
  double slowest_s = 0;
  for (const Transfer& transfer : transfers(held.chunk)) {
    for (const auto& crossing : transfer.path) {
      slowest_s = std::max(slowest_s, transfer.bytes / crossing.bytes_per_second);
    }
  }
  if (held.ordinal == 0) slowest_s += described().first_chunk_extra_s;
  begin_work(held, held.begin_ns + span_ns(slowest_s));
}

}  // namespace skua
