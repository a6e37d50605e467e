// Slabs with published results, built in or from a CSV file.
#pragma once

#include <optional>
#include <string>

#include "slab.hpp"

namespace monte_carlo {

/// What the literature says about a slab; nothing where it says nothing.
struct Published {
  std::optional<double> reflectance;  ///< the specular part included
  std::optional<double> transmittance;
  std::optional<double> tolerance;
};

struct SlabCase {
  std::string name;  ///< empty for a slab that the user made up
  Slab slab;
  Published published;
};

/// The slab of van de Hulst's table that every photon transport program is checked with.
SlabCase van_de_hulst();

/// The case of this name in a file with the columns name, absorption, scattering, anisotropy, thickness,
/// refractive_index, reflectance, transmittance and tolerance, the last three of which may be empty.
/// Fails: InputError that names file, line and column, or the cases there are. All rows are checked.
SlabCase read_slab_case(const std::string& file, const std::string& name);

}  // namespace monte_carlo
