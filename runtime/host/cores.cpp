// The calling thread, and with it the threads that oneTBB lends to an arena.
#include "cores.hpp"

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

/// Until the chunk is dropped; what was run is [first, last) of the result.
GranuleRange run_granules(const Kernel& kernel, const Chunk& chunk, GranuleRange range) {
  const BodyScope scope;
  std::uint64_t next = range.first;
  for (; next != range.last && !chunk.drop.now(); ++next) run_granule(kernel, chunk, next);
  return {range.first, next};
}

class OneCore final : public Cores {
 public:
  std::vector<GranuleRange> run(const Kernel& kernel, const Chunk& chunk) override {
    const GranuleRange run = run_granules(kernel, chunk, {0, chunk.granules()});
    if (run.first == run.last) return {};
    return {run};
  }
};

#ifdef SKUA_HAS_TBB
/// Keeps the threads that oneTBB lends to an arena on the device's CPUs while they are in it, and marks what they do
/// there as done by a body. They serve the program's own loops, too: so all is given back when they leave.
class ArenaBinding final : public tbb::task_scheduler_observer {
 public:
  ArenaBinding(tbb::task_arena& arena, CpuSet cpus)
      : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)), home_(this_thread_cpus()) {
    observe(true);
  }
  ~ArenaBinding() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    if (!is_worker) return;
    Stay stay;
    // A thread that oneTBB made from a thread of skua's has that one's CPUs, which are not its own.
    stay.cpus = is_of_skua_thread() ? home_ : this_thread_cpus();
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
};

class ArenaCores final : public Cores {
 public:
  ArenaCores(unsigned count, const CpuSet& cpus) : arena_(static_cast<int>(count)), binding_(arena_, cpus) {}

  std::vector<GranuleRange> run(const Kernel& kernel, const Chunk& chunk) override {
    ranges_.clear();
    arena_.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, chunk.granules()), [&](const auto& range) {
        const GranuleRange run = run_granules(kernel, chunk, {range.begin(), range.end()});
        const std::lock_guard lock(mutex_);
        if (run.first != run.last) ranges_.push_back(run);
      });
    });
    std::sort(ranges_.begin(), ranges_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<GranuleRange> joined;
    for (const GranuleRange& range : ranges_) {
      if (!joined.empty() && joined.back().last == range.first) {
        joined.back().last = range.last;
      } else {
        joined.push_back(range);
      }
    }
    return joined;
  }

 private:
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
