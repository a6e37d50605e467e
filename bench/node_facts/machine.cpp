// Addresses, occupancy as the driver counts it, errors, and how a process ends beside a kernel (F3, F12, F13, F19).
#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>

#include <gpu/list.hpp>
#include <skua/discovery.hpp>
#include <system/spawned_program.hpp>
#include <text/numbers.hpp>
#include <text/small_file.hpp>

#include "gpu.hpp"
#include "question.hpp"

namespace facts {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto abandoned_kernel = 12s;

/// The largest count of any process on any GPU.
std::optional<std::uint64_t> greatest_occupancy() {
  std::optional<std::uint64_t> greatest;
  std::error_code error;
  for (fs::recursive_directory_iterator entry("/sys/class/kfd/kfd/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() != "cu_occupancy") continue;
    const auto text = skua::read_small_file(entry->path());
    const auto count = text ? skua::number_from<std::uint64_t>(*text) : std::nullopt;
    if (count) greatest = std::max(greatest.value_or(0), *count);
  }
  return greatest;
}

std::string text_of(const std::optional<std::uint64_t>& count) {
  return count ? std::to_string(*count) : "unknown";
}

}  // namespace

Answer ask_addresses() {
  const skua::Topology topology = skua::discover();
  std::set<std::uint32_t> joined;
  std::string strangers;
  const std::vector<skua::RuntimeGpu> gpus = skua::list_gpus(topology);
  for (std::size_t ordinal = 0; ordinal < gpus.size(); ++ordinal) {
    const skua::RuntimeGpu& gpu = gpus[ordinal];
    char address[64] = {};
    skua::require("hipDeviceGetPCIBusId",
                  hipDeviceGetPCIBusId(address, sizeof(address) - 1, static_cast<int>(ordinal)));
    std::string place = "not in the topology";
    if (gpu.id) {
      const skua::Gpu& known = topology.gpus.at(gpu.id->index);
      joined.insert(gpu.id->index);
      place = fmt::format("GPU {} of the topology, {}{}, {} units there and {} here", gpu.id->index,
                          known.pci ? known.pci->to_text() : "address unknown",
                          known.partition ? fmt::format(" partition {}", *known.partition) : "",
                          known.compute_units.value_or(0), gpu.compute_units);
    } else {
      strangers += fmt::format(" {} ({})", ordinal, address);
    }
    tell(fmt::format("device {} at {}: {}", ordinal, address, place));
  }
  std::string found = fmt::format("{} of {} devices joined", joined.size(), gpus.size());
  if (!strangers.empty()) found += "; not found:" + strangers;
  return {found, joined.size() == gpus.size()};
}

Answer ask_occupancy() {
  const Stream stream;
  const std::uint32_t units = compute_units();
  const unsigned blocks = resident_blocks_of_items(units);
  const Shared<BlockTrace> traces(blocks);
  start_waiting(stream, blocks, 0, traces.data());
  stream.wait();
  const auto before = greatest_occupancy();
  start_waiting(stream, blocks, ticks_of(500ms), traces.data());
  std::optional<std::uint64_t> during;
  for (const auto until = std::chrono::steady_clock::now() + 400ms; std::chrono::steady_clock::now() < until;) {
    const auto now = greatest_occupancy();
    if (now) during = std::max(during.value_or(0), *now);
  }
  stream.wait();
  std::optional<bool> agrees;
  if (during) agrees = *during * 10 > units * 6 && *during <= units;
  return {fmt::format("cu_occupancy {} before, {} under a kernel that fills {} units", text_of(before), text_of(during),
                      units),
          agrees};
}

Answer ask_last_error() {
  int ordinal = 0;
  static_cast<void>(hipGetLastError());
  const hipError_t failed = hipSetDevice(9999);
  static_cast<void>(hipGetDevice(&ordinal));
  const hipError_t last = hipGetLastError();
  const bool is_kept = last != hipSuccess;
  return {fmt::format("hipSetDevice(9999) gives {}; after a good call the last error is {}", hipGetErrorName(failed),
                      hipGetErrorName(last)),
          is_kept};
}

Answer ask_exit() {
  constexpr auto limit = 9s;
  const fs::path own = fs::read_symlink("/proc/self/exe");
  skua::ProgramResult result;
  const double ms = microseconds([&] { result = skua::run_program(own, {"--leave-a-kernel"}, limit); }) * 1e-3;
  switch (result.end) {
    case skua::ProgramResult::End::completed:
      return {fmt::format("exits after {:.0f} ms", ms), ms < 4000};
    case skua::ProgramResult::End::killed_at_deadline:
      return {fmt::format("still there after {:.0f} ms: exit() waits for the kernel", ms), false};
    case skua::ProgramResult::End::died:
      return {fmt::format("dies by signal {} after {:.0f} ms", result.signal_number, ms), std::nullopt};
    case skua::ProgramResult::End::not_started:
      break;
  }
  return {"it did not start: " + result.failure, std::nullopt};
}

void leave_a_kernel_running() {
  // Never given back: that would wait for the kernel.
  auto* const stream = new Stream;
  auto* const traces = new Shared<BlockTrace>(1);
  start_waiting(*stream, 1, 0, traces->data());
  stream->wait();
  start_waiting(*stream, 1, ticks_of(abandoned_kernel), traces->data());
}

}  // namespace facts
