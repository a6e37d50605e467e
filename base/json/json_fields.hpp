// Fields of one JSON object, each checked; errors name file, line and field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace skua {

/// Owns: nothing; the object must outlive it.
/// Fails: every reading throws InputError when the field has another type or is out of range. null is an absent value.
class JsonFields {
 public:
  /// `where` begins the errors: "node.json:12: gpus".
  JsonFields(const nlohmann::json& object, std::string where);

  std::optional<std::uint64_t> count(const char* name,
                                     std::uint64_t count_max = std::numeric_limits<std::uint64_t>::max()) const;
  std::optional<std::uint32_t> index(const char* name) const;
  /// As index, and the field must be there.
  std::uint32_t required_index(const char* name) const;
  /// A finite number above 0. 0 is how some sources write that they do not know: it is an absent value.
  std::optional<double> positive(const char* name) const;
  std::optional<std::string> text(const char* name) const;
  std::optional<bool> truth(const char* name) const;

  /// What `read` makes of the text of the field. Fails: also when that is nothing, saying that it must be `expected`.
  template <class Read>
  auto parsed(const char* name, const char* expected, Read read) const -> decltype(read(std::string())) {
    const auto content = text(name);
    if (!content) return std::nullopt;
    auto value = read(*content);
    if (!value) fail(name, expected);
    return value;
  }

  /// Names of fields that are not among `known`.
  std::vector<std::string> unknown_fields(std::initializer_list<const char*> known) const;

  [[noreturn]] void fail(const char* name, const std::string& expected) const;

 private:
  const nlohmann::json* find(const char* name) const;

  const nlohmann::json& object_;
  std::string where_;
};

}  // namespace skua
