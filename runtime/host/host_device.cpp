// Runs chunks and copies inside poll().
#include "host_device.hpp"

#include <cstring>

#ifdef SKUA_HAS_NUMA
#include <numa.h>
#endif

#include <skua/discovery.hpp>
#include <system/thread.hpp>

namespace skua {

HostDevice::HostDevice(DeviceInfo info, unsigned cores, const Clock& clock)
    : info_(std::move(info)),
      core_count_(cores),
      cores_(make_cores(cores, *info_.cpus)),
      counts_(cores),
      clock_(clock) {}

std::vector<std::string> HostDevice::attach() {
  std::vector<std::string> notes;
  if (core_count_ > 1 && !can_use_several_cores()) {
    notes.push_back(info_.name + ": uses one of its " + std::to_string(core_count_) +
                    " cores: this skua was built without oneTBB");
  }
  // A described machine may name CPUs that this one does not have.
  const Binding binding = choose_binding(*info_.cpus, discover_host_cpus().allowed);
  if (binding.note) notes.push_back(info_.name + ": " + *binding.note);
  if (const auto note = bind_this_thread(binding.cpus)) notes.push_back(info_.name + ": " + *note);
#ifdef SKUA_HAS_NUMA
  if (info_.numa_node && numa_available() >= 0) numa_set_preferred(static_cast<int>(info_.numa_node->index));
#endif
  return notes;
}

std::optional<Failure> HostDevice::launch(const Kernel& kernel, const Chunk& chunk, std::uint64_t number) {
  if (waiting_.full()) return Failure{Failure::Kind::launch, "it holds a chunk already", nullptr};
  waiting_.push({&kernel, chunk, number});
  return std::nullopt;
}

std::optional<Failure> HostDevice::copy(const Copy& copy, std::uint64_t number) {
  copies_.emplace_back(number, copy);
  return std::nullopt;
}

std::optional<Completion> HostDevice::poll() {
  if (!copies_.empty()) {
    const auto [number, copy] = copies_.front();
    copies_.pop_front();
    Completion completion;
    completion.launch = number;
    completion.begin_ns = clock_.now_ns();
    std::memmove(copy.to, copy.from, copy.bytes);
    completion.end_ns = clock_.now_ns();
    return completion;
  }
  if (waiting_.empty()) return std::nullopt;
  return run(waiting_.pop());
}

Completion HostDevice::run(const Launch& launch) {
  Completion completion;
  completion.launch = launch.number;
  completion.begin_ns = clock_.now_ns();
  const std::int64_t cpu_begin_ns = this_thread_cpu_ns();
  counts_.begin(launch.number);
  try {
    if (launch.kernel->unit() == Kernel::Unit::chunk) {
      const BodyScope scope;
      completion.whole = !launch.chunk.drop.now();
      if (completion.whole) launch.kernel->run_on_host(launch.chunk);
    } else {
      std::vector<GranuleRange>& run = completion.done_before_drop;
      completion.idle_ns = cores_->run(*launch.kernel, launch.chunk, counts_, run);
      completion.whole = run.size() == 1 && run.front().first == 0 && run.front().last == launch.chunk.granules();
      if (completion.whole) run.clear();
    }
  } catch (const std::exception& error) {
    completion.failure = Failure{Failure::Kind::body, error.what(), std::current_exception()};
  } catch (...) {
    completion.failure = Failure{Failure::Kind::body, "not a std::exception", std::current_exception()};
  }
  counts_.end();
  completion.body_cpu_ns = this_thread_cpu_ns() - cpu_begin_ns;
  completion.end_ns = clock_.now_ns();
  return completion;
}

}  // namespace skua
