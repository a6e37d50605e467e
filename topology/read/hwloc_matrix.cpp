// Collects the pieces of a matrix of distances.
#include "hwloc_matrix.hpp"

#include <algorithm>
#include <utility>

#include <graph/graph.hpp>
#include <text/numbers.hpp>

namespace skua {
namespace {

/// "OSDev:802" in matrices over objects of several types, "802" in others.
std::optional<std::uint64_t> object_from(std::string_view word) {
  const auto colon = word.rfind(':');
  return number_from<std::uint64_t>(colon == std::string_view::npos ? word : word.substr(colon + 1));
}

bool tell_pairs_apart(const HwlocMatrix& matrix) {
  std::uint64_t only = 0;
  for (std::size_t place = 0; place < matrix.values.size(); ++place) {
    const std::uint64_t value = matrix.values[place];
    const bool is_self = place % (matrix.objects.size() + 1) == 0;
    if (is_self || value == 0) continue;
    if (only != 0 && value != only) return true;
    only = value;
  }
  return false;
}

}  // namespace

std::optional<HwlocMatrix> hwloc_matrix_from(const XmlElement& distances, TextNotes& notes) {
  // Besides the GPUs there are switches in it.
  constexpr std::size_t objects_max = 2 * gpu_count_max;
  HwlocMatrix matrix;
  matrix.name = std::string(distances.attribute("name").value_or(""));
  matrix.line = distances.line;
  bool are_numbers = true;
  for (const XmlElement& piece : distances.children) {
    const bool is_index = piece.name == "indexes";
    if (!is_index && piece.name != "u64values") continue;
    std::string text = piece.text;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    for (const auto word : words_of(text, objects_max * objects_max)) {
      const auto number = is_index ? object_from(word) : number_from<std::uint64_t>(word);
      are_numbers = are_numbers && number.has_value();
      (is_index ? matrix.objects : matrix.values).push_back(number.value_or(0));
    }
  }
  const std::size_t count = matrix.objects.size();
  if (are_numbers && count > 0 && count <= objects_max && matrix.values.size() == count * count) {
    matrix.tells_pairs_apart = tell_pairs_apart(matrix);
    return matrix;
  }
  notes.add(distances.line, "a matrix is not complete, and was left out", shown(matrix.name));
  return std::nullopt;
}

}  // namespace skua
