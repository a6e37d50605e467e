// The calling thread, and with it the threads that oneTBB lends to an arena.
#include "cores.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
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

/// One granule of a chunk.
void run_granule(const Kernel& kernel, const Chunk& chunk, std::uint64_t granule_in_chunk) {
  Chunk part = chunk;
  part.begin += granule_in_chunk * chunk.granule;
  part.end = chunk.end - part.begin > chunk.granule ? part.begin + chunk.granule : chunk.end;
  if (chunk.partials != nullptr) {
    part.partials = static_cast<std::byte*>(chunk.partials) + granule_in_chunk * kernel.partial_bytes();
  }
  kernel.run_on_host(part);
}

/// Until the chunk is dropped or a body throws: either way `done` is told what was run whole.
template <class Done>
void run_granules(const Kernel& kernel, const Chunk& chunk, GranuleRange range, Done done) {
  const BodyScope scope;
  std::uint64_t next = range.first;
  const auto tell = [&] {
    if (next != range.first) done(GranuleRange{range.first, next});
  };
  try {
    for (; next != range.last && !chunk.drop.now(); ++next) run_granule(kernel, chunk, next);
  } catch (...) {
    tell();
    throw;
  }
  tell();
}

class OneCore final : public Cores {
 public:
  void run(const Kernel& kernel, const Chunk& chunk, std::vector<GranuleRange>& done) override {
    run_granules(kernel, chunk, {0, chunk.granules()}, [&](const GranuleRange& run) { done.push_back(run); });
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
  ArenaCores(unsigned count, const CpuSet& cpus) : arena_(static_cast<int>(count)), binding_(arena_, cpus) {}

  void run(const Kernel& kernel, const Chunk& chunk, std::vector<GranuleRange>& done) override {
    ranges_.clear();
    const auto run_range = [&](const tbb::blocked_range<std::uint64_t>& range) {
      run_granules(kernel, chunk, {range.begin(), range.end()}, [&](const GranuleRange& run) {
        const std::lock_guard lock(mutex_);
        ranges_.push_back(run);
      });
    };
    try {
      arena_.execute([&] { tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, chunk.granules()), run_range); });
    } catch (...) {
      join_ranges(done);
      throw;
    }
    join_ranges(done);
  }

 private:
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

  tbb::task_arena arena_;
  ArenaBinding binding_;
  std::mutex mutex_;
  std::vector<GranuleRange> ranges_;
};
#endif

}  // namespace

std::unique_ptr<Cores> make_cores([[maybe_unused]] unsigned count, [[maybe_unused]] const CpuSet& cpus) {
#ifdef SKUA_HAS_TBB
  if (count > 1) return std::make_unique<ArenaCores>(count, cpus);
#endif
  return std::make_unique<OneCore>();
}

}  // namespace skua
