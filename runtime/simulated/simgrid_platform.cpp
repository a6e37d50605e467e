// The engine: silent, exact to a picosecond, with as many resources as it will ever have.
#include "simgrid_platform.hpp"

#include <string>
#include <vector>

namespace skua {
namespace {

struct Platform {
  simgrid::s4u::Engine* engine = nullptr;
  simgrid::s4u::Host* home = nullptr;
  std::vector<simgrid::s4u::Host*> resources;
};

Platform make_platform() {
  std::vector<std::string> words = {"skua",
                                    "--log=root.thres:critical",
                                    "--cfg=debug/verbose-exit:0",
                                    "--cfg=surf/precision:1e-12",
                                    "--cfg=maxmin/precision:1e-9",
                                    "--cfg=contexts/stack-size:256"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  Platform made;
  made.engine = new simgrid::s4u::Engine(&count, arguments.data());
  auto* zone = simgrid::s4u::create_empty_zone("machines");
  made.home = zone->create_host("home", 1.0);
  for (std::size_t i = 0; i < simgrid_links_max; ++i) {
    made.resources.push_back(zone->create_host("link" + std::to_string(i), 1.0));
  }
  zone->seal();
  return made;
}

Platform& platform() {
  static Platform one = make_platform();
  return one;
}

}  // namespace

simgrid::s4u::Engine& simgrid_engine() {
  return *platform().engine;
}

simgrid::s4u::Host* simgrid_home() {
  return platform().home;
}

simgrid::s4u::Host* simgrid_resource(std::size_t index) {
  return platform().resources[index];
}

}  // namespace skua
