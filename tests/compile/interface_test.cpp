// Compiled with every warning as an error, and not run: what programs may write.
#include <string>
#include <utility>

#include <skua/skua.hpp>

namespace {

double half(std::uint64_t) {
  return 0.5;
}

void schedulers() {
  skua::Scheduler everything;
  skua::Scheduler named({.devices = "host:2", .trace = "t.json"});
  skua::Scheduler in_order({"host:2", "t.json"});
  skua::Scheduler one({.devices = "host:2"});
  skua::Scheduler braces{{.trace = "t.json"}};
  skua::Scheduler patient({.patience = std::chrono::seconds(1)});
  const skua::SchedulerOptions options{.devices = std::string("host")};
  skua::Scheduler from_options(options);
  skua::Devices devices = skua::open_devices("host:2", {}, skua::SteadyClock());
  skua::Scheduler over_devices(std::move(devices));
  skua::Scheduler over_others(skua::open_devices("host:2", {}, skua::SteadyClock()), {.trace = "t.json"}, {});
}

void loops(skua::Scheduler& scheduler) {
  scheduler.parallel_for(10, [](std::uint64_t) {}, {.name = "x"});
  scheduler.parallel_for(10, [](std::uint64_t) {}, {.name = "x", .granule_items = 4, .policy = "static"});
  scheduler.launch(10, [](const skua::Chunk&) {}, {.repeat = skua::Repeat::allowed});
  scheduler.launch(10, [](const skua::Chunk&) {}, {.filling_items = 100});
  scheduler.parallel_reduce(10, 0.0, half, {.name = "x"});
  scheduler.parallel_reduce(10, 0.0, half, skua::JobOptions{.cancellation = skua::Cancellation()});
  scheduler.parallel_reduce(10, 0.0, half, skua::Plus{}, {.placement = skua::Placement::even});
  scheduler.parallel_reduce(10, 0.0, half, {}, {.name = "x"});
  const skua::DiscoveryOptions where{.file = "machine.json"};
  static_cast<void>(skua::discover(where));
  static_cast<void>(skua::discover({.source = skua::Source::kfd}));
  const skua::ChunkQuestion question{.job_items = 3};
  static_cast<void>(skua::make_chunk_policy("static")->next_items(question));
  const skua::DeviceInfo info{.name = "mine:0"};
  const skua::Failure failure{.message = "no"};
  const skua::Completion completion{.launch = 3};
  static_cast<void>(info.rate_guess + static_cast<double>(failure.message.size() + completion.launch));
}

template <class T, class Body>
auto sum(skua::Scheduler& scheduler, T init, Body body) {
  return scheduler.parallel_reduce(10, init, body).value;
}

/// What is carried in the type of init without a loss that anybody would call one.
void kept(skua::Scheduler& scheduler) {
  static_assert(std::is_same_v<decltype(sum(scheduler, 0, [](std::uint64_t) { return 1; })), int>);
  sum(scheduler, 0, [](std::uint64_t i) { return i > 3; });
  sum(scheduler, std::uint64_t{0}, [](std::uint64_t) { return 1; });
  sum(scheduler, std::int64_t{0}, [](std::uint64_t i) { return i; });
  sum(scheduler, 0.0, [](std::uint64_t i) { return i; });
  sum(scheduler, 0.0, [](std::uint64_t) { return 1.0f; });
  sum(scheduler, 0.0f, [](std::uint64_t) { return 1.0; });
  sum(scheduler, std::uint8_t{0}, [](std::uint64_t i) { return std::uint8_t(i) & 1; });
  sum(scheduler, skua::Sums<2>{}, [](std::uint64_t) { return skua::Sums<2>{{1, 2}}; });
  const auto either = [](bool a, bool b) { return a || b; };
  scheduler.parallel_reduce(
      10, false, [](std::uint64_t i) { return i == 3; }, either);
}

}  // namespace

int main() {
  skua::Scheduler scheduler;
  schedulers();
  loops(scheduler);
  kept(scheduler);
}
