// Adds up what pairs of GPUs share through switches.
#include "switched_links.hpp"

#include <algorithm>

namespace skua {

bool SwitchedLinks::add(std::uint32_t gpu, const std::string& switch_name, std::optional<std::uint32_t> width) {
  constexpr std::size_t switches_max = 64;
  const std::uint32_t number = numbers_.emplace(switch_name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  if (number == gpus_of_.size()) gpus_of_.emplace_back();
  std::vector<End>& ends = switches_of_[gpu];
  const auto is_same = [&](const End& end) { return end.other == number; };
  if (ends.size() == switches_max || std::any_of(ends.begin(), ends.end(), is_same)) return false;
  ends.push_back({number, width});
  gpus_of_[number].push_back({gpu, width});
  return true;
}

void SwitchedLinks::add_pairs_from(std::uint32_t gpu, const std::vector<End>& ends, std::vector<Pair>& pairs) const {
  struct Sum {
    bool is_reached = false;
    std::optional<std::uint32_t> width = 0;
  };
  std::vector<Sum> sums(switches_of_.rbegin()->first + 1);
  for (const End& near : ends) {
    for (const End& far : gpus_of_[near.other]) {
      Sum& sum = sums[far.other];
      const bool is_known = sum.width && near.width && far.width;
      sum.width = is_known ? std::optional(*sum.width + std::min(*near.width, *far.width)) : std::nullopt;
      sum.is_reached = true;
    }
  }
  for (std::uint32_t to = 0; to < sums.size(); ++to) {
    if (to != gpu && sums[to].is_reached) pairs.push_back({gpu, to, sums[to].width});
  }
}

std::vector<SwitchedLinks::Pair> SwitchedLinks::pairs() const {
  std::vector<Pair> pairs;
  for (const auto& [gpu, ends] : switches_of_) add_pairs_from(gpu, ends, pairs);
  return pairs;
}

}  // namespace skua
