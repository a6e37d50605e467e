// The program skua: its subcommands, and what they have in common.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include <skua/input.hpp>

#include "topology_command.hpp"
#ifdef SKUA_HAS_SIMULATION
#include "simulate_command.hpp"
#endif

namespace {

constexpr int exit_failed = 1;
constexpr int exit_bad_input = 2;

int fail(int code, const std::string& message) {
  fmt::print(stderr, "skua: {}\n", message);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  try {
    CLI::App application{"skua: one loop over many GPUs, all done together"};
    application.set_version_flag("--version", "skua " SKUA_VERSION);
    application.require_subcommand(1);
    skua::add_topology_command(application, exit_code);
#ifdef SKUA_HAS_SIMULATION
    skua::add_simulate_command(application, exit_code);
#endif
    try {
      skua::check_environment();
      application.parse(argc, argv);
    } catch (const CLI::Success& success) {
      return application.exit(success);
    } catch (const CLI::ParseError& error) {
      return fail(exit_bad_input, error.what());
    }
  } catch (const skua::InputError& error) {
    return fail(exit_bad_input, error.what());
  } catch (const std::exception& error) {
    return fail(exit_failed, error.what());
  }
  return exit_code;
}
