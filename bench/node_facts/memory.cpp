// Memory: forks beside what a GPU has mapped, allocations beside peers, copies between GPUs (F11, F15, F16).
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "gpu.hpp"
#include "question.hpp"

namespace facts {
namespace {

constexpr int gpus_max = 8;
constexpr std::size_t mebibyte = 1 << 20;

#if defined(SKUA_GPU_HIP)
hipError_t register_memory(void* memory, std::size_t bytes) {
  return hipHostRegister(memory, bytes, hipHostRegisterDefault);
}
hipError_t unregister_memory(void* memory) {
  return hipHostUnregister(memory);
}
#else
hipError_t register_memory(void* memory, std::size_t bytes) {
  return cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
}
hipError_t unregister_memory(void* memory) {
  return cudaHostUnregister(memory);
}
#endif

/// Ordinary memory that the GPUs have mapped.
class Registered {
 public:
  explicit Registered(std::size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw skua::GpuError("no memory to register");
    skua::require("hipHostRegister", register_memory(memory_, bytes_));
  }
  ~Registered() {
    static_cast<void>(unregister_memory(memory_));
    munmap(memory_, bytes_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  /// So that pages that a child shares are copied.
  void write_everywhere() const {
    constexpr std::size_t page = 4096;
    for (std::size_t i = 0; i < bytes_; i += page) static_cast<volatile char*>(memory_)[i] = 1;
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

void fork_a_child() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
}

/// All pairs of the first GPUs, where the runtime allows it. Returns how many.
int enable_peers(int gpus) {
  int pairs = 0;
  for (int from = 0; from < gpus; ++from) {
    skua::use_gpu(from);
    for (int to = 0; to < gpus; ++to) {
      int can = 0;
      if (from == to || hipDeviceCanAccessPeer(&can, from, to) != hipSuccess || can == 0) continue;
      const hipError_t error = hipDeviceEnablePeerAccess(to, 0);
      static_cast<void>(hipGetLastError());
      if (error == hipSuccess || error == hipErrorPeerAccessAlreadyEnabled) ++pairs;
    }
  }
  skua::use_gpu(0);
  return pairs;
}

double time_allocation() {
  return median_of(25, [] {
    void* memory = nullptr;
    const double us = microseconds([&] { skua::require("hipMalloc", hipMalloc(&memory, 64 * mebibyte)); });
    skua::require("hipFree", hipFree(memory));
    return us;
  });
}

/// GB/s of three copies in a row.
double rate_of(const Stream& stream, std::size_t bytes, const std::function<void()>& copy) {
  constexpr int copies = 3;
  copy();
  stream.wait();
  const double us = median_of(3, [&] {
    return microseconds([&] {
      for (int i = 0; i < copies; ++i) copy();
      stream.wait();
    });
  });
  return static_cast<double>(bytes) * copies / us * 1e-3;
}

struct PairRates {
  double engine = 0;
  double reading = 0;  ///< by a kernel of the GPU that receives
  double writing = 0;  ///< by a kernel of the GPU that sends
};

PairRates rates_of_pair(int from, int to, const std::vector<Memory>& memory, std::size_t bytes) {
  void* const source = memory[static_cast<std::size_t>(from)].get();
  void* const target = memory[static_cast<std::size_t>(to)].get();
  PairRates rates;
  skua::use_gpu(from);
  const unsigned blocks = compute_units() * 4;
  const Stream sending;
  rates.engine = rate_of(sending, bytes, [&] {
    skua::require("hipMemcpyPeerAsync", hipMemcpyPeerAsync(target, to, source, from, bytes, sending));
  });
  rates.writing = rate_of(sending, bytes, [&] { start_copy(sending, blocks, target, source, bytes); });
  skua::use_gpu(to);
  const Stream receiving;
  rates.reading = rate_of(receiving, bytes, [&] { start_copy(receiving, blocks, target, source, bytes); });
  return rates;
}

}  // namespace

Answer ask_fork() {
  const Stream stream;
  const Registered memory(256 * mebibyte);
  const Shared<BlockTrace> traces(std::size_t{compute_units()} * 64);
  const auto start = [&] { start_work(stream, static_cast<unsigned>(traces.size()), 1 << 16, traces.data()); };
  start();
  stream.wait();
  const double alone = median_of(7, [&] {
    return microseconds([&] {
      start();
      memory.write_everywhere();
      stream.wait();
    });
  });
  double forking = 0;
  const double beside = median_of(7, [&] {
    return microseconds([&] {
      start();
      forking = microseconds(fork_a_child);
      memory.write_everywhere();
      stream.wait();
    });
  });
  std::optional<bool> forks_cost;
#if defined(SKUA_GPU_HIP)
  forks_cost = beside - alone > 500;
#endif
  return {fmt::format("a kernel of {:.2f} ms takes {:.2f} ms more beside a fork (of {:.2f} ms), 256 MiB registered",
                      alone * 1e-3, (beside - alone) * 1e-3, forking * 1e-3),
          forks_cost};
}

Answer ask_allocations() {
  const int gpus = std::min(gpu_count(), gpus_max);
  const double before = time_allocation();
  const int pairs = enable_peers(gpus);
  if (pairs == 0) return {"no two of the GPUs reach one another's memory", std::nullopt};
  const double after = time_allocation();
  return {fmt::format("hipMalloc of 64 MiB: {:.1f} us, {:.1f} us with {} pairs of {} GPUs enabled", before, after,
                      pairs, gpus),
          after > before * 1.1};
}

Answer ask_copies() {
  constexpr std::size_t bytes = 256 * mebibyte;
  const int gpus = std::min(gpu_count(), gpus_max);
  if (enable_peers(gpus) == 0) return {"no two of the GPUs reach one another's memory", std::nullopt};
  std::vector<Memory> memory;
  for (int ordinal = 0; ordinal < gpus; ++ordinal) {
    skua::use_gpu(ordinal);
    memory.push_back(gpu_memory(bytes));
  }
  double least = 1e9;
  double most = 0;
  for (int from = 0; from < gpus; ++from) {
    for (int to = 0; to < gpus; ++to) {
      int can = 0;
      int can_back = 0;
      if (from == to) continue;
      skua::require("hipDeviceCanAccessPeer", hipDeviceCanAccessPeer(&can, from, to));
      skua::require("hipDeviceCanAccessPeer", hipDeviceCanAccessPeer(&can_back, to, from));
      if (can == 0 || can_back == 0) continue;
      const PairRates rates = rates_of_pair(from, to, memory, bytes);
      tell(fmt::format("GPU {} to {}: engine {:.1f} GB/s, a kernel that writes {:.1f}, one that reads {:.1f}", from, to,
                       rates.engine, rates.writing, rates.reading));
      const double ratio = std::max(rates.reading, rates.writing) / rates.engine;
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
  }
  if (most == 0) return {"no two of the GPUs reach one another's memory", std::nullopt};
  return {fmt::format("a copy kernel reaches {:.2f} to {:.2f} of the copy engine's rate", least, most), least >= 0.9};
}

}  // namespace facts
