// A source for GPUs with loops for the host, too. Compiled only.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <skua/scheduler.hpp>

namespace {

struct Square {
  SKUA_BODY double operator()(std::uint64_t i) const { return static_cast<double>(i * i); }
};

template <class Body>
constexpr bool is_for_gpus(const Body&) {
  return std::is_base_of_v<skua::GpuCode, skua::Kernels<skua::GpuCompiler>::For<Body>>;
}

}  // namespace

void run_both(skua::Scheduler& scheduler, std::vector<std::string>& names, double* values) {
  scheduler.parallel_for(100, Square{});
  const auto marked = [=] SKUA_BODY(std::uint64_t i) { values[i] = 1; };
  scheduler.parallel_for(100, marked);
  static_assert(is_for_gpus(Square{}));
  const auto wait = skua::host_body([](std::uint64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  scheduler.parallel_for(100, wait);
  const auto size = skua::host_body([&names](std::uint64_t i) { return static_cast<double>(names[i].size()); });
  scheduler.parallel_reduce(100, 0.0, size);
  static_assert(!is_for_gpus(skua::HostBody<Square>{}));
#if defined(__CUDACC__)
  // nvcc tells by itself.
  scheduler.parallel_for(100, [&names](std::uint64_t i) { names[i] += "x"; });
  scheduler.parallel_reduce(100, 0.0, [&names](std::uint64_t i) { return static_cast<double>(names[i].size()); });
#endif
}
