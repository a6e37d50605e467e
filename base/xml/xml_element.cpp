// Questions to an element of an XML file.
#include "xml_document.hpp"

#include <algorithm>

#include <text/numbers.hpp>
#include <text/pieces.hpp>

namespace skua {

std::optional<std::string_view> XmlElement::attribute(std::string_view attribute_name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const XmlAttribute& attribute) { return attribute.name == attribute_name; });
  return found == attributes.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

std::optional<std::uint64_t> XmlElement::number(std::string_view attribute_name) const {
  const auto value = attribute(attribute_name);
  return value ? xml_number(*value) : std::nullopt;
}

std::optional<std::uint64_t> xml_number(std::string_view text) {
  text = trimmed(text);
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  return number_from<std::uint64_t>(text, is_hexadecimal ? 16 : 10);
}

}  // namespace skua
