// The calling thread, and with it the threads that oneTBB lends to an arena.
#include "cores.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#ifdef SKUA_HAS_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

#include <system/skua_thread.hpp>
#include <system/thread.hpp>

namespace skua {
namespace {

/// Some granules of a chunk, in one call.
void run_part(const Kernel& kernel, const Chunk& chunk, GranuleRange range) {
  Chunk part = chunk;
  part.begin += range.first * chunk.granule;
  if (range.last != chunk.granules()) part.end = chunk.begin + range.last * chunk.granule;
  if (chunk.partials != nullptr) {
    part.partials = static_cast<std::byte*>(chunk.partials) + range.first * kernel.partial_bytes();
  }
  kernel.run_on_host(part);
}

bool may_run(const Chunk& chunk, std::uint64_t granule) {
  return !chunk.drop.now() || (granule == 0 && chunk.drop.is_asked());
}

/// One granule after another, or all as one piece, until the chunk is dropped or a body throws: either way `done` is
/// told what was run whole. Of a chunk that others ask for the first granule is run in any case.
template <class Done>
void run_range(const Kernel& kernel, const Chunk& chunk, GranuleRange range, GranuleCounts::Core& count, Done done) {
  const BodyScope scope;
  const std::uint64_t step = kernel.unit() == Kernel::Unit::granule ? 1 : range.last - range.first;
  std::uint64_t next = range.first;
  const auto tell = [&] {
    if (next != range.first) done(GranuleRange{range.first, next});
  };
  try {
    for (; next != range.last && may_run(chunk, next); next += step, count.add(step)) {
      run_part(kernel, chunk, {next, next + step});
    }
  } catch (...) {
    tell();
    throw;
  }
  tell();
}

class OneCore final : public Cores {
 public:
  std::int64_t run(const Kernel& kernel, const Chunk& chunk, GranuleCounts& counts,
                   std::vector<GranuleRange>& done) override {
    run_range(kernel, chunk, {0, chunk.granules()}, counts.of_core(0),
              [&](const GranuleRange& run) { done.push_back(run); });
    return 0;
  }
};

#ifdef SKUA_HAS_TBB
/// Keeps the threads that oneTBB lends to an arena on the device's CPUs while they are in it, and marks what they do
/// there as done by a body. They serve the program's own loops, too: so all is given back when they leave.
class ArenaBinding final : public tbb::task_scheduler_observer {
 public:
  ArenaBinding(tbb::task_arena& arena, CpuSet cpus)
      : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)), home_(this_thread_cpus()) {
    pthread_sigmask(SIG_SETMASK, nullptr, &home_signals_);
    observe(true);
  }
  ~ArenaBinding() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker) return;
    Stay stay;
    // A thread that oneTBB made from a thread of skua's has that one's CPUs and blocks the signals that it blocks:
    // which are not its own.
    const bool is_made_here = is_of_skua_thread();
    stay.cpus = is_made_here ? home_ : this_thread_cpus();
    if (is_made_here) pthread_sigmask(SIG_SETMASK, &home_signals_, nullptr);
    unmark_this_thread();
    stay.scope = std::make_unique<BodyScope>();
    stays().push_back(std::move(stay));
    bind_this_thread(cpus_);
  }

  void on_scheduler_exit(bool is_worker) override {
    if (!is_worker || stays().empty()) return;
    if (stays().back().cpus) bind_this_thread(*stays().back().cpus);
    stays().pop_back();
  }

 private:
  struct Stay {
    std::optional<CpuSet> cpus;
    std::unique_ptr<BodyScope> scope;
  };
  static std::vector<Stay>& stays() {
    thread_local std::vector<Stay> of_this_thread;
    return of_this_thread;
  }

  CpuSet cpus_;
  std::optional<CpuSet> home_;  ///< the CPUs of the thread that made the device
  sigset_t home_signals_{};     ///< and the signals that it blocks
};

class ArenaCores final : public Cores {
 public:
  ArenaCores(unsigned count, const CpuSet& cpus)
      : count_(count), arena_(static_cast<int>(count)), binding_(arena_, cpus) {}

  std::int64_t run(const Kernel& kernel, const Chunk& chunk, GranuleCounts& counts,
                   std::vector<GranuleRange>& done) override {
    ranges_.clear();
    std::atomic<std::int64_t> busy_ns{0};
    const std::int64_t begin_ns = now_ns();
    const auto run_some = [&](const tbb::blocked_range<std::uint64_t>& range) {
      const std::int64_t since_ns = now_ns();
      // A place in the arena is one thread's at a time.
      const auto core = static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index());
      Chunk here = chunk;
      here.slot = core;
      run_range(kernel, here, {range.begin(), range.end()}, counts.of_core(core), [&](const GranuleRange& run) {
        const std::lock_guard lock(mutex_);
        ranges_.push_back(run);
      });
      busy_ns.fetch_add(now_ns() - since_ns, std::memory_order_relaxed);
    };
    try {
      arena_.execute([&] { tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, chunk.granules()), run_some); });
    } catch (...) {
      join_ranges(done);
      throw;
    }
    join_ranges(done);
    return std::max<std::int64_t>(0, now_ns() - begin_ns - busy_ns.load(std::memory_order_relaxed) / count_);
  }

 private:
  static std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void join_ranges(std::vector<GranuleRange>& joined) {
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const GranuleRange& range : ranges_) {
      if (!joined.empty() && joined.back().last == range.first) {
        joined.back().last = range.last;
      } else {
        joined.push_back(range);
      }
    }
  }

  unsigned count_;
  tbb::task_arena arena_;
  ArenaBinding binding_;
  std::mutex mutex_;
  std::vector<GranuleRange> ranges_;
};
#endif

}  // namespace

bool can_use_several_cores() noexcept {
#ifdef SKUA_HAS_TBB
  return true;
#else
  return false;
#endif
}

std::unique_ptr<Cores> make_cores([[maybe_unused]] unsigned count, [[maybe_unused]] const CpuSet& cpus) {
#ifdef SKUA_HAS_TBB
  if (count > 1) return std::make_unique<ArenaCores>(count, cpus);
#endif
  return std::make_unique<OneCore>();
}

}  // namespace skua
