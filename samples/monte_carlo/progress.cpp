// Showing progress.
#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <skua/input.hpp>

namespace monte_carlo {
namespace {

bool wanted(bool terminal) {
  const auto variable = skua::environment_variable("SKUA_PROGRESS");
  if (!variable) return terminal;
  if (*variable == "0") return false;
  if (*variable == "1") return true;
  throw skua::InputError(fmt::format("SKUA_PROGRESS={}: must be 0 or 1", *variable));
}

}  // namespace

std::string progress_text(const skua::Progress& progress) {
  const double items = static_cast<double>(progress.items);
  const double done = static_cast<double>(progress.items_done);
  std::string text = fmt::format("{:3.0f} %", items > 0 ? 100 * done / items : 100.0);
  if (done == 0 || progress.elapsed_s <= 0) return text;

  const double rate = done / progress.elapsed_s;
  const double left_s = (items - done) / rate;
  text += fmt::format("   {:.3g} paths/s   {:.0f} s left", rate, left_s);
  constexpr double forecast_limit_s = 1e7;  // further ahead, the hour of the day is no use
  if (left_s < forecast_limit_s) {
    const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(left_s + 0.5);
    std::tm local{};
    if (localtime_r(&end, &local) != nullptr) text += fmt::format(", until {:%H:%M:%S}", local);
  }
  return text;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), shown_(wanted(terminal_)) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const skua::Progress& progress) {
  if (!shown_) return;
  const std::string text = progress_text(progress);
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", text);
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::clear() {
  if (written_ && terminal_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  written_ = false;
}

}  // namespace monte_carlo
