// Reads small files with few system calls: a node with 64 partitions has thousands of them.
#include "small_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace skua {

std::optional<std::string> read_small_file(const std::filesystem::path& path, std::size_t bytes_max) {
  // Without O_NONBLOCK a pipe that somebody put into the tree would block for ever.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || content.size() + static_cast<std::size_t>(got) > bytes_max) {
      ::close(file);
      if (got != 0) return std::nullopt;
      break;
    }
    content.append(buffer, static_cast<std::size_t>(got));
  }
  content.erase(content.find_last_not_of(" \t\r\n") + 1);
  return content;
}

}  // namespace skua
