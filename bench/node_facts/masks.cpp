// What compute-unit masks do on AMD (F1, F7, F9, F14).
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu.hpp"
#include "question.hpp"

#if defined(SKUA_GPU_HIP)

namespace facts {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t short_work = 1 << 12;
constexpr std::uint64_t long_work = 1 << 14;

/// The units that a kernel's blocks ran on.
struct Seen {
  std::set<std::uint32_t> xcds;
  std::set<std::pair<std::uint32_t, std::uint32_t>> engines;  ///< with their XCD
  std::set<Place> units;
  std::size_t blocks = 0;  ///< that left a trace
};

Seen seen_in(const Shared<BlockTrace>& traces) {
  Seen seen;
  for (const BlockTrace& trace : traces) {
    if (trace.is_written == 0) continue;
    ++seen.blocks;
    seen.xcds.insert(trace.place.xcd);
    seen.engines.insert({trace.place.xcd, trace.place.engine});
    seen.units.insert(trace.place);
  }
  return seen;
}

std::string list(const std::set<std::uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// The whole GPU, as its kernels see it.
Seen look_at_whole_gpu() {
  const Stream stream;
  const Shared<BlockTrace> traces(std::size_t{compute_units()} * 64);
  start_work(stream, static_cast<unsigned>(traces.size()), short_work, traces.data());
  stream.wait();
  return seen_in(traces);
}

using Bits = std::vector<std::uint32_t>;

Bits bits_from(std::uint32_t first, std::uint32_t count, std::uint32_t step = 1) {
  Bits bits;
  for (std::uint32_t i = 0; i < count; ++i) bits.push_back(first + i * step);
  return bits;
}

hipStream_t masked_stream(const Bits& bits) {
  std::vector<std::uint32_t> words((compute_units() + 31) / 32);
  for (const std::uint32_t bit : bits) words.at(bit / 32) |= std::uint32_t{1} << (bit % 32);
  hipStream_t stream = nullptr;
  skua::require("hipExtStreamCreateWithCUMask",
                hipExtStreamCreateWithCUMask(&stream, static_cast<std::uint32_t>(words.size()), words.data()));
  return stream;
}

/// Compute units that hold one of each shader engine of each XCD: 1 where nothing is known of them.
std::uint32_t units_of_all_engines(const Seen& whole) {
  const auto engines = static_cast<std::uint32_t>(whole.engines.size());
  return engines > 1 && engines * 2 <= compute_units() ? engines : std::uint32_t{8};
}

/// Whether 64 blocks end on a stream of these units.
Answer run_on(const Bits& bits, bool should_end) {
  constexpr unsigned blocks = 64;
  // Where they do not end, neither is ever given back: that would wait for them.
  auto* const stream = new Stream(masked_stream(bits));
  auto* const own_traces = new Shared<BlockTrace>(blocks);
  const Shared<BlockTrace>& traces = *own_traces;
  start_work(*stream, blocks, short_work, traces.data());
  const bool ends = stream->ends_within(5s);
  const Seen seen = seen_in(traces);
  const std::string found =
      fmt::format("{}: {} of {} blocks ran, on XCDs {} and {} units", ends ? "ends" : "DOES NOT END", seen.blocks,
                  blocks, list(seen.xcds), seen.units.size());
  if (ends) {
    delete stream;
    delete own_traces;
  }
  return {found, ends == should_end};
}

/// Milliseconds that work for 64 times 8 rounds of `quantum` units takes on these.
double time_on(const Bits& bits, std::uint32_t quantum, Seen* seen) {
  const Stream stream(masked_stream(bits));
  const Shared<BlockTrace> traces(std::size_t{quantum} * 512);
  const auto run = [&] {
    start_work(stream, static_cast<unsigned>(traces.size()), long_work, traces.data());
    stream.wait();
  };
  run();
  *seen = seen_in(traces);
  return median_of(5, [&] { return microseconds(run) * 1e-3; });
}

}  // namespace

Answer ask_xcds() {
  const Seen seen = look_at_whole_gpu();
  // hipDeviceAttributeNumberOfXccs by its number: old headers do not name it.
  constexpr int number_of_xccs = 10018;
  int stated = 0;
  const bool is_stated =
      hipDeviceGetAttribute(&stated, static_cast<hipDeviceAttribute_t>(number_of_xccs), 0) == hipSuccess && stated > 0;
  static_cast<void>(hipGetLastError());
  const std::string attribute = is_stated ? std::to_string(stated) : "unknown to this HIP";
  std::optional<bool> agrees;
  if (is_stated) agrees = seen.xcds.size() == static_cast<std::size_t>(stated);
  return {fmt::format("blocks ran on {} XCDs ({}), {} shader engines, {} of {} units; attribute 10018: {}",
                      seen.xcds.size(), list(seen.xcds), seen.engines.size(), seen.units.size(), compute_units(),
                      attribute),
          agrees};
}

Answer ask_mask_across_xcds() {
  const Seen whole = look_at_whole_gpu();
  const std::uint32_t units = std::min(units_of_all_engines(whole), compute_units());
  Answer answer = run_on(bits_from(0, units), true);
  answer.found = fmt::format("bits 0 to {}: {}", units - 1, answer.found);
  return answer;
}

Answer ask_mask_of_one_xcd() {
  const Seen whole = look_at_whole_gpu();
  const auto xcds = static_cast<std::uint32_t>(whole.xcds.size());
  if (xcds < 2) return {"nothing to ask: this GPU has one XCD, or does not say which", std::nullopt};
  Answer answer = run_on(bits_from(0, compute_units() / xcds, xcds), false);
  answer.found = fmt::format("bits 0, {}, {}...: {}", xcds, 2 * xcds, answer.found);
  return answer;
}

Answer ask_mask_bits() {
  const Seen whole = look_at_whole_gpu();
  const auto xcds = static_cast<std::uint32_t>(whole.xcds.size());
  const auto engines = static_cast<std::uint32_t>(whole.engines.size()) / xcds;
  if (engines < 2 || 2 * engines * xcds > compute_units()) {
    return {"this GPU does not say where blocks run", std::nullopt};
  }
  // As many bits as there are XCDs, so that each has a unit: where the assumption holds, of one engine each.
  std::vector<std::uint32_t> order;
  bool is_one_each = true;
  for (std::uint32_t i = 0; i < 2 * engines; ++i) {
    const Stream stream(masked_stream(bits_from(i * xcds, xcds)));
    const Shared<BlockTrace> traces(64);
    start_work(stream, static_cast<unsigned>(traces.size()), short_work, traces.data());
    stream.wait();
    const Seen seen = seen_in(traces);
    is_one_each = is_one_each && seen.units.size() == xcds && seen.xcds.size() == xcds;
    order.push_back(seen.engines.begin()->second);
    std::string units;
    for (const Place& place : seen.units) units += fmt::format(" {}.{}.{}", place.xcd, place.engine, place.unit);
    tell(fmt::format("bits {} to {}: XCD.engine.unit{}", i * xcds, (i + 1) * xcds - 1, units));
  }
  const bool is_round = std::equal(order.begin(), order.begin() + engines, order.begin() + engines);
  const std::set<std::uint32_t> first_round(order.begin(), order.begin() + engines);
  return {fmt::format("{} bits a step: {}; engines in turn: {}", xcds,
                      is_one_each ? "one unit on each XCD" : "not one unit on each XCD", fmt::join(order, " ")),
          is_one_each && is_round && first_round.size() == engines};
}

Answer ask_mask_sizes() {
  const Seen whole = look_at_whole_gpu();
  const std::uint32_t quantum = units_of_all_engines(whole);
  if (2 * quantum > compute_units()) return {"this GPU has too few units", std::nullopt};
  struct Case {
    std::uint32_t first;
    std::uint32_t count;
  };
  const std::vector<Case> cases = {{0, quantum},     {0, quantum + quantum / 2}, {0, quantum + quantum * 5 / 8},
                                   {0, 2 * quantum}, {quantum / 2, quantum},     {0, quantum - quantum / 8}};
  std::vector<std::string> ratios;
  double one_quantum = 0;
  double uneven = 0;
  for (const Case& one : cases) {
    Seen seen;
    const double ms = time_on(bits_from(one.first, one.count), quantum, &seen);
    if (one_quantum == 0) one_quantum = ms;
    if (one.count == quantum + quantum * 5 / 8) uneven = ms / one_quantum;
    tell(fmt::format("{} units from bit {}: {:.3f} ms; ran on {} units, {} engines, {} XCDs", one.count, one.first, ms,
                     seen.units.size(), seen.engines.size(), seen.xcds.size()));
    ratios.push_back(fmt::format("{} from {}: {:.2f}", one.count, one.first, ms / one_quantum));
  }
  // Were all units alike, 13 in place of 8 would take 0.62 of the time; dealt evenly to engines, all of it.
  return {fmt::format("times beside {} units: {}", quantum, fmt::join(ratios, ", ")), uneven > 0.8};
}

Answer ask_null_stream() {
  const std::uint32_t units = std::min(units_of_all_engines(look_at_whole_gpu()), compute_units());
  const Stream masked(masked_stream(bits_from(0, units)));
  const Shared<BlockTrace> traces(2);
  const auto pause = std::chrono::milliseconds(200);
  // Both kernels once, so that they are loaded.
  start_waiting(nullptr, 1, 0, &traces[0]);
  start_waiting(masked, 1, 0, &traces[1]);
  masked.wait();
  start_waiting(nullptr, 1, ticks_of(pause), &traces[0]);
  const double ms = microseconds([&] {
                      start_waiting(masked, 1, 0, &traces[1]);
                      masked.wait();
                    }) *
                    1e-3;
  unsigned flags = 0;
  const bool is_known = hipStreamGetFlags(masked, &flags) == hipSuccess;
  static_cast<void>(hipGetLastError());
  const bool waits = ms > 150;
  return {fmt::format("a masked stream {} for the null stream ({:.1f} ms beside a kernel of 200); its flags: {}",
                      waits ? "waits" : "does not wait", ms, is_known ? std::to_string(flags) : "unknown"),
          waits};
}

}  // namespace facts

#endif
