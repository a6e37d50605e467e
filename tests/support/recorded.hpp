// Where the recorded machines are, which are not part of this project.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace skua::test {

/// The folder that SKUA_RECORDED names, or the usual place beside the project. Fails: nothing when it is not there.
inline std::optional<std::filesystem::path> recorded_folder() {
  const char* named = std::getenv("SKUA_RECORDED");
  const std::filesystem::path folder = named != nullptr && *named != '\0' ? named : SKUA_RECORDED_DEFAULT;
  std::error_code error;
  return std::filesystem::is_directory(folder, error) ? std::optional(folder) : std::nullopt;
}

inline const char* recorded_skip_reason() {
  return "SKUA_RECORDED names no folder of recorded machines";
}

}  // namespace skua::test
