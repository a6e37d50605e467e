// What the kernels of skua's own library meet in the HIP runtime without GPUs, and what its end waits for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/hip_stub.hpp"

namespace hip_stub {

/// A copy by a kernel; nothing stands for the host's memory.
struct KernelCopy {
  int on = 0;  ///< the device whose kernel it was
  std::optional<int> from;
  std::optional<int> to;
  bool operator==(const KernelCopy&) const = default;
};

/// What these kernels do, and what was seen. Set before the calls; read after them. reset() makes it fresh.
struct Kernels {
  std::string built_for;           ///< see GpuCode::built_for
  hipError_t launch = hipSuccess;  ///< of every launch of these kernels from now on
  /// Whether a workgroup of the check finds no place on a device. The kernel then does not end, but for the second.
  std::function<bool(int device, std::uint32_t workgroup)> skips;
  bool ends_without_skipped = false;
  /// As in ROCm from 6.3 on: while the process ends, the runtime waits for all that lies on any stream.
  bool exit_waits = false;

  std::vector<KernelCopy> copies;
};

Kernels& kernels();

}  // namespace hip_stub
