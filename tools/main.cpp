// The program skua: its exit codes.
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include <skua/input.hpp>

#include "command_line.hpp"

namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

int fail(int code, const std::exception& error) {
  fmt::print(stderr, "skua: {}\n", error.what());
  return code;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return skua::run_command_line(argument_count, arguments);
  } catch (const skua::InputError& error) {
    return fail(exit_bad_input, error);
  } catch (const std::exception& error) {
    return fail(exit_failed, error);
  }
}
