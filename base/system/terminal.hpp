// What standard error is.
#pragma once

namespace skua {

/// Threads: any.
bool error_is_terminal() noexcept;

}  // namespace skua
