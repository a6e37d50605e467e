// The questions, what skua assumes, and what is to be changed where that is wrong.
#include "question.hpp"

namespace facts {
namespace {

using namespace std::chrono_literals;

#if defined(SKUA_GPU_HIP)
constexpr const char* stream_query_costs = "more than 2 us: skua asks only about overdue launches";
constexpr const char* gap_is = "a question between two launches costs more than 1 us on the GPU, too";
#else
constexpr const char* stream_query_costs = "less than 2 us";
constexpr const char* gap_is = "a question between two launches costs the GPU nothing";
#endif

std::vector<Question> all_questions() {
  std::vector<Question> all = {
    {.name = "code",
     .text = "F2: does every GPU run the code that was built?",
     .assumed = "the build asks the compiler for all architectures, or takes this machine's",
     .otherwise = "cmake/SkuaHipArchitectures.cmake: the architectures that are tried",
     .ask = ask_code},
    {.name = "addresses",
     .text = "F3: is every device of the runtime found in the topology?",
     .assumed = "joined by address, then by function as partition, then by order",
     .otherwise = "runtime/gpu/list.cpp: find_in_topology(); topology/probe/kfd_address.cpp: kfd_addresses()",
     .limit = 60s,
     .ask = ask_addresses},
    {.name = "fences",
     .text = "F4: what do the fences of a kernel that marks its end cost? (2^20 items)",
     .assumed = "one release a block, and an acquire, cost no more than a fence by each thread",
     .otherwise = "runtime/include/skua/detail/gpu_fences.hpp: acquire_from_all(), release_to_all()",
     .ask = ask_fences},
#if defined(SKUA_GPU_HIP)
    {.name = "no-flush",
     .text = "F4: the same under AMD_OPT_FLUSH=0",
     .assumed = "not known; were it no dearer, the acquire at a kernel's begin could go",
     .otherwise =
         "runtime/include/skua/detail/gpu_fences.hpp: acquire_from_all(); runtime/gpu/own_thread.cpp sets variables",
     .variable = "AMD_OPT_FLUSH",
     .ask = ask_fences_without_flush},
#endif
    {.name = "handing",
     .text = "F5: how do teams of a reduction best hand their slices over?",
#if defined(SKUA_GPU_HIP)
     .assumed = "atomics of agent scope and a wait are right, and no dearer than fences",
#else
     .assumed = "a plain store between two fences is right",
#endif
     .otherwise = "runtime/include/skua/detail/gpu_fences.hpp: leave(), take()",
     .ask = ask_handing},
    {.name = "stream-query",
     .text = "F6: what does hipStreamQuery cost the host beside a busy stream?",
     .assumed = stream_query_costs,
     .otherwise = "runtime/gpu/device.cpp: ask_if_overdue()",
     .ask = ask_stream_query},
    {.name = "event-query",
     .text = "F6: what does hipEventQuery of an event cost that was never recorded?",
     .assumed = "less than 2 us: a cheap way to learn that a GPU is lost",
     .otherwise = "runtime/gpu/device.cpp: ask_if_overdue()",
     .ask = ask_event_query},
    {.name = "gaps",
     .text = "F6: what gap does a question leave behind a kernel?",
     .assumed = gap_is,
     .otherwise = "runtime/gpu/device.cpp: ask_if_overdue()",
     .ask = ask_gaps},
    {.name = "clock-rate",
     .text = "F8: does the GPU's even clock tick as stated?",
     .assumed = "attribute 10017 (wall clock, kHz) on AMD, nanoseconds on NVIDIA, within 0.1 %",
     .otherwise = "runtime/gpu/end_times.cpp: told_tick_ns()",
     .ask = ask_clock_rate},
    {.name = "clock-order",
     .text = "F8: is that clock one for all compute units and XCDs?",
     .assumed = "reads in turn go back by less than 1 us",
     .otherwise = "runtime/gpu/end_times.cpp: marks of different XCDs",
     .ask = ask_clock_order},
    {.name = "clock-step",
     .text = "F8: how fine is that clock?",
     .assumed = "steps of 1 us or less",
     .otherwise = "runtime/gpu/end_times.cpp: how exact marks are taken to be",
     .ask = ask_clock_step},
    {.name = "last-error",
     .text = "F19: does an error outlive the next good call?",
     .assumed = "yes on CUDA and ROCm 7; not before, which docs/gpus.md says of launch()",
     .otherwise = "docs/gpus.md: what launch() finds of a launcher's own errors",
     .ask = ask_last_error},
    {.name = "fork",
     .text = "F15: what does a fork cost kernels while memory is registered?",
     .assumed = "milliseconds on AMD: helper programs are started by posix_spawn, and early",
     .otherwise = "runtime/load/sampler.cpp: when sensors are opened",
     .limit = 40s,
     .ask = ask_fork},
    {.name = "allocations",
     .text = "F16: what do peers cost hipMalloc?",
     .assumed = "it gets dearer with the peers; SchedulerOptions::peers switches them off",
     .otherwise = "docs/gpus.md: Peers",
     .gpus_min = 2,
     .limit = 40s,
     .ask = ask_allocations},
    {.name = "copies",
     .text = "F11: is a copy kernel as fast as the copy engine between GPUs?",
     .assumed = "at least 0.9 of it: --measure times a kernel",
     .otherwise = "runtime/gpu/measure.cpp: what is timed",
     .gpus_min = 2,
     .limit = 120s,
     .ask = ask_copies},
#if defined(SKUA_GPU_HIP)
    {.name = "xcds",
     .text = "F14: on how many XCDs do blocks run?",
     .assumed = "as many as the runtime or the driver's num_xcc says",
     .otherwise = "runtime/gpu/amd_parts.cpp: xcds_of(); topology/probe/kfd.cpp: num_xcc",
     .ask = ask_xcds},
    {.name = "mask-across",
     .text = "F1: does a mask of the first bits run, which lie on all XCDs?",
     .assumed = "yes: parts are cut across XCDs by contiguous bits",
     .otherwise = "runtime/gpu/amd_parts.cpp: amd_grain(), compute_unit_mask()",
     .leaves = Leaves::maybe_a_kernel,
     .ask = ask_mask_across_xcds},
    {.name = "mask-bits",
     .text = "F9: which units do the bits of a mask stand for?",
     .assumed = "bit i: XCD i % xcds, and there the shader engine i / xcds % engines",
     .otherwise = "runtime/gpu/amd_parts.cpp: amd_grain(), compute_unit_mask()",
     .leaves = Leaves::maybe_a_kernel,
     .ask = ask_mask_bits},
    {.name = "mask-sizes",
     .text = "F9: do masks pay that give shader engines unequal numbers of units?",
     .assumed = "no: parts are multiples of the number of shader engines",
     .otherwise = "runtime/gpu/amd_parts.cpp: amd_grain()",
     .leaves = Leaves::maybe_a_kernel,
     .limit = 60s,
     .ask = ask_mask_sizes},
    {.name = "null-stream",
     .text = "F7: does a masked stream wait for the null stream?",
     .assumed = "yes: docs/gpus.md warns of it",
     .otherwise = "docs/gpus.md: What stays",
     .leaves = Leaves::maybe_a_kernel,
     .ask = ask_null_stream},
    {.name = "occupancy",
     .text = "F13: does the driver's cu_occupancy count all XCDs?",
     .assumed = "it counts above 0.6 of the units under a kernel that fills the GPU",
     .otherwise = "runtime/load/kfd.cpp: KfdSensor::uses_of()",
     .ask = ask_occupancy},
#endif
    {.name = "exit",
     .text = "F12: does a process end while a kernel of 12 s runs?",
     .assumed = "yes, or else skua ends it (runtime/gpu/exit_fence.cpp)",
     .otherwise = "runtime/gpu/exit_fence.cpp: a process that left a kernel behind must end by _exit()",
     .limit = 30s,
     .ask = ask_exit},
#if defined(SKUA_GPU_HIP)
    {.name = "mask-one-xcd",
     .text = "F1: does a mask of one XCD's units only run?",
     .assumed = "no: blocks are dealt to all XCDs, and some never run",
     .otherwise = "runtime/gpu/amd_parts.cpp: parts of whole XCDs would be possible, and share no L2",
     .leaves = Leaves::maybe_a_kernel,
     .ask = ask_mask_of_one_xcd},
#endif
  };
  return all;
}

}  // namespace

const std::vector<Question>& questions() {
  static const std::vector<Question> all = all_questions();
  return all;
}

}  // namespace facts
