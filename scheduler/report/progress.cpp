// Showing progress.
#include <skua/progress.hpp>

#include <cstdio>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <skua/input.hpp>
#include <system/terminal.hpp>

namespace skua {
namespace {

bool wanted(bool terminal) {
  const auto variable = environment_variable("SKUA_PROGRESS");
  if (!variable) return terminal;
  if (*variable == "0") return false;
  if (*variable == "1") return true;
  throw InputError(fmt::format("SKUA_PROGRESS={}: must be 0 or 1", *variable));
}

}  // namespace

class ProgressLine::State {
 public:
  explicit State(ProgressUnit unit)
      : unit_(std::move(unit)), terminal_(error_is_terminal()), shown_(wanted(terminal_)) {}
  ~State() { clear(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool shown() const noexcept { return shown_; }

  void show(const Progress& progress) {
    if (!shown_) return;
    if (terminal_ && progress.items_done >= progress.items) return clear();
    const std::string text = progress_text(progress, unit_);
    if (terminal_) {
      fmt::print(stderr, "\r{}\x1b[K", text);
    } else {
      fmt::print(stderr, "{}\n", text);
    }
    std::fflush(stderr);
    written_ = true;
  }

  void clear() {
    if (written_ && terminal_) {
      fmt::print(stderr, "\r\x1b[K");
      std::fflush(stderr);
    }
    written_ = false;
  }

 private:
  ProgressUnit unit_;
  bool terminal_;
  bool shown_;
  bool written_ = false;
};

ProgressLine::ProgressLine(ProgressUnit unit) : state_(std::make_shared<State>(std::move(unit))) {}

bool ProgressLine::shown() const noexcept {
  return state_->shown();
}

void ProgressLine::operator()(const Progress& progress) const {
  state_->show(progress);
}

void ProgressLine::clear() const {
  state_->clear();
}

std::string progress_text(const Progress& progress, const ProgressUnit& unit) {
  const double items = static_cast<double>(progress.items);
  const double done = static_cast<double>(progress.items_done);
  std::string text = fmt::format("{:3.0f} %", items > 0 ? 100 * done / items : 100.0);
  if (done == 0 || progress.elapsed_s <= 0) return text;

  const double rate = done / progress.elapsed_s;
  const double left_s = (items - done) / rate;
  text += fmt::format("   {:.3g} {}/s   {:.0f} s left", rate * unit.in_item, unit.name, left_s);
  constexpr double forecast_limit_s = 1e7;  // further ahead, the hour of the day is no use
  if (left_s < forecast_limit_s) {
    const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(left_s + 0.5);
    std::tm local{};
    if (localtime_r(&end, &local) != nullptr) text += fmt::format(", until {:%H:%M:%S}", local);
  }
  return text;
}

}  // namespace skua
