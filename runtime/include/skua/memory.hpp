// Memory that a device gave: where it lies, and what keeps it there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace skua {

/// shared: the device and the host both read and write it (results of granules, Share words, marks).
/// own: the device's own, the fastest for it; the host must not touch it.
enum class MemoryPlace : std::uint8_t { shared, own };

/// Owns: the memory, together with its copies; whoever is last gives it back.
struct Memory {
  std::shared_ptr<void> data{};
  std::size_t bytes = 0;
  MemoryPlace place = MemoryPlace::shared;

  explicit operator bool() const noexcept { return data != nullptr; }
  std::byte* at(std::size_t offset_bytes) const noexcept { return static_cast<std::byte*>(data.get()) + offset_bytes; }
};

/// One asynchronous copy: `bytes` from `from` to `to`, each in memory that the device can reach.
struct Copy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

}  // namespace skua
