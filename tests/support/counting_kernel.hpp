// A user's kernel over the HIP runtime of the tests: it counts the runs of each item.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include <skua/kernel.hpp>

#include "support/hip_stub.hpp"

namespace skua::test {

/// Counts the runs of each item when its launch is done; a chunk takes `each` an item.
class CountingKernel final : public Kernel, public LaunchCode {
 public:
  CountingKernel(std::size_t items, std::chrono::nanoseconds each) : runs(items), each_(each) {}
  void run_on_host(const Chunk& chunk) const override { count(chunk); }
  const Code* code(std::string_view) const noexcept override { return this; }
  void start(const Chunk& chunk) const override {
    hip_stub::enqueue(static_cast<hipStream_t>(chunk.stream), each_ * chunk.items(), [&] { count(chunk); });
  }
  void expect_all_once() const {
    for (const auto& count : runs) ASSERT_EQ(count, 1u);
  }

  mutable std::vector<std::atomic<unsigned>> runs;

 private:
  void count(const Chunk& chunk) const {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) ++runs[i];
  }
  std::chrono::nanoseconds each_;
};

}  // namespace skua::test
