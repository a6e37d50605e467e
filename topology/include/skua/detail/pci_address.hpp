// The address of a PCI function.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skua {

/// domain:bus:device.function. Devices of all sources are joined by it (and by partition), never by index.
struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  /// Reads "0000:c1:00.0", "00000000:C1:00.0" and, in domain 0, "c1:00.0".
  /// Returns nullopt when the text is not such an address.
  static std::optional<PciAddress> from_text(std::string_view text);
  /// As the kernel writes it: four or more lower-case hexadecimal digits of domain.
  std::string to_text() const;

  auto operator<=>(const PciAddress&) const = default;
};

}  // namespace skua
