// Where the recorded machines are, which are not part of this project, and what tests share that read them.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace skua::test {

/// The folder that SKUA_RECORDED names; where it names none, the usual place beside the project, or else the invented
/// machines of our own. Returns nullopt when the named one is not there: others in its place would hide that.
/// Fails: std::runtime_error where SKUA_RECORDED_REQUIRED is set and the named folder, or else the usual one, is not
/// there: nothing is to be left out in silence then, and invented machines do not stand in for recorded ones.
inline std::optional<std::filesystem::path> recorded_folder() {
  const char* named = std::getenv("SKUA_RECORDED");
  const bool is_named = named != nullptr && *named != '\0';
  const std::filesystem::path folder = is_named ? named : SKUA_RECORDED_DEFAULT;
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  if (std::getenv("SKUA_RECORDED_REQUIRED") != nullptr) {
    throw std::runtime_error("SKUA_RECORDED_REQUIRED is set, and " + folder.string() + " is not there");
  }
  if (is_named || !std::filesystem::is_directory(SKUA_RECORDED_OWN, error)) return std::nullopt;
  return SKUA_RECORDED_OWN;
}

/// The folder of small inputs after field reports, beside the usual folder of recorded machines. Returns nullopt when
/// it is not there. Fails: as recorded_folder().
inline std::optional<std::filesystem::path> field_inputs_folder() {
  const std::filesystem::path folder = std::filesystem::path(SKUA_RECORDED_DEFAULT).parent_path() / "cases" / "inputs";
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return folder;
  if (std::getenv("SKUA_RECORDED_REQUIRED") != nullptr) {
    throw std::runtime_error("SKUA_RECORDED_REQUIRED is set, and " + folder.string() + " is not there");
  }
  return std::nullopt;
}

inline const char* recorded_skip_reason() {
  return "no machine of this kind is in the folder of recorded machines, or SKUA_RECORDED names none";
}

/// All entries of `subfolder` that end in `ending`, by their paths from the folder of recorded machines; one empty path
/// when there are none, since a suite without parameters would count as a mistake.
inline std::vector<std::string> recorded_files(const std::string& subfolder, const std::string& ending) {
  std::vector<std::string> files;
  const auto folder = recorded_folder();
  std::error_code error;
  if (folder && std::filesystem::is_directory(*folder / subfolder, error)) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder / subfolder)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(ending)) files.push_back(subfolder + '/' + name);
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) files.push_back("");
  return files;
}

/// The names of machines that are a folder of `subfolder` or an archive of one; one empty name when there are none.
inline std::vector<std::string> recorded_machines(const std::string& subfolder) {
  constexpr std::string_view archive_ending = ".tar.xz";
  // A machine may be there both packed and unpacked.
  std::set<std::string> names;
  for (const std::string& file : recorded_files(subfolder, "")) {
    std::string name = std::filesystem::path(file).filename().string();
    const bool is_archive = name.ends_with(archive_ending);
    if (is_archive) name.resize(name.size() - archive_ending.size());
    std::error_code error;
    if (name.empty() || is_archive || std::filesystem::is_directory(*recorded_folder() / file, error)) {
      names.insert(name);
    }
  }
  if (names.empty()) names.insert("");
  return {names.begin(), names.end()};
}

/// The name of a test over one file or machine, of the characters that GoogleTest allows.
inline std::string recorded_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.empty() ? "None" : info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

/// Hops as weights count them, which is not as rocm_smi prints them.
inline std::optional<std::uint32_t> hops_by_weight(int weight) {
  if (weight == 13 || weight == 41) return 1;
  return weight % 15 == 0 ? std::optional(static_cast<std::uint32_t>(weight / 15)) : std::nullopt;
}

}  // namespace skua::test
