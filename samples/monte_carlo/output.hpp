// Results as people and as programs read them.
#pragma once

#include <string>

#include "result.hpp"

namespace monte_carlo {

/// A few lines, with the exact or published value beside each estimate that has one.
std::string to_text(const Result& result);

/// JSON with every number in full: reading it back gives the same bits. Unknown numbers are null.
std::string to_json(const Result& result);

}  // namespace monte_carlo
