// The GPU's clock that runs evenly: its rate, its order over the whole GPU, its step (F8).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "gpu.hpp"
#include "question.hpp"

namespace facts {
namespace {

/// The clocks of GPU and host at one moment, and how far that moment may be off.
struct Moment {
  double ticks = 0;
  double host_us = 0;
  double doubt_us = 1e9;
};

double host_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Moment look(const Stream& stream) {
  const Shared<BlockTrace> traces(1);
  Moment best;
  for (int i = 0; i < 50; ++i) {
    traces[0].is_written = 0;
    const double before = host_us();
    start_waiting(stream, 1, 0, traces.data());
    const volatile std::uint32_t& is_written = traces[0].is_written;
    const double limit = before + 1e6;
    while (is_written == 0 && host_us() < limit) {
    }
    const double after = host_us();
    stream.wait();
    if (after - before < best.doubt_us) {
      best = {static_cast<double>(traces[0].begin_ticks), (before + after) / 2, after - before};
    }
  }
  return best;
}

}  // namespace

Answer ask_clock_rate() {
  const Stream stream;
  const Moment first = look(stream);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Moment second = look(stream);
  const double measured = (second.ticks - first.ticks) / (second.host_us - first.host_us) * 1e6;
  const std::optional<double> stated = stated_ticks_per_s();
  tell(fmt::format("moments known to {:.1f} and {:.1f} us", first.doubt_us, second.doubt_us));
  std::optional<bool> agrees = false;
  if (stated) agrees = std::abs(measured / *stated - 1) < 1e-3;
  return {fmt::format("stated {}, measured {:.4f} MHz",
                      stated ? fmt::format("{:.4f} MHz", *stated * 1e-6) : std::string("nothing"), measured * 1e-6),
          agrees};
}

Answer ask_clock_order() {
  constexpr unsigned rounds = 64;
  const Stream stream;
  const unsigned blocks = compute_units();
  const Shared<std::uint64_t> reads(std::size_t{blocks} * rounds);
  const Memory turn = gpu_memory(sizeof(std::uint32_t));
  start_reading_in_turns(stream, blocks, rounds, static_cast<std::uint32_t*>(turn.get()), reads.data());
  stream.wait();
  std::size_t backward = 0;
  std::uint64_t worst = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    if (reads[i] >= reads[i - 1]) continue;
    ++backward;
    worst = std::max(worst, reads[i - 1] - reads[i]);
  }
  return {fmt::format("{} of {} reads in turn over {} blocks are before the one before, by {:.3f} us at most", backward,
                      reads.size(), blocks, microseconds_of(worst)),
          microseconds_of(worst) < 1};
}

Answer ask_clock_step() {
  constexpr unsigned count = 200;
  const Stream stream;
  const Shared<std::uint64_t> reads(count);
  start_reading_steps(stream, count, reads.data());
  stream.wait();
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 1; i < reads.size(); ++i) steps.push_back(reads[i] - reads[i - 1]);
  std::sort(steps.begin(), steps.end());
  const double median_us = microseconds_of(steps[steps.size() / 2]);
  return {fmt::format("steps of {:.3f} us (least {:.3f}, most {:.3f})", median_us, microseconds_of(steps.front()),
                      microseconds_of(steps.back())),
          median_us <= 1.1};
}

}  // namespace facts
