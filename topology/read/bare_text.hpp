// A description without what stands around and before its lines. All formats go through here.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pasted_text.hpp"

namespace skua {

/// The text without byte order mark, escape sequences of terminals, carriage returns and known prefixes of lines; of
/// several ranks or pods that wrote into one log, the lines of one. Lines keep their numbers.
std::string bare_text(std::string_view pasted, TextNotes& notes);

/// Where XML or JSON begins behind lines of other text, or behind a prefix that is none of the known ones.
std::optional<std::size_t> find_markup(std::string_view text);

/// The same lines from `begin` on, which are XML or JSON: what stands before it is taken away, in the lines after it
/// too, and so is what a shell showed behind its end.
std::string bare_markup(std::string text, std::size_t begin);

}  // namespace skua
