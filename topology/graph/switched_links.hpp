// GPUs that reach each other over switches.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// Links crossed between two GPUs that links join, directly or by way of a switch: to software the switch is not there.
inline constexpr std::uint32_t hops_of_joined_pair = 1;

/// Two GPUs at the same switches are directly joined, as widely as the narrower of them is with these.
class SwitchedLinks {
 public:
  struct Pair {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::optional<std::uint32_t> width;
  };

  /// `width` of what joins the GPU with the switch, in links or in MB/s; nothing: not known.
  /// Returns false when this was said before, or when the GPU is at more switches than any GPU has links.
  bool add(std::uint32_t gpu, const std::string& switch_name, std::optional<std::uint32_t> width);

  /// Every ordered pair that shares a switch.
  std::vector<Pair> pairs() const;

 private:
  struct End {
    std::uint32_t other = 0;  ///< the switch, or the GPU at it
    std::optional<std::uint32_t> width;
  };
  void add_pairs_from(std::uint32_t gpu, const std::vector<End>& ends, std::vector<Pair>& pairs) const;

  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::vector<End>> gpus_of_;                  ///< by switch
  std::map<std::uint32_t, std::vector<End>> switches_of_;  ///< by GPU
};

}  // namespace skua
