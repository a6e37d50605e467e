// Reads small files of /proc and /sys.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace skua {

/// The content without trailing white space. Files there are a few lines long; larger ones are not what they seem.
/// Returns nullopt when the file is missing, unreadable or larger than `bytes_max`.
std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t bytes_max = 64 * 1024);

}  // namespace skua
