// Timed and checked copies.
#include "copy.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include <system/keep_forever.hpp>

#include "built_for.hpp"
#include "memory.hpp"
#include "own_kernels.hpp"

namespace skua {
namespace {

constexpr std::chrono::seconds patience{2};
constexpr std::size_t pattern_bytes = std::size_t{1} << 20;

/// A stream and two events for one measurement.
class Lane {
 public:
  explicit Lane(int ordinal) {
    use_gpu(ordinal);
    require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    require("hipEventCreateWithFlags", hipEventCreateWithFlags(&begin, hipEventDefault));
    require("hipEventCreateWithFlags", hipEventCreateWithFlags(&end, hipEventDefault));
  }
  ~Lane() {
    if (abandoned) return;
    static_cast<void>(hipEventDestroy(begin));
    static_cast<void>(hipEventDestroy(end));
    static_cast<void>(hipStreamDestroy(stream));
    static_cast<void>(hipGetLastError());
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  hipStream_t stream = nullptr;
  hipEvent_t begin = nullptr;
  hipEvent_t end = nullptr;
  bool abandoned = false;
};

std::atomic<bool> is_any_abandoned{false};

int ordinal_of(const CopyBuffer& from, const CopyBuffer& to) {
  return from.ordinal ? *from.ordinal : to.ordinal.value_or(0);
}

/// Whether a kernel of this GPU may read and write there.
bool reaches(int ordinal, const CopyBuffer& buffer) {
  if (!buffer.ordinal || *buffer.ordinal == ordinal) return true;
  int can = 0;
  hipError_t state = hipDeviceCanAccessPeer(&can, ordinal, *buffer.ordinal);
  if (state == hipSuccess && can != 0) {
    use_gpu(ordinal);
    state = hipDeviceEnablePeerAccess(*buffer.ordinal, 0);
  }
  static_cast<void>(hipGetLastError());
  return can != 0 && (state == hipSuccess || state == hipErrorPeerAccessAlreadyEnabled);
}

std::uint32_t compute_units_of(int ordinal) {
  int units = 0;
  require("hipDeviceGetAttribute", hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, ordinal));
  return static_cast<std::uint32_t>(std::max(units, 1));
}

void enqueue(const CopyBuffer& from, const CopyBuffer& to, std::size_t bytes, hipStream_t stream) {
  if (from.ordinal && to.ordinal && *from.ordinal != *to.ordinal) {
    require("hipMemcpyPeerAsync",
            hipMemcpyPeerAsync(to.memory.get(), *to.ordinal, from.memory.get(), *from.ordinal, bytes, stream));
  } else {
    require("hipMemcpyAsync", hipMemcpyAsync(to.memory.get(), from.memory.get(), bytes, hipMemcpyDefault, stream));
  }
}

void launch_copy(const CopyBuffer& from, const CopyBuffer& to, std::size_t bytes, int ordinal, hipStream_t stream) {
  if (!may_have_code(own_kernels_built_for(), gpu_architecture(ordinal))) throw NoGpuCode("launch: no code for it");
  const hipError_t state = start_copy(to.memory.get(), from.memory.get(), bytes, compute_units_of(ordinal), stream);
  if (is_without_code(state)) {
    static_cast<void>(hipGetLastError());
    throw NoGpuCode(describe("launch", state));
  }
  require("launch", state);
}

/// Fails: GpuError when the lane's end did not come in time; its buffers are then left alone for good.
void wait_for(Lane& lane, const CopyBuffer& from, const CopyBuffer& to) {
  const auto until = std::chrono::steady_clock::now() + patience;
  hipError_t state = hipErrorNotReady;
  while ((state = hipEventQuery(lane.end)) == hipErrorNotReady) {
    if (std::chrono::steady_clock::now() > until) {
      lane.abandoned = true;
      is_any_abandoned.store(true);
      GpuMemoryUser::keep_all();
      keep_forever(from);
      keep_forever(to);
      static_cast<void>(hipGetLastError());
      throw GpuError("the copy did not end in 2 s");
    }
    std::this_thread::yield();
  }
  require("hipEventQuery", state);
}

std::uint8_t pattern_at(std::size_t i) {
  return static_cast<std::uint8_t>(i * 131 + (i >> 8) * 7 + 1);
}

}  // namespace

CopyBuffer make_copy_buffer(std::optional<int> ordinal, std::size_t bytes) {
  if (!ordinal) return {ordinal, allocate_shared_memory(bytes, 0), bytes};
  return {ordinal, allocate_gpu_memory(bytes, *ordinal), bytes};
}

std::optional<int> copying_gpu(const CopyBuffer& from, const CopyBuffer& to) {
  if (to.ordinal && reaches(*to.ordinal, from)) return to.ordinal;
  if (from.ordinal && reaches(*from.ordinal, to)) return from.ordinal;
  return std::nullopt;
}

double copy_seconds(const CopyBuffer& from, const CopyBuffer& to, std::size_t bytes, int times, CopyWay way) {
  const std::optional<int> copying = way == CopyWay::kernel ? copying_gpu(from, to) : std::nullopt;
  if (way == CopyWay::kernel && !copying) throw GpuError("neither GPU reaches the other's memory");
  const int ordinal = copying.value_or(ordinal_of(from, to));
  Lane lane(ordinal);
  require("hipEventRecord", hipEventRecord(lane.begin, lane.stream));
  for (int i = 0; i < times; ++i) {
    if (copying) {
      launch_copy(from, to, bytes, ordinal, lane.stream);
    } else {
      enqueue(from, to, bytes, lane.stream);
    }
  }
  require("hipEventRecord", hipEventRecord(lane.end, lane.stream));
  wait_for(lane, from, to);
  float milliseconds = 0;
  require("hipEventElapsedTime", hipEventElapsedTime(&milliseconds, lane.begin, lane.end));
  return static_cast<double>(milliseconds) * 1e-3;
}

std::optional<std::string> check_copy(const CopyBuffer& from, const CopyBuffer& to, CopyWay way) {
  const std::size_t bytes = std::min({pattern_bytes, from.bytes, to.bytes});
  const CopyBuffer sent = make_copy_buffer(std::nullopt, bytes);
  const CopyBuffer seen = make_copy_buffer(std::nullopt, bytes);
  auto* const pattern = static_cast<std::uint8_t*>(sent.memory.get());
  auto* const arrived = static_cast<std::uint8_t*>(seen.memory.get());
  for (std::size_t i = 0; i < bytes; ++i) pattern[i] = pattern_at(i);
  std::fill(arrived, arrived + bytes, std::uint8_t{0});
  try {
    // Through a cleared target, so that nothing that lay there before is taken for what arrived.
    copy_seconds(seen, to, bytes, 1);
    copy_seconds(sent, from, bytes, 1);
    copy_seconds(from, to, bytes, 1, way);
    copy_seconds(to, seen, bytes, 1);
  } catch (const NoGpuCode&) {
    throw;
  } catch (const GpuError& error) {
    return error.what();
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    if (arrived[i] != pattern_at(i)) return "wrong data from byte " + std::to_string(i) + " on";
  }
  return std::nullopt;
}

bool has_abandoned_copy() noexcept {
  return is_any_abandoned.load();
}

}  // namespace skua
