// Reading slab cases.
#include "slab_cases.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <skua/input.hpp>

#include "csv.hpp"

namespace monte_carlo {
namespace {

/// A share of the light, 0 to 1.
std::optional<double> share_from(const CsvRow& row, std::string_view column) {
  const std::optional<double> share = row.number_if_any(column);
  if (share && !(*share >= 0 && *share <= 1)) throw row.error(column, "must be from 0 to 1");
  return share;
}

SlabCase case_from(const CsvRow& row) {
  SlabCase one;
  one.name = row.text("name");
  if (one.name.empty()) throw row.error("name", "must not be empty");
  one.slab.absorption_per_cm = row.number("absorption");
  one.slab.scattering_per_cm = row.number("scattering");
  one.slab.anisotropy = row.number("anisotropy");
  one.slab.thickness_cm = row.number("thickness");
  one.slab.refractive_index = row.number("refractive_index");
  if (const auto fault = slab_fault(one.slab)) throw row.error(fault->field, fault->why);
  one.published.reflectance = share_from(row, "reflectance");
  one.published.transmittance = share_from(row, "transmittance");
  one.published.tolerance = share_from(row, "tolerance");
  return one;
}

}  // namespace

SlabCase van_de_hulst() {
  return {"vandehulst", Slab{}, {0.09739, 0.66096, 0.0002}};
}

SlabCase read_slab_case(const std::string& file, const std::string& name) {
  std::optional<SlabCase> found;
  std::vector<std::string> names;
  for (const CsvRow& row : read_csv(file, {"name", "absorption", "scattering", "anisotropy", "thickness",
                                           "refractive_index", "reflectance", "transmittance", "tolerance"})) {
    SlabCase one = case_from(row);
    names.push_back(one.name);
    if (one.name != name) continue;
    if (found) throw row.error("name", "is there twice");
    found = one;
  }
  if (!found) {
    throw skua::InputError(
        fmt::format("--case {}: no such case in {}; there are {}", name, file, fmt::join(names, ", ")));
  }
  return *found;
}

}  // namespace monte_carlo
