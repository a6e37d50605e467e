// When the launches of a GPU ended, by the host's clock.
#pragma once

#include <cstdint>
#include <optional>

namespace skua {

/// How long a tick of a GPU's clock takes: by the runtime's word, or else learnt from marks that the host saw at once.
class TickLength {
 public:
  explicit TickLength(std::optional<double> ns) noexcept : ns_(ns), is_told_(ns.has_value()) {}

  /// A mark that the host saw within some us of its being made.
  void see(std::uint64_t mark, std::int64_t now_ns) noexcept;

  /// Returns nullopt until it is known.
  std::optional<double> ns() const noexcept { return ns_; }

 private:
  std::optional<double> ns_;
  bool is_told_;
  std::uint64_t first_mark_ = 0;
  std::int64_t first_ns_ = 0;
};

/// What the runtime says of a GPU's clock; on a thread of skua's own.
/// Fails: nullopt.
std::optional<double> told_tick_ns(int ordinal);

/// A rate learnt from late looks would make the next look later still: where the host looks late, a launch's mark tells
/// when it ended.
class EndTimes {
 public:
  explicit EndTimes(TickLength tick) noexcept : tick_(tick) {}

  /// What is oldest was found running.
  void found_running(std::int64_t now_ns) noexcept { last_look_ns_ = now_ns; }
  /// Nothing of what was launched could begin before.
  void held_back_until(std::int64_t now_ns) noexcept;

  /// The end of a launch that was found ended: now, if it ran at the last look and that was just before; or else as
  /// long after the end of the launch before it as the GPU's clock says. A launch that was dropped may have ended
  /// before the one before it. mark: the GPU's time, 0 or 1 where there is none.
  std::int64_t end_ns(std::uint64_t mark, std::int64_t now_ns) noexcept;

  /// What end_ns() said, as the caller has it: not before the launch began.
  void ended(std::int64_t begin_ns, std::int64_t end_ns) noexcept;

  std::int64_t last_end_ns() const noexcept { return last_end_ns_; }
  /// Of the launch that ended last; nullopt before the first.
  std::optional<std::int64_t> last_duration_ns() const noexcept { return last_duration_ns_; }

 private:
  TickLength tick_;
  std::uint64_t last_mark_ = 0;  ///< of the launch that ended last; 0 when it left no time
  std::int64_t last_end_ns_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::optional<std::int64_t> last_duration_ns_;
};

}  // namespace skua
