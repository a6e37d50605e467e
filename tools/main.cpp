// The program skua: its exit codes.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <fmt/format.h>

#include <gpu/measure.hpp>
#include <skua/input.hpp>

#include "command_line.hpp"

namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

int fail(int code, const std::exception& error) {
  fmt::print(stderr, "skua: {}\n", error.what());
  return code;
}

int run(int argument_count, char** arguments) {
  try {
    return skua::run_command_line(argument_count, arguments);
  } catch (const skua::InputError& error) {
    return fail(exit_bad_input, error);
  } catch (const std::exception& error) {
    return fail(exit_failed, error);
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  const int code = run(argument_count, arguments);
  if (skua::is_measuring_stuck()) {
    std::fflush(nullptr);
    std::_Exit(code);
  }
  return code;
}
