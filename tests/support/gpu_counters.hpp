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

}  // namespace skua::test
