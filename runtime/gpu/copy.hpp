// Copies between GPUs and the host, timed, and checked before they are believed. Each has a deadline: a link that hangs
// holds nobody up.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "call.hpp"

namespace skua {

/// Memory of one GPU, or of the host where GPUs reach it.
struct CopyBuffer {
  std::optional<int> ordinal;  ///< nullopt: the host
  std::shared_ptr<void> memory;
  std::size_t bytes = 0;
};

/// Fails: GpuError.
CopyBuffer make_copy_buffer(std::optional<int> ordinal, std::size_t bytes);

/// How long `times` copies of `bytes` took together, one behind the other, by the GPU's clock.
/// On a thread of skua's own: one end's GPU becomes the current one.
/// Fails: GpuError, also when they did not end in 2 s.
double copy_seconds(const CopyBuffer& from, const CopyBuffer& to, std::size_t bytes, int times);

/// Copies a pattern and looks at what arrived: some machines say that GPUs reach one another and lose the data.
/// Returns why the copy cannot be trusted, and nullopt when it can.
std::optional<std::string> check_copy(const CopyBuffer& from, const CopyBuffer& to);

}  // namespace skua
