// Devices of a JobRun that do not end what they run.
#include <algorithm>

#include "job_run.hpp"

namespace skua {
namespace {

std::string text_of(const ItemRange& range) {
  return "items [" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

}  // namespace

std::optional<std::uint32_t> JobRun::find_hanging(std::int64_t patience_ns) const {
  // A chunk of items that are dear beyond all forecasts is no hang.
  constexpr double forecast_factor = 100;
  std::optional<std::uint32_t> hanging;
  if (!job_.rates.any_measured()) return hanging;
  const std::int64_t now_ns = clock_.now_ns();
  for (std::uint32_t device = 0; device < workers_.size(); ++device) {
    const auto oldest = workers_[device] != nullptr ? workers_[device]->oldest() : std::nullopt;
    if (!oldest) continue;
    if (devices_[device]->info().can.runs_in_poll) return std::nullopt;
    const double forecast_s = job_.rates.seconds(job_.work.of(oldest->granules), device);
    if (now_ns - patience_ns < moment_after(oldest->begin_ns, forecast_factor * forecast_s)) return std::nullopt;
    if (!hanging) hanging = device;
  }
  return hanging;
}

void JobRun::stop_if_hanging(std::int64_t patience_ns) {
  const auto device = find_hanging(patience_ns);
  if (!device) return;
  stop(Stop::device_hangs, "device " + devices_[*device]->info().name + " hung: it did not end " +
                               what_it_does_not_end(*device) + " of the loop '" + job_.loop.name +
                               "' for so long that the Job was stopped; it has ended it since");
}

std::string JobRun::what_it_does_not_end(std::uint32_t device) const {
  const auto oldest = workers_[device]->oldest();
  return oldest ? text_of(job_.granules.range(oldest->granules)) : std::string("something");
}

std::int64_t JobRun::deadline_ns(std::uint32_t device, std::int64_t patience_ns) const {
  const std::int64_t now_ns = clock_.now_ns();
  const auto oldest = workers_[device]->oldest();
  if (!oldest) return now_ns + patience_ns;
  // What has taken long already may well take as long again.
  const std::int64_t spent_ns = now_ns - oldest->begin_ns;
  std::int64_t wait_ns = std::max(patience_ns, spent_ns);
  if (job_.rates.any_measured()) {
    const double forecast_s = job_.rates.seconds(job_.work.of(oldest->granules), device);
    wait_ns = std::max(wait_ns, moment_after(oldest->begin_ns, forecast_s) - now_ns + patience_ns);
  }
  return now_ns + wait_ns;
}

void JobRun::give_up(std::uint32_t device) {
  const std::string text = "it does not end " + what_it_does_not_end(device) + " of the loop '" + job_.loop.name +
                           "': what that loop reads and writes must stay alive until it does";
  job_.ledger.change(device, [&](DeviceReport& account) {
    account.failed = true;
    account.failure = text;
  });
  hanging_.push_back("device " + devices_[device]->info().name + " hangs: " + text);
  given_up_.fetch_add(1);
  all_came_back_->store(false, std::memory_order_release);
}

void JobRun::came_back() noexcept {
  if (given_up_.fetch_sub(1) == 1) all_came_back_->store(true, std::memory_order_release);
}

std::string JobRun::what_hangs() const {
  std::string text;
  for (const std::string& one : hanging_) text += (text.empty() ? "" : "; ") + one;
  return text;
}

}  // namespace skua
