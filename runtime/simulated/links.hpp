// Which links the bytes between two simulated devices cross.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// A pair that is joined directly has a link of its own; one that is joined over several hops uses the links of the
/// shortest chain of such pairs, and shares them. Pairs over PCIe share the ports of both GPUs.
class SimulatedLinks {
 public:
  struct Crossing {
    std::size_t link = 0;
    double bytes_per_second = 0;
  };

  explicit SimulatedLinks(const Topology& topology);

  std::size_t count() const noexcept { return bytes_per_second_.size(); }
  /// Empty when nothing is known of the pair: then bytes move in no time.
  std::vector<Crossing> path(std::uint32_t from, std::uint32_t to) const;

 private:
  std::size_t add(double gb_per_s);
  void add_port(std::uint32_t gpu, bool outward, double gb_per_s, std::vector<std::size_t>& path);
  void join_over_hops(const Topology& topology, const Link& link);

  std::vector<double> bytes_per_second_;
  std::map<std::pair<std::uint32_t, bool>, std::size_t> ports_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> paths_;
};

}  // namespace skua
