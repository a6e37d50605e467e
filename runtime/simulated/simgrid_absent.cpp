// Stands in for the engine over SimGrid where skua is built without it.
#include <skua/input.hpp>

#include "engine.hpp"

namespace skua {

std::unique_ptr<SimulatedEngine> make_simgrid_engine(const SimulatedSetting&) {
  throw InputError("engine simgrid: skua was built without SimGrid");
}

}  // namespace skua
