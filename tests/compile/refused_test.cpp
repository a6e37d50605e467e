// None of these compiles: a reduction is carried in the type of init, which does not hold what the body gives.
#include <skua/skua.hpp>

void refused(skua::Scheduler& scheduler) {
  scheduler.parallel_reduce(1000, 0, [](std::uint64_t) { return 0.5; });
  scheduler.parallel_reduce(
      1000, 0, [](std::uint64_t) { return 0.5f; }, skua::JobOptions());
  scheduler.parallel_reduce(1000, false, [](std::uint64_t) { return 0.5; });
  scheduler.parallel_reduce(1000, 0, [](std::uint64_t i) { return i; });
  scheduler.parallel_reduce(1000, 0.0, [](std::uint64_t) { return 0.5L; });
  scheduler.parallel_reduce(
      1000, 0, [](std::uint64_t) { return 1; }, [](int a, int b) { return a + 0.5 * b; });
  scheduler.parallel_reduce(
      1000, 1.0, [](std::uint64_t) { return 0.5; }, [](double a, double b) { return a + 0.5L * b; });
}
