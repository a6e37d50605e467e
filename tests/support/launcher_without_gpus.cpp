// What a program's launcher may say where skua was built without GPUs. Compiled only.
#include <type_traits>

#include <skua/hip.hpp>
#include <skua/scheduler.hpp>

static_assert(std::is_pointer_v<decltype(skua::stream(skua::Chunk{}))>);

void launch_on(skua::Scheduler& scheduler, double* values) {
  const auto launcher = [=](const skua::Chunk& chunk) {
    if (const skua::Stream stream = skua::stream(chunk); stream != nullptr) return;
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) values[i] = 1;
  };
  scheduler.launch(1000, launcher);
  scheduler.launch(1000, skua::whole_chunks(launcher));
}
