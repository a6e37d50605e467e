// What does a loop cost right after another one, whose items are far dearer? Both without a name, as in a first
// program. Ideal: what it costs alone. Limit: 1.3 times that.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <skua/skua.hpp>

#include <skua/hip.hpp>

namespace {

constexpr std::uint64_t cheap_items = 100'000'000;
constexpr std::uint64_t dear_items = 64;

struct Cheap {
  float* y;
  SKUA_BODY void operator()(std::uint64_t i) const { y[i] = 2.0f * y[i] + 1.0f; }
};

/// Some 50 ms: each step waits for the one before.
struct Dear {
  float* y;
  SKUA_BODY void operator()(std::uint64_t i) const {
    float value = y[i];
    for (int step = 0; step < 20'000'000; ++step) value = value * 0.999999f + 1e-6f;
    y[i] = value;
  }
};

double seconds_of(skua::Scheduler& scheduler, float* y) {
  const auto begin = std::chrono::steady_clock::now();
  scheduler.parallel_for(cheap_items, Cheap{y});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() try {
  using namespace skua::gpu_api;
  void* memory = nullptr;
  if (hipMalloc(&memory, cheap_items * sizeof(float)) != hipSuccess) throw std::runtime_error("no memory on the GPU");
  auto* const y = static_cast<float*>(memory);
  std::vector<double> alone;
  std::vector<double> after;
  for (int round = 0; round < 9; ++round) {
    skua::Scheduler scheduler(skua::SchedulerOptions{.devices = "gpu:0", .trace = {}});
    seconds_of(scheduler, y);
    alone.push_back(seconds_of(scheduler, y));
    skua::Scheduler other(skua::SchedulerOptions{.devices = "gpu:0", .trace = {}});
    seconds_of(other, y);
    other.parallel_for(dear_items, Dear{y});
    after.push_back(seconds_of(other, y));
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  std::printf("1e8 cheap items alone %.3f ms, after a loop of 50 ms an item %.3f ms: %.2f (limit 1.3)\n",
              1e3 * median(alone), 1e3 * median(after), median(after) / median(alone));
  static_cast<void>(hipFree(memory));
} catch (const std::exception& error) {
  std::fprintf(stderr, "after_bench: %s\n", error.what());
  return 2;
}
