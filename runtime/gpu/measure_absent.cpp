// In a skua without GPUs there is nothing to measure.
#include <skua/input.hpp>
#include "measure.hpp"

namespace skua {

std::vector<MeasuredLink> measure_links(const Topology&) {
  throw InputError("--measure: this skua was built without GPUs (SKUA_GPU=none)");
}

bool is_measuring_stuck() noexcept {
  return false;
}

}  // namespace skua
