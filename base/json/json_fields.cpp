// Checked fields of a JSON object.
#include "json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

namespace skua {

JsonFields::JsonFields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {}

const nlohmann::json* JsonFields::find(const char* name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::fail(const char* name, const std::string& expected) const {
  throw InputError(fmt::format("{}: \"{}\" must be {}", where_, name, expected));
}

std::optional<std::uint64_t> JsonFields::count(const char* name, std::uint64_t count_max) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > count_max) {
    fail(name, fmt::format("a whole number from 0 to {}", count_max));
  }
  return value->get<std::uint64_t>();
}

std::optional<std::uint32_t> JsonFields::index(const char* name) const {
  const auto value = count(name, std::numeric_limits<std::uint32_t>::max());
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::uint32_t JsonFields::required_index(const char* name) const {
  const auto value = index(name);
  if (!value) fail(name, "there");
  return *value;
}

std::optional<double> JsonFields::positive(const char* name) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) fail(name, "a number or null");
  const auto number = value->get<double>();
  if (!std::isfinite(number) || number < 0) fail(name, "finite and not negative");
  return number == 0 ? std::nullopt : std::optional(number);
}

std::optional<std::string> JsonFields::text(const char* name) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(name, "a text or null");
  return value->get<std::string>();
}

std::optional<bool> JsonFields::truth(const char* name) const {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail(name, "true, false or null");
  return value->get<bool>();
}

std::vector<std::string> JsonFields::unknown_fields(std::initializer_list<const char*> known) const {
  std::vector<std::string> unknown;
  for (const auto& item : object_.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) unknown.push_back(item.key());
  }
  return unknown;
}

}  // namespace skua
