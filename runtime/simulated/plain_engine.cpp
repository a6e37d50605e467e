// Virtual time without actors: a loop that goes from one moment at which something happens to the next.
#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "engine.hpp"
#include "plain_launches.hpp"

namespace skua {
namespace {

constexpr std::int64_t never_ns = SimulatedLaunches::never_ns;
constexpr std::int64_t wake_up_ns = 1'000;

class PlainEngine final : public SimulatedEngine {
 public:
  explicit PlainEngine(const SimulatedSetting& setting) : setting_(setting) {
    for (std::size_t i = 0; i < setting.machine.devices.size(); ++i) devices_.emplace_back(setting, i, clock_);
  }

  const Clock& clock() const noexcept override { return clock_; }
  SimulatedLaunches& device(std::size_t index) override { return devices_[index]; }
  void notify() noexcept override { is_changed_ = true; }

  Simulation::End run(std::vector<SimulatedStep> steps, SimulatedCalls calls, double limit_s) override {
    const std::int64_t begin_ns = clock_.now_ns();
    is_changed_ = false;
    wakes_ns_.assign(steps.size(), begin_ns);
    busy_until_ns_.assign(steps.size(), begin_ns);
    is_finished_.assign(steps.size(), false);
    const std::size_t threads =
        std::min<std::size_t>(setting_.machine.host_threads.value_or(never_threads), steps.size());
    threads_free_ns_.assign(threads, begin_ns);
    left_ = steps.size();
    std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::int64_t limit_ns = begin_ns + (simulated_ns(limit_s) - Simulation::start_ns);
    for (auto call = calls.begin(); left_ > 0;) {
      const auto next = std::min_element(wakes_ns_.begin(), wakes_ns_.end());
      const std::int64_t call_ns =
          call != calls.end() ? begin_ns + (simulated_ns(call->first) - Simulation::start_ns) : never_ns;
      const std::int64_t next_ns = std::min(*next, call_ns);
      if (next_ns == never_ns) return Simulation::End::stuck;
      if (next_ns >= limit_ns) {
        clock_.advance_to(limit_ns);
        return Simulation::End::limit;
      }
      clock_.advance_to(next_ns);
      if (call_ns <= *next) {
        (call++)->second();
      } else {
        step(static_cast<std::size_t>(next - wakes_ns_.begin()), steps);
      }
      look_round();
    }
    return Simulation::End::finished;
  }

 private:
  static constexpr std::size_t never_threads = std::numeric_limits<std::size_t>::max();

  void step(std::size_t index, const std::vector<SimulatedStep>& steps) {
    const auto thread = std::min_element(threads_free_ns_.begin(), threads_free_ns_.end());
    const std::int64_t begin_ns = clock_.now_ns();
    if (threads_free_ns_.size() < steps.size() && *thread > begin_ns) {
      wakes_ns_[index] = *thread;
      return;
    }
    const double step_s = setting_.machine.devices[index].step_s;
    if (step_s > 0) clock_.advance_to(begin_ns + (simulated_ns(step_s) - Simulation::start_ns));
    const SimulatedWait wait = steps[index]();
    const std::int64_t free_ns = clock_.now_ns();
    *thread = free_ns;
    // Others go on beside it.
    clock_.return_to(begin_ns);
    busy_until_ns_[index] = free_ns;
    if (wait.what == SimulatedWait::For::finished) {
      is_finished_[index] = true;
      --left_;
    }
    wakes_ns_[index] = std::max(free_ns, wake_ns(wait, index));
  }

  std::int64_t wake_ns(const SimulatedWait& wait, std::size_t index) const {
    switch (wait.what) {
      case SimulatedWait::For::nothing:
        return clock_.now_ns();
      case SimulatedWait::For::completion:
        return seen_ns(index);
      case SimulatedWait::For::change:
        return std::max(wait.until_ns, clock_.now_ns() + 1);
      case SimulatedWait::For::finished:
        break;
    }
    return never_ns;
  }

  /// What is dropped ends early; and whoever waits looks again when something has changed.
  void look_round() {
    const bool is_changed = std::exchange(is_changed_, false);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (is_finished_[i]) continue;
      const bool is_cut = devices_[i].look_at_drops();
      if (is_changed || is_cut)
        wakes_ns_[i] = std::min(wakes_ns_[i], std::max(busy_until_ns_[i], clock_.now_ns() + wake_up_ns));
    }
  }

  /// When the host thread knows of the device's next end.
  std::int64_t seen_ns(std::size_t index) const {
    const std::int64_t end_ns = devices_[index].next_end_ns();
    if (end_ns == never_ns) return never_ns;
    return end_ns + (simulated_ns(setting_.machine.devices[index].detection_s) - Simulation::start_ns);
  }

  const SimulatedSetting& setting_;
  PlainClock clock_;
  std::deque<PlainLaunches> devices_;
  std::vector<std::int64_t> wakes_ns_;
  std::vector<std::int64_t> busy_until_ns_;  ///< its host thread, with its last step
  std::vector<std::int64_t> threads_free_ns_;
  std::vector<bool> is_finished_;
  std::size_t left_ = 0;
  bool is_changed_ = false;
};

}  // namespace

std::unique_ptr<SimulatedEngine> make_plain_engine(const SimulatedSetting& setting) {
  return std::make_unique<PlainEngine>(setting);
}

}  // namespace skua
