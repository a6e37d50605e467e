// The command line of the program skua.
#pragma once

namespace skua {

/// Runs the subcommand that the arguments name, the first being the program's own name, and returns the exit code.
/// --help and --version are printed, and return 0.
/// Fails: InputError for options that do not exist, lack a value, hold a word that is not known or exclude each other,
///        for SKUA_* variables that are not known, and for what the subcommand refuses.
int run_command_line(int argument_count, const char* const* arguments);

}  // namespace skua
