// PciAddress to and from text.
#include <skua/detail/pci_address.hpp>

#include <fmt/format.h>

#include <text/numbers.hpp>

namespace skua {
namespace {

/// A hexadecimal number of the given number of digits and size.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t digits_max, std::uint32_t value_max) {
  const auto value = text.size() <= digits_max ? number_from<std::uint32_t>(text, 16) : std::nullopt;
  return value && *value <= value_max ? value : std::nullopt;
}

}  // namespace

std::optional<PciAddress> PciAddress::from_text(std::string_view text) {
  const auto dot = text.rfind('.');
  const auto device_colon = text.rfind(':');
  if (dot == std::string_view::npos || device_colon == std::string_view::npos || dot < device_colon) return {};
  const auto before = text.substr(0, device_colon);
  const auto bus_colon = before.rfind(':');
  const bool has_domain = bus_colon != std::string_view::npos;

  const auto domain = has_domain ? hexadecimal(before.substr(0, bus_colon), 8, 0xffffffff) : 0;
  const auto bus = hexadecimal(has_domain ? before.substr(bus_colon + 1) : before, 2, 0xff);
  const auto device = hexadecimal(text.substr(device_colon + 1, dot - device_colon - 1), 2, 0x1f);
  const auto function = hexadecimal(text.substr(dot + 1), 1, 0x7);
  if (!domain || !bus || !device || !function) return std::nullopt;
  return PciAddress{*domain, static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
                    static_cast<std::uint8_t>(*function)};
}

std::string PciAddress::to_text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace skua
