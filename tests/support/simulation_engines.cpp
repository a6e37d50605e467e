// Names of engines, for GoogleTest.
#include "simulation_engines.hpp"

#include <ostream>

namespace skua {

void PrintTo(SimulationEngine engine, std::ostream* stream) {
  *stream << to_text(engine);
}

namespace test {

std::string engine_name(const testing::TestParamInfo<SimulationEngine>& info) {
  return to_text(info.param);
}

}  // namespace test
}  // namespace skua
