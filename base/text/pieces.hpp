// Texts taken apart. Owns: nothing; what is returned points into the text.
#pragma once

#include <string_view>
#include <vector>

namespace skua {

/// What `border` separates, empty pieces among it; of an empty text one empty piece.
std::vector<std::string_view> split(std::string_view text, char border);

/// Without the white space around it.
std::string_view trimmed(std::string_view text);

}  // namespace skua
