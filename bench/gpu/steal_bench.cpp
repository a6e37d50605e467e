// What may a steal between GPUs cost?
// A fetch-add of system scope on the own memory, the host's and each peer's: alone, with a thread on each compute unit
// contending for one word, and with all GPUs contending.
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/hip.hpp>
#include <skua/skua.hpp>

#include <gpu/copy.hpp>
#include <gpu/peers.hpp>
#include "lane.hpp"
#include "node.hpp"
#include "timing.hpp"

namespace {

using namespace skua::gpu_api;
using bench::Lane;
using bench::median;
using bench::milliseconds;
using bench::place_of;

using Word = unsigned long long;

constexpr int rounds = 5;

/// Each block's one thread adds to the word, each time after the answer of the time before.
__global__ void fetch_adds(Word* word, int times, Word* never) {
  Word last = 0;
  for (int i = 0; i < times; ++i) last = atomicAdd_system(word, 1 + (last >> 63));
  if (last == ~Word{0}) *never = last;
}

/// How long one fetch-add takes where `blocks` of each of the lanes' GPUs contend for one word. Units: nanoseconds.
double fetch_add_ns(std::vector<std::unique_ptr<Lane>>& lanes, const skua::CopyBuffer& place, unsigned blocks,
                    int times) {
  auto* const word = static_cast<Word*>(place.memory.get());
  const auto run = [&](int count) {
    for (auto& lane : lanes) {
      lane->start([&](hipStream_t stream) { fetch_adds<<<blocks, 1, 0, stream>>>(word, count, word); });
    }
    for (auto& lane : lanes) lane->wait();
  };
  run(1);
  std::vector<double> each_ns;
  for (int round = 0; round < rounds; ++round) each_ns.push_back(1e6 * milliseconds([&] { run(times); }) / times);
  return median(each_ns);
}

void fetch_adds_of(const std::vector<int>& ordinals, const skua::CopyBuffer& place, unsigned blocks) {
  std::vector<std::unique_ptr<Lane>> lanes;
  std::string who;
  for (const int ordinal : ordinals) lanes.push_back(std::make_unique<Lane>(ordinal));
  who = ordinals.size() == 1 ? place_of(ordinals.front()) : "each of " + std::to_string(ordinals.size()) + " GPUs";
  const int times = blocks == 1 ? 20'000 : 2'000;
  const double ns = fetch_add_ns(lanes, place, blocks, times);
  std::printf("fetch-add by %u thread%s of %-14s in memory of %-9s %9.1f ns each, %8.2f million a second in all\n",
              blocks, blocks == 1 ? " " : "s", who.c_str(), place_of(place.ordinal).c_str(), ns,
              1e3 * static_cast<double>(blocks * ordinals.size()) / ns);
  std::fflush(stdout);
}

void fetch_adds_everywhere(const std::vector<int>& ordinals) {
  const unsigned blocks = bench::compute_units_of(0);
  std::vector<skua::CopyBuffer> places{skua::make_copy_buffer(std::nullopt, sizeof(Word))};
  for (const int ordinal : ordinals) places.push_back(skua::make_copy_buffer(ordinal, sizeof(Word)));
  for (const unsigned count : {1u, blocks}) {
    for (const auto& place : places) fetch_adds_of({0}, place, count);
  }
  if (ordinals.size() < 2) return;
  for (const unsigned count : {1u, blocks}) {
    for (std::size_t place = 0; place < 2; ++place) fetch_adds_of(ordinals, places[place], count);
  }
}

}  // namespace

int main() try {
  std::vector<int> ordinals;
  for (std::size_t i = 0; i < bench::gpu_count(); ++i) ordinals.push_back(static_cast<int>(i));
  std::printf("%s, GPUs: %zu\n", bench::gpu_name().c_str(), ordinals.size());
  for (const std::string& note : skua::enable_peers(ordinals)) std::printf("%s\n", note.c_str());
  fetch_adds_everywhere(ordinals);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "steal_bench: %s\n", error.what());
  return 1;
}
