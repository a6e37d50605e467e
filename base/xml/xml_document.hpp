// An XML file as a tree of elements, read so that no file can harm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace skua {

struct XmlAttribute {
  std::string_view name;
  std::string value;
};

struct XmlElement {
  std::string_view name;  ///< without a namespace's prefix
  std::uint32_t line = 0;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlElement> children;
  std::string text;  ///< what stands directly in it, pieces joined

  /// Returns nullopt when it is not there.
  std::optional<std::string_view> attribute(std::string_view attribute_name) const;
  /// A whole number, decimal or hexadecimal after "0x". Returns nullopt when it is not there or no such number.
  std::optional<std::uint64_t> number(std::string_view attribute_name) const;
};

/// "48", "0x030200". Returns nullopt for anything else, and above 2^64-1.
std::optional<std::uint64_t> xml_number(std::string_view text);

/// Owns: the elements and their names.
class XmlDocument {
 public:
  /// Nothing outside the content is opened, and no entities or elements that it declares are accepted.
  /// Fails: InputError that names `source` and the line, for what is not well-formed, nested deeper than 128 elements
  /// or too large; and always, when skua was built without libxml2.
  static XmlDocument read(const std::string& content, const std::string& source);

  const XmlElement& root() const { return root_; }

 private:
  friend class XmlTreeBuilder;

  XmlElement root_;
  std::unordered_set<std::string> names_;
};

}  // namespace skua
