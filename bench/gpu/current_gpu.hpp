// The calling thread's current GPU, for a while.
#pragma once

#include <gpu/call.hpp>

namespace bench {

/// Makes a GPU the calling thread's current one and gives back the one before at the end.
class CurrentGpu {
 public:
  /// Fails: GpuError.
  explicit CurrentGpu(int ordinal) {
    using namespace skua::gpu_api;
    skua::require("hipGetDevice", hipGetDevice(&before_));
    skua::use_gpu(ordinal);
  }
  ~CurrentGpu() {
    using namespace skua::gpu_api;
    static_cast<void>(hipSetDevice(before_));
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = -1;
};

}  // namespace bench
