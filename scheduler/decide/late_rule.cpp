// An original against a copy of it.
#include "late_rule.hpp"

#include <cstdlib>

namespace skua {

double expected_seconds_left(const LateQuestion& question) noexcept {
  return static_cast<double>(std::abs(question.forecast_end_ns - question.now_ns)) * 1e-9;
}

bool worth_copying(const LateQuestion& question) noexcept {
  return question.copy_seconds < expected_seconds_left(question);
}

}  // namespace skua
