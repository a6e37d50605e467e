// Descriptions that are not read, by their names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skua {

/// What a JSON text is that some other program wrote, and what to give in its place. Returns nullopt for all others.
std::optional<std::string> foreign_json(const std::string& content);

/// The same for XML, by the name of its outermost element.
std::optional<std::string> foreign_xml(std::string_view root_name);

}  // namespace skua
