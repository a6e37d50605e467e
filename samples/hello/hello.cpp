// The smallest skua program: the area under 4 / (1 + x^2) from 0 to 1, on every device here, and who did what.
#include <iostream>
#include <skua/skua.hpp>

int main() try {
  const double width = 1e-9;
  skua::Scheduler scheduler;
  const auto area = scheduler.parallel_reduce(1'000'000'000, 0.0, [=] SKUA_BODY(std::uint64_t i) {
    const double x = (static_cast<double>(i) + 0.5) * width;
    return 4 / (1 + x * x) * width;
  });
  std::cout << "pi = " << area << '\n' << area.report;
} catch (const skua::InputError& error) {
  return std::cerr << "hello: " << error.what() << '\n', 2;
}
