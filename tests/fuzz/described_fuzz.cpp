// Feeds made-up descriptions of machines to their readers: whatever comes, it is a Topology or one InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include <skua/input.hpp>

#include <read/described.hpp>

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::cerr << what << '\n';
  std::abort();
}

void check(const skua::Topology& topology) {
  const std::size_t count = topology.gpus.size();
  require(topology.links.size() == (count > 1 ? count * (count - 1) : 0), "not every pair has a link");
  // The forms of a thousand GPUs are long; what can be wrong with them is wrong with those of a few.
  constexpr std::size_t count_max = 32;
  if (count > count_max) return;
  require(skua::topology_from_json(skua::to_json(topology), "json") == topology, "JSON does not lead back");
  require(!skua::to_text(topology).empty() && !skua::to_dot(topology).empty(), "nothing to show");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  try {
    check(skua::read_described(content, "input"));
  } catch (const skua::InputError& error) {
    const std::string message = error.what();
    require(message.starts_with("input:"), "an error that does not name its source");
    require(message.find('\n') == std::string::npos, "an error of several lines");
  }
  return 0;
}
