// Somebody else's work on a GPU, for a stretch of time.
#pragma once

#include <memory>

#include "node.hpp"

namespace bench {

/// Threads: one.
class Disturber {
 public:
  virtual ~Disturber() = default;
  /// Returns at once; after `delay_ms` the GPU is given work for `duration_ms`. One such stretch at a time.
  virtual void disturb(double delay_ms, double duration_ms) = 0;
  /// Until the last stretch is over.
  virtual void wait() = 0;
};

/// For a whole GPU another process, which shares it in time slices. `program` is this program's own path.
/// For a part of a GPU a thread, whose kernels take half of the part's threads: another process would slow all parts.
/// Fails: std::runtime_error.
std::unique_ptr<Disturber> make_disturber(const Unit& unit, bool is_part, const char* program);

/// What the other process does: serves its parent until that closes the pipe.
int serve_as_disturber(int ordinal);

}  // namespace bench
