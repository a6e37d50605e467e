// A matrix of distances in hwloc's XML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <xml/xml_document.hpp>
#include "pasted_text.hpp"

namespace skua {

struct HwlocMatrix {
  std::string name;                    ///< "NVLinkBandwidth"
  std::size_t line = 0;                ///< where it begins
  std::vector<std::uint64_t> objects;  ///< gp_index of the object of each row and column
  std::vector<std::uint64_t> values;   ///< row by row

  /// Pairs differ in more than in having a value at all. Of XGMI hwloc writes constants of its own for all pairs.
  bool tells_pairs_apart = false;

  std::uint64_t value(std::size_t from, std::size_t to) const { return values[from * objects.size() + to]; }
};

/// Returns nullopt, and leaves a note, when the numbers are not as many as the element says, or are none.
std::optional<HwlocMatrix> hwloc_matrix_from(const XmlElement& distances, TextNotes& notes);

}  // namespace skua
