// What is wrong with a value that a user gave: which field, and why. Whoever knows where it came from names the place.
#pragma once

#include <string>

namespace monte_carlo {

struct Fault {
  std::string field;  ///< as a CSV column is called, e.g. refractive_index
  std::string why;
};

}  // namespace monte_carlo
