// A GPU's first task, by which it shows that it works.
#include <chrono>
#include <memory>
#include <thread>

#include "device.hpp"

namespace skua {

void GpuDevice::check_that_it_runs() {
  constexpr std::chrono::seconds patience{2};
  constexpr int pattern = 0x5a;
  const std::shared_ptr<void> seen = allocate_shared_memory(sizeof(std::uint32_t), ordinal_);
  auto* const value = static_cast<volatile std::uint32_t*>(seen.get());
  *value = 0;
  const GpuSlot& slot = slots_[0];
  void* const scratch = slot.part().scratch;
  require("hipMemsetAsync", hipMemsetAsync(scratch, pattern, sizeof(std::uint32_t), slot.stream()));
  require("hipMemcpyAsync",
          hipMemcpyAsync(seen.get(), scratch, sizeof(std::uint32_t), hipMemcpyDefault, slot.stream()));
  require("hipEventRecord", hipEventRecord(slot.event(), slot.stream()));
  const auto until = std::chrono::steady_clock::now() + patience;
  hipError_t state = hipErrorNotReady;
  while ((state = hipEventQuery(slot.event())) == hipErrorNotReady) {
    if (std::chrono::steady_clock::now() > until) {
      lost_ = "it did not finish a small task in 2 s";
      throw GpuError(*lost_);
    }
    std::this_thread::yield();
  }
  require("hipEventQuery", state);
  if (*value != 0x5a5a5a5au) throw GpuError("a small task left a wrong result");
}

}  // namespace skua
