// The words for kinds, localities and bases in JSON, tables and notes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <skua/topology.hpp>

namespace skua {

std::string_view name_of(LinkKind kind);
std::string_view name_of(Locality locality);
std::string_view name_of(Basis basis);

std::optional<LinkKind> link_kind_from(std::string_view name);
std::optional<Locality> locality_from(std::string_view name);
std::optional<Basis> basis_from(std::string_view name);

/// "gpu 3 (0000:c1:00.0 partition 1)": a GPU as notes name it.
std::string describe(const Topology& topology, GpuId gpu);

}  // namespace skua
