// Reads hexadecimal masks.
#include "cpu_mask.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <text/numbers.hpp>

namespace skua {
namespace {

constexpr std::size_t word_bits = 32;
constexpr std::size_t words_max = 65'536 / word_bits;

std::optional<std::uint32_t> word_from(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return text.empty() ? 0 : number_from<std::uint32_t>(text, 16);
}

}  // namespace

std::optional<CpuSet> cpus_from_mask(std::string_view mask) {
  const auto word_count = static_cast<std::size_t>(std::count(mask.begin(), mask.end(), ',')) + 1;
  if (mask.empty() || word_count > words_max) return std::nullopt;
  std::vector<unsigned> cpus;
  for (std::size_t word_place = word_count; word_place-- > 0;) {
    const auto comma = std::min(mask.find(','), mask.size());
    const auto word = word_from(mask.substr(0, comma));
    mask.remove_prefix(std::min(comma + 1, mask.size()));
    if (!word) return std::nullopt;
    for (std::size_t bit = 0; bit < word_bits; ++bit) {
      if ((*word >> bit & 1) != 0) cpus.push_back(static_cast<unsigned>(word_place * word_bits + bit));
    }
  }
  return CpuSet(std::move(cpus));
}

}  // namespace skua
