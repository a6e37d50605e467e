// What a Worker says when it has done a step.
#pragma once

#include <cstdint>

namespace skua {

/// What is waited for now.
struct Step {
  /// nothing: call step() again at once. completion: something runs, thought to end at until_ns.
  /// work: nothing to do; look again at until_ns, or when the Job changes. finished: done with this Job.
  enum class Wait : std::uint8_t { nothing, completion, work, finished };
  Wait wait = Wait::nothing;
  std::int64_t until_ns = 0;
  std::int64_t since_ns = 0;  ///< when the launch began that may end next
};

}  // namespace skua
