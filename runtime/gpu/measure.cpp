// Measures every pair, after a check of what arrives.
#include "measure.hpp"

#include <algorithm>
#include <array>

#include <skua/input.hpp>

#include "copy.hpp"
#include "list.hpp"
#include "measure_doubts.hpp"
#include "memory.hpp"
#include "own_thread.hpp"
#include "peers.hpp"

namespace skua {
namespace {

constexpr std::size_t large_bytes = std::size_t{64} << 20;
constexpr std::size_t small_bytes = 8;
constexpr int large_times = 4;
constexpr int small_times = 100;
constexpr int rounds = 3;
// A link that carries less than this part of what it declares is named.
constexpr double well_below = 0.7;

class Measurement {
 public:
  explicit Measurement(const Topology& topology) : topology_(topology), gpus_(list_gpus(topology)) {
    for (std::size_t ordinal = 0; ordinal < gpus_.size(); ++ordinal) {
      buffers_.push_back(make_copy_buffer(static_cast<int>(ordinal), large_bytes));
    }
    host_ = make_copy_buffer(std::nullopt, large_bytes);
    std::vector<int> ordinals;
    for (std::size_t ordinal = 0; ordinal < gpus_.size(); ++ordinal) ordinals.push_back(static_cast<int>(ordinal));
    static_cast<void>(enable_peers(ordinals));
  }

  std::vector<MeasuredLink> measure() {
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      add(host_, buffers_[i], std::nullopt, gpus_[i].id);
      add(buffers_[i], host_, gpus_[i].id, std::nullopt);
    }
    for (std::size_t from = 0; from < gpus_.size(); ++from) {
      for (std::size_t to = 0; to < gpus_.size(); ++to) {
        if (from != to) add(buffers_[from], buffers_[to], gpus_[from].id, gpus_[to].id);
      }
    }
    return links_;
  }

 private:
  void add(const CopyBuffer& from, const CopyBuffer& to, std::optional<GpuId> from_id, std::optional<GpuId> to_id) {
    // A GPU that the graph does not know has no place in it.
    if ((from.ordinal && !from_id) || (to.ordinal && !to_id)) return;
    MeasuredLink link;
    link.from = from_id;
    link.to = to_id;
    const Link* const declared = from_id && to_id ? topology_.link(*from_id, *to_id) : nullptr;
    if (declared != nullptr) link.declared_bandwidth_gb_per_s = declared->bandwidth_gb_per_s;
    try {
      if (auto wrong = check(from, to, link)) {
        link.note = "failed the check: " + *wrong;
      } else {
        time(from, to, link);
        add_notes(link, declared);
      }
    } catch (const GpuError& error) {
      link.note = error.what();
    }
    links_.push_back(std::move(link));
  }

  /// Of the runtime's copies, which skua makes as well, and of a kernel's, where one can make them. Decides which of
  /// them is timed.
  static std::optional<std::string> check(const CopyBuffer& from, const CopyBuffer& to, MeasuredLink& link) {
    link.by_engine = true;
    if (auto wrong = check_copy(from, to)) return wrong;
    if (!copying_gpu(from, to)) return std::nullopt;
    try {
      auto wrong = check_copy(from, to, CopyWay::kernel);
      link.by_engine = false;
      return wrong;
    } catch (const NoGpuCode&) {
      return std::nullopt;
    }
  }

  static void time(const CopyBuffer& from, const CopyBuffer& to, MeasuredLink& link) {
    const CopyWay way = link.by_engine ? CopyWay::engine : CopyWay::kernel;
    double best_s = copy_seconds(from, to, large_bytes, large_times, way);
    for (int round = 1; round < rounds; ++round) {
      best_s = std::min(best_s, copy_seconds(from, to, large_bytes, large_times, way));
    }
    if (best_s > 0) link.bandwidth_gb_per_s = static_cast<double>(large_bytes) * large_times / best_s * 1e-9;
    link.latency_s = copy_seconds(from, to, small_bytes, small_times) / small_times;
  }

  /// An engine drives one of several links between two GPUs, and a kernel all of them.
  static void add_notes(MeasuredLink& link, const Link* declared) {
    if (link.by_engine) link.note = "by DMA engine";
    if (!link.declared_bandwidth_gb_per_s || !link.bandwidth_gb_per_s) return;
    const std::uint32_t count = std::max(declared->count.value_or(1), 1u);
    const bool is_one_expected = link.by_engine && count > 1;
    const double expected_gb_per_s = *link.declared_bandwidth_gb_per_s / (is_one_expected ? count : 1);
    if (*link.bandwidth_gb_per_s >= well_below * expected_gb_per_s) return;
    link.note += link.note.empty() ? "" : "; ";
    link.note += is_one_expected ? "under 70 % of one link's declared rate" : "under 70 % of the declared rate";
  }

  const Topology& topology_;
  std::vector<RuntimeGpu> gpus_;
  GpuMemoryUser memory_user_;
  std::vector<CopyBuffer> buffers_;
  CopyBuffer host_;
  std::vector<MeasuredLink> links_;
};

}  // namespace

std::vector<MeasuredLink> measure_links(const Topology& topology) {
  try {
    std::vector<MeasuredLink> links;
    on_own_thread([&] { links = Measurement(topology).measure(); });
    note_doubtful(links, topology);
    return links;
  } catch (const GpuError& error) {
    throw InputError(std::string("--measure: ") + error.what());
  }
}

bool is_measuring_stuck() noexcept {
  return has_abandoned_copy();
}

}  // namespace skua
