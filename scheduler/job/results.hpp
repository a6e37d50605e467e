// Where the results of a Job's granules lie.
#pragma once

#include <cstddef>
#include <vector>

#include <skua/detail/partials.hpp>
#include <skua/memory.hpp>

#include "mutex.hpp"

namespace skua {

/// Threads: any.
class Results {
 public:
  /// `bytes_each`: what a granule leaves; 0 for nothing.
  explicit Results(std::size_t bytes_each) : bytes_each_(bytes_each) {}

  std::size_t bytes_each() const noexcept { return bytes_each_; }

  /// Memory for these granules, which chunks that are no copies write to.
  void add(Interval granules, Memory memory) SKUA_EXCLUDES(mutex_);

  /// Where the result of `granule` goes; null when there are none.
  void* of(std::uint32_t granule) const SKUA_EXCLUDES(mutex_);

  /// These granules have their results in a copy's memory, the first of them at `first`; what was replaced may still
  /// write to the Job's own.
  void replace(Interval granules, const std::byte* first, Memory memory) SKUA_EXCLUDES(mutex_);

  /// The results of the granules that are done.
  Partials partials(const std::vector<Interval>& done) const SKUA_EXCLUDES(mutex_);

 private:
  struct Own {
    Interval granules;
    Memory memory;
  };

  const std::byte* own(std::uint32_t granule) const SKUA_REQUIRES(mutex_);

  std::size_t bytes_each_;
  mutable Mutex mutex_;
  std::vector<Own> own_ SKUA_GUARDED_BY(mutex_);
  std::vector<Partials::Piece> copies_ SKUA_GUARDED_BY(mutex_);
  std::vector<Memory> copies_memory_ SKUA_GUARDED_BY(mutex_);
};

}  // namespace skua
