// How one Job is to be run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/earlier_work.hpp>

namespace skua {

/// A wish to stop a Job early. Copies share the wish, so a body may hold one by value.
/// Threads: any.  Blocks: never.
class Cancellation {
 public:
  void request() const noexcept { requested_->store(true, std::memory_order_relaxed); }
  bool requested() const noexcept { return requested_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> requested_ = std::make_shared<std::atomic<bool>>(false);
};

struct Progress {
  std::uint64_t items = 0;
  /// Never less than the time before. On the host they count granule by granule; on GPUs, and in a launch(), when their
  /// chunk has ended.
  std::uint64_t items_done = 0;
  double elapsed_s = 0;
};

/// forbidden: every item is run at most once, but for what a device that fails had begun. allowed: late chunks may be
/// run again on idle devices; what a body writes must then be the same each time, and may be written by two threads at
/// once.
enum class Repeat : std::uint8_t { forbidden, allowed };

/// How granules are dealt before a Job starts. even: equal shares. by_rate: in proportion to the devices' rates.
enum class Placement : std::uint8_t { even, by_rate };

struct JobOptions {
  /// Rates are remembered for each body (its type) and name: one body whose items cost something else in another place
  /// of the program deserves another name.
  std::string name = "loop";
  /// 0: chosen from the number of items, and from what a granule leaves (default_granule_items). One that is larger
  /// than the loop is the loop; the Report has the one that was used.
  std::uint64_t granule_items = 0;
  /// How many items fill one device, where it cannot know: tiles, rows, batches of a launch. 0: it is asked, and
  /// measured.
  std::uint64_t filling_items = 0;
  std::string policy = "factoring";
  Placement placement = Placement::by_rate;
  Repeat repeat = Repeat::forbidden;  ///< parallel_reduce always allows it
  std::vector<Awaited> after{};  ///< streams and events that the Job waits for: skua::after(stream) of <skua/hip.hpp>
  std::optional<Cancellation> cancellation{};
  /// Called by the waiting thread, which waits for it: a slow one delays the return of the Job. It may not start a Job.
  std::function<void(const Progress&)> progress{};
  std::chrono::milliseconds progress_every{200};
};

/// The granule of a Job that names none: the least power of two that gives at most 8,192 granules, or fewer, down to
/// 64, where what they leave (result_bytes each) would fill more than 256 MiB.
std::uint64_t default_granule_items(std::uint64_t items, std::size_t result_bytes = 0) noexcept;

}  // namespace skua
