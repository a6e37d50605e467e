// What the tests of pasted tables ask of the machine that was read from one.
#pragma once

#include <string>

#include <skua/input.hpp>
#include <skua/topology.hpp>

namespace skua {

/// The link of a pair; an empty one when the pair is not recorded.
inline Link link(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  const Link* found = topology.link(GpuId{from}, GpuId{to});
  return found != nullptr ? *found : Link{};
}

/// What `read` says is wrong with the text; empty when nothing is.
template <class Read>
std::string error_of(Read read, const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace skua
