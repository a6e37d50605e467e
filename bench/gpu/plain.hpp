// The limit that the GPU benches measure against: one kernel over the whole loop, nothing scheduled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <skua/hip.hpp>

#include <gpu/call.hpp>
#include <gpu/memory.hpp>
#include "current_gpu.hpp"

namespace bench {

using namespace skua::gpu_api;

inline constexpr unsigned block_threads = 256;

/// A grid-stride loop with one sum a thread, a tree a block, and one result a block.
template <class Value, class Body>
__global__ void __launch_bounds__(block_threads)
    plain_sum(Body body, std::uint64_t begin, std::uint64_t end, Value* results) {
  alignas(Value) __shared__ unsigned char memory[block_threads * sizeof(Value)];
  Value* const values = reinterpret_cast<Value*>(memory);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  Value sum{};
  for (std::uint64_t i = begin + std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += stride) {
    sum = sum + static_cast<Value>(body(i));
  }
  values[threadIdx.x] = sum;
  for (unsigned width = block_threads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) values[threadIdx.x] = values[threadIdx.x] + values[threadIdx.x + width];
  }
  if (threadIdx.x == 0) results[blockIdx.x] = values[0];
}

/// Runs the plain kernel on a stream of its own, over as many blocks as the compute units of that stream hold.
/// Threads: one.
template <class Value, class Body>
class Plain {
 public:
  Plain(int ordinal, std::uint32_t compute_units, const skua::MakeGpuStream& make_stream)
      : ordinal_(ordinal), make_stream_(make_stream) {
    const bench::CurrentGpu current(ordinal_);
    int resident = 0;
    skua::require("hipOccupancyMaxActiveBlocksPerMultiprocessor",
                  hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, plain_sum<Value, Body>,
                                                               static_cast<int>(block_threads), 0));
    blocks_ = static_cast<unsigned>(resident) * compute_units;
    results_ = skua::allocate_shared_memory(blocks_ * sizeof(Value), ordinal_);
    stream_ = make_stream_();
    skua::require("hipEventCreateWithFlags", hipEventCreateWithFlags(&done_, hipEventDisableTiming));
  }
  ~Plain() {
    static_cast<void>(hipEventDestroy(done_));
    static_cast<void>(hipStreamDestroy(stream_));
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

  void start(const Body& body, std::uint64_t begin, std::uint64_t end) {
    const bench::CurrentGpu current(ordinal_);
    auto* const results = static_cast<Value*>(results_.get());
    // A query that found work unfinished may have left an error behind.
    static_cast<void>(hipGetLastError());
    plain_sum<Value, Body><<<blocks_, block_threads, 0, stream_>>>(body, begin, end, results);
    skua::require("launch", hipGetLastError());
    skua::require("hipEventRecord", hipEventRecord(done_, stream_));
  }

  /// Waits for what was started.
  Value sum() {
    while (hipEventQuery(done_) == hipErrorNotReady) {
    }
    const auto* const results = static_cast<const Value*>(results_.get());
    Value sum{};
    for (unsigned block = 0; block < blocks_; ++block) sum = sum + results[block];
    return sum;
  }

  Value run(const Body& body, std::uint64_t items) {
    start(body, 0, items);
    return sum();
  }

 private:
  int ordinal_;
  skua::MakeGpuStream make_stream_;  ///< owns what the stream needs
  hipStream_t stream_ = nullptr;
  hipEvent_t done_ = nullptr;
  unsigned blocks_ = 0;
  std::shared_ptr<void> results_;
};

}  // namespace bench
