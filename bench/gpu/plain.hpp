// The limit that the GPU benches measure against: one kernel over the whole loop, nothing scheduled.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <skua/hip.hpp>

#include "gpu_call.hpp"
#include "gpu_memory.hpp"

namespace bench {

using namespace skua::gpu_api;

inline constexpr unsigned block_threads = 256;

/// A grid-stride loop with one sum a thread, a tree a block, and one result a block.
template <class Value, class Body>
__global__ void __launch_bounds__(block_threads) plain_sum(Body body, std::uint64_t items, Value* results) {
  alignas(Value) __shared__ unsigned char memory[block_threads * sizeof(Value)];
  Value* const values = reinterpret_cast<Value*>(memory);
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  Value sum{};
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < items; i += stride) {
    sum = sum + static_cast<Value>(body(i));
  }
  values[threadIdx.x] = sum;
  for (unsigned width = block_threads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) values[threadIdx.x] = values[threadIdx.x] + values[threadIdx.x + width];
  }
  if (threadIdx.x == 0) results[blockIdx.x] = values[0];
}

/// Runs the plain kernel on one stream, over as many blocks as the multiprocessors of that stream hold, or over
/// `blocks_each` times as many where costs differ from item to item and the hardware is to even them out.
template <class Value, class Body>
class Plain {
 public:
  Plain(hipStream_t stream, std::uint32_t compute_units, unsigned blocks_each = 1) : stream_(stream) {
    int resident = 0;
    skua::require("hipOccupancyMaxActiveBlocksPerMultiprocessor",
                  hipOccupancyMaxActiveBlocksPerMultiprocessor(&resident, plain_sum<Value, Body>,
                                                               static_cast<int>(block_threads), 0));
    blocks_ = static_cast<unsigned>(resident) * compute_units * blocks_each;
    results_ = skua::allocate_shared_memory(blocks_ * sizeof(Value));
    skua::require("hipEventCreateWithFlags", hipEventCreateWithFlags(&done_, hipEventDisableTiming));
  }
  ~Plain() { static_cast<void>(hipEventDestroy(done_)); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

  Value run(const Body& body, std::uint64_t items) {
    auto* const results = static_cast<Value*>(results_.get());
    plain_sum<Value, Body><<<blocks_, block_threads, 0, stream_>>>(body, items, results);
    skua::require("launch", hipGetLastError());
    skua::require("hipEventRecord", hipEventRecord(done_, stream_));
    while (hipEventQuery(done_) == hipErrorNotReady) {
    }
    Value sum{};
    for (unsigned block = 0; block < blocks_; ++block) sum = sum + results[block];
    return sum;
  }

 private:
  hipStream_t stream_;
  hipEvent_t done_ = nullptr;
  unsigned blocks_ = 0;
  std::shared_ptr<void> results_;
};

}  // namespace bench
