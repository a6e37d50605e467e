// Tells the host's PIDs from those of a container.
#include "host_process_id.hpp"

#include <unistd.h>

#include <system_error>

namespace skua {

std::optional<std::uint32_t> host_process_id(const std::filesystem::path& process) {
  // The kernel gives this number to the namespace that it starts with, always.
  constexpr const char* first_namespace = "pid:[4026531836]";
  std::error_code error;
  const auto name = std::filesystem::read_symlink(process / "ns/pid", error);
  if (error || name != first_namespace) return std::nullopt;
  return static_cast<std::uint32_t>(getpid());
}

}  // namespace skua
