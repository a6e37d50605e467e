// Counters for tests on GPUs.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include <skua/detail/hip_names.hpp>

namespace skua::test {

using namespace gpu_api;

/// Counters that host and GPUs can write.
class Counters {
 public:
  explicit Counters(std::size_t count) : count_(count) {
    void* memory = nullptr;
    EXPECT_EQ(hipHostMalloc(&memory, count * sizeof(unsigned), hipHostMallocPortable | hipHostMallocMapped),
              hipSuccess);
    values = static_cast<unsigned*>(memory);
    for (std::size_t i = 0; i < count; ++i) values[i] = 0;
  }
  ~Counters() { static_cast<void>(hipHostFree(values)); }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  void expect_all(unsigned expected) const {
    for (std::size_t i = 0; i < count_; ++i) ASSERT_EQ(values[i], expected) << "item " << i;
  }

  unsigned* values = nullptr;

 private:
  std::size_t count_;
};

/// The same in the memory of one GPU, which is zeroed on its default stream.
class GpuCounters {
 public:
  GpuCounters(int ordinal, std::size_t count) : bytes_(count * sizeof(unsigned)) {
    void* memory = nullptr;
    EXPECT_EQ(hipSetDevice(ordinal), hipSuccess);
    EXPECT_EQ(hipMalloc(&memory, bytes_), hipSuccess);
    EXPECT_EQ(hipMemsetAsync(memory, 0, bytes_, nullptr), hipSuccess);
    values = static_cast<unsigned*>(memory);
  }
  ~GpuCounters() { static_cast<void>(hipFree(values)); }
  GpuCounters(const GpuCounters&) = delete;
  GpuCounters& operator=(const GpuCounters&) = delete;

  unsigned at(std::size_t place) const {
    const Counters seen(1);
    EXPECT_EQ(hipMemcpyAsync(seen.values, values + place, sizeof(unsigned), hipMemcpyDefault, nullptr), hipSuccess);
    hipError_t state = hipErrorNotReady;
    while (state == hipErrorNotReady) state = hipStreamQuery(nullptr);
    EXPECT_EQ(state, hipSuccess);
    return seen.values[0];
  }

  unsigned* values = nullptr;

 private:
  std::size_t bytes_;
};

}  // namespace skua::test
