// Streams, memory and waiting for the questions: each question is alone in its process and turns to one GPU at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "kernels.hpp"

namespace facts {

/// Of the current GPU.  Threads: one.
class Stream {
 public:
  Stream();
  /// Takes a stream over.
  explicit Stream(hipStream_t stream) : stream_(stream) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator hipStream_t() const noexcept { return stream_; }

  /// Whether all that lies on it has ended in time.
  /// Blocks: until then. Fails: GpuError.
  bool ends_within(std::chrono::milliseconds limit) const;
  /// Fails: GpuError, when it takes longer than ten seconds.
  void wait() const;

 private:
  hipStream_t stream_ = nullptr;
};

using Memory = std::shared_ptr<void>;

/// Page-locked, of zeros, at one address for the host and all GPUs. Fails: GpuError.
Memory page_locked_memory(std::size_t bytes);
/// Of the current GPU, of zeros. Fails: GpuError.
Memory gpu_memory(std::size_t bytes);

/// An array in page-locked memory.
template <class Value>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count), memory_(page_locked_memory(count * sizeof(Value))) {
    std::uninitialized_default_construct_n(data(), count);
  }
  Value* data() const noexcept { return static_cast<Value*>(memory_.get()); }
  Value& operator[](std::size_t i) const noexcept { return data()[i]; }
  Value* begin() const noexcept { return data(); }
  Value* end() const noexcept { return data() + count_; }
  std::size_t size() const noexcept { return count_; }

 private:
  std::size_t count_;
  Memory memory_;
};

int gpu_count();
/// Of the current GPU.
std::uint32_t compute_units();
/// "gfx942", "sm_90".
std::string arch_of(int ordinal);

/// How often a second the GPU's even clock ticks, as the runtime says it.
std::optional<double> stated_ticks_per_s();
/// As many ticks as should take so long; where the rate is not stated, 100 MHz are assumed.
std::uint64_t ticks_of(std::chrono::microseconds time);
double microseconds_of(std::uint64_t ticks);

double microseconds(const std::function<void()>& work);
double median_of(int times, const std::function<double()>& measure);

}  // namespace facts
