// Opens render nodes.
#include "render_node.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace skua {

std::optional<std::string> why_closed(const std::filesystem::path& devices, std::uint64_t minor) {
  // The numbers below are those of cards; 0 is how the driver writes that there is none.
  constexpr std::uint64_t minor_min = 128;
  if (minor < minor_min) return std::nullopt;
  const std::filesystem::path file = devices / "dri" / fmt::format("renderD{}", minor);
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  const int error = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) close(descriptor);
  const bool concerns_gpu =
      error == ENOENT || error == EACCES || error == EPERM || error == ENXIO || error == ENODEV || error == EINVAL;
  if (!concerns_gpu) return std::nullopt;
  return fmt::format("{}: {}", file.string(), std::generic_category().message(error));
}

}  // namespace skua
