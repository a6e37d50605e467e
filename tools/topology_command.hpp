// skua topology: shows the machine, or a described one.
#pragma once

#include <CLI/CLI.hpp>

namespace skua {

/// Adds the subcommand `topology` to `application`. When it is chosen it prints to standard output and sets
/// `exit_code`; bad input is thrown as InputError.
void add_topology_command(CLI::App& application, int& exit_code);

}  // namespace skua
