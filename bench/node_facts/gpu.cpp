// Streams, memory and waiting.
#include "gpu.hpp"

#include <algorithm>
#include <vector>

#include "question.hpp"

namespace facts {

using skua::require;

Stream::Stream() {
  require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
}

Stream::~Stream() {
  static_cast<void>(hipStreamDestroy(stream_));
}

bool Stream::ends_within(std::chrono::milliseconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const hipError_t state = hipStreamQuery(stream_);
    if (state == hipSuccess) return true;
    if (state != hipErrorNotReady) require("hipStreamQuery", state);
    static_cast<void>(hipGetLastError());
    if (std::chrono::steady_clock::now() > until) return false;
  }
}

void Stream::wait() const {
  constexpr std::chrono::seconds patience{10};
  if (ends_within(patience)) return;
  // Said at once: what is given back on the way out may wait for the kernel.
  tell("a kernel has not ended in ten seconds");
  throw skua::GpuError("a kernel has not ended in ten seconds");
}

Memory page_locked_memory(std::size_t bytes) {
  void* memory = nullptr;
  require("hipHostMalloc",
          hipHostMalloc(&memory, bytes, hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent));
  std::memset(memory, 0, bytes);
  return {memory, [](void* own) { static_cast<void>(hipHostFree(own)); }};
}

Memory gpu_memory(std::size_t bytes) {
  void* memory = nullptr;
  require("hipMalloc", hipMalloc(&memory, bytes));
  Memory own(memory, [](void* freed) { static_cast<void>(hipFree(freed)); });
  const Stream stream;
  require("hipMemsetAsync", hipMemsetAsync(memory, 0, bytes, stream));
  stream.wait();
  return own;
}

int gpu_count() {
  int count = 0;
  require("hipGetDeviceCount", hipGetDeviceCount(&count));
  return count;
}

std::uint32_t compute_units() {
  int ordinal = 0;
  int count = 0;
  require("hipGetDevice", hipGetDevice(&ordinal));
  require("hipDeviceGetAttribute", hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, ordinal));
  return static_cast<std::uint32_t>(std::max(count, 1));
}

#if defined(SKUA_GPU_HIP)

std::string arch_of(int ordinal) {
  hipDeviceProp_t properties{};
  require("hipGetDeviceProperties", hipGetDeviceProperties(&properties, ordinal));
  return properties.gcnArchName;
}

std::optional<double> stated_ticks_per_s() {
  // hipDeviceAttributeWallClockRate by its number: old headers do not name it.
  constexpr int wall_clock_rate = 10017;
  int ordinal = 0;
  int khz = 0;
  require("hipGetDevice", hipGetDevice(&ordinal));
  const hipError_t error = hipDeviceGetAttribute(&khz, static_cast<hipDeviceAttribute_t>(wall_clock_rate), ordinal);
  static_cast<void>(hipGetLastError());
  if (error != hipSuccess || khz <= 0) return std::nullopt;
  return khz * 1e3;
}

#else

std::string arch_of(int ordinal) {
  int major = 0;
  int minor = 0;
  require("hipDeviceGetAttribute", cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal));
  require("hipDeviceGetAttribute", cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

std::optional<double> stated_ticks_per_s() {
  return 1e9;
}

#endif

namespace {

double ticks_per_us() {
  static const double rate = stated_ticks_per_s().value_or(1e8) * 1e-6;
  return rate;
}

}  // namespace

std::uint64_t ticks_of(std::chrono::microseconds time) {
  return static_cast<std::uint64_t>(static_cast<double>(time.count()) * ticks_per_us());
}

double microseconds_of(std::uint64_t ticks) {
  return static_cast<double>(ticks) / ticks_per_us();
}

double microseconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

double median_of(int times, const std::function<double()>& measure) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(measure());
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace facts
