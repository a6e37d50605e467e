// Reads JSON whose top-level object holds long lists of objects.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace skua {

/// One object of a list.
struct JsonEntry {
  const std::string& section;  ///< the name of the list
  std::size_t line;            ///< where the object begins
  const nlohmann::json& object;
};

/// Hands over every object of the lists named in `sections` as soon as it is complete, so that only one of them is held
/// at a time, and returns the rest. What is left in these lists were no objects.
/// Fails: InputError that names source and line for what is not JSON or nested too deeply; and what `take` throws.
nlohmann::json read_json_sections(const std::string& text, const std::string& source,
                                  const std::set<std::string, std::less<>>& sections,
                                  const std::function<void(const JsonEntry&)>& take);

}  // namespace skua
