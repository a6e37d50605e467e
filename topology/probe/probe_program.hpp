// Where skua's program libexec/skua/probe is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// Looked for beside the library or program that holds this code, then where the package for CMake has found it, then
/// where skua was to be installed when it was built.
/// Returns nullopt when no such file can be run.
std::optional<std::filesystem::path> find_probe_program();

/// The places that belong to `image`, a library in lib/ or a program in bin/ of an installation or of a build folder.
std::vector<std::filesystem::path> probe_places_beside(const std::filesystem::path& image);

/// Why a program that was to be asked cannot be, for people. `program` is nothing where none was found; `failure` is
/// why it has not started, and empty where it has, but greets otherwise than this skua expects.
std::string why_probe_is_useless(const std::optional<std::filesystem::path>& program, const std::string& failure);

}  // namespace skua
