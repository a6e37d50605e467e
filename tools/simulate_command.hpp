// skua simulate: policies on a simulated machine.
#pragma once

#include <CLI/CLI.hpp>

namespace skua {

/// Adds the subcommand `simulate` to `application`. When it is chosen it prints to standard output and sets
/// `exit_code`; bad input is thrown as InputError.
void add_simulate_command(CLI::App& application, int& exit_code);

}  // namespace skua
