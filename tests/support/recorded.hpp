// Where the recorded machines are, which are not part of this project.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace skua::test {

/// The folder that SKUA_RECORDED names, or the usual place beside the project. Returns nullopt when it is not there.
/// Fails: std::runtime_error then, where SKUA_RECORDED_REQUIRED is set: nothing is to be left out in silence.
inline std::optional<std::filesystem::path> recorded_folder() {
  const char* named = std::getenv("SKUA_RECORDED");
  const std::filesystem::path folder = named != nullptr && *named != '\0' ? named : SKUA_RECORDED_DEFAULT;
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  if (std::getenv("SKUA_RECORDED_REQUIRED") == nullptr) return std::nullopt;
  throw std::runtime_error("SKUA_RECORDED_REQUIRED is set, and " + folder.string() + " is not there");
}

inline const char* recorded_skip_reason() {
  return "SKUA_RECORDED names no folder of recorded machines";
}

}  // namespace skua::test
