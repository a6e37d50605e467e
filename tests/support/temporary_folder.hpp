// A folder that is gone when the test is.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace skua::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    // In memory where that is possible: a KFD tree has thousands of files.
    const bool has_memory_files = access("/dev/shm", W_OK) == 0;
    const auto parent = has_memory_files ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "skua_test_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file below, and the folders on the way to it.
  std::filesystem::path write(const std::filesystem::path& file, const std::string& content) const {
    const std::filesystem::path whole = path_ / file;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << content;
    return whole;
  }

  void link(const std::filesystem::path& target, const std::filesystem::path& place) const {
    std::filesystem::create_directories((path_ / place).parent_path());
    // Relative, as in /sys: the tree may be seen at another place.
    std::filesystem::create_directory_symlink(target.lexically_relative(place.parent_path()), path_ / place);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace skua::test
