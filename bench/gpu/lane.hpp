// A stream of one GPU, and a name for where memory lies.
#pragma once

#include <optional>
#include <string>

#include <gpu/call.hpp>
#include "current_gpu.hpp"

namespace bench {

using namespace skua::gpu_api;

/// Threads: one.
class Lane {
 public:
  explicit Lane(int ordinal) : ordinal_(ordinal) {
    const bench::CurrentGpu current(ordinal_);
    skua::require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking));
  }
  ~Lane() { static_cast<void>(hipStreamDestroy(stream_)); }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  hipStream_t stream() const noexcept { return stream_; }

  template <class Launch>
  void start(const Launch& launch) {
    const bench::CurrentGpu current(ordinal_);
    // A query that found work unfinished may have left an error behind.
    static_cast<void>(hipGetLastError());
    launch(stream_);
    skua::require("launch", hipGetLastError());
  }
  void wait() {
    hipError_t state = hipErrorNotReady;
    while ((state = hipStreamQuery(stream_)) == hipErrorNotReady) {
    }
    skua::require("hipStreamQuery", state);
  }

 private:
  int ordinal_;
  hipStream_t stream_ = nullptr;
};

inline std::string place_of(const std::optional<int>& ordinal) {
  return ordinal ? "gpu:" + std::to_string(*ordinal) : "the host";
}

}  // namespace bench
