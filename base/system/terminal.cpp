// Asking the operating system.
#include "terminal.hpp"

#include <unistd.h>

namespace skua {

bool error_is_terminal() noexcept {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace skua
