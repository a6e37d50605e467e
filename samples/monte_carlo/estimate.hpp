// A mean and its standard error from the sums over independent paths.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace monte_carlo {

struct Estimate {
  std::optional<double> mean;            ///< unknown when no path was run
  std::optional<double> standard_error;  ///< unknown with less than two paths
};

inline Estimate estimate(double sum, double sum_of_squares, std::uint64_t paths) {
  Estimate estimate;
  if (paths == 0) return estimate;
  const double count = static_cast<double>(paths);
  estimate.mean = sum / count;
  if (paths == 1) return estimate;
  const double variance = (sum_of_squares - sum * *estimate.mean) / (count - 1);
  estimate.standard_error = variance > 0 ? std::sqrt(variance / count) : 0.0;
  return estimate;
}

}  // namespace monte_carlo
