// What a loop must keep to so that a GPU can run it. Known to sources that no GPU's compiler sees, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace skua {

/// What a loop asks of a device.
struct LoopNeeds {
  /// The threads of a block keep a value each in the memory that they share.
  static constexpr std::size_t gpu_value_bytes_max = 128;
  /// Kernels take bodies by value, and 4 KiB hold all arguments.
  static constexpr std::size_t gpu_body_bytes_max = 3072;

  std::size_t body_bytes = 0;   ///< with what its combination holds
  std::size_t value_bytes = 0;  ///< of a reduction
  bool in_order = false;        ///< its combination is not commutative

  constexpr bool fits_gpu() const noexcept {
    return body_bytes <= gpu_body_bytes_max && value_bytes <= gpu_value_bytes_max && !in_order;
  }
  /// Why that backend cannot run it, for people; empty where it can (Kernel::obstacle).
  std::string obstacle(std::string_view backend) const;
};

}  // namespace skua
