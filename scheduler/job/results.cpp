// Puts together what originals and copies left.
#include "results.hpp"

#include <algorithm>

namespace skua {

void Results::add(Interval granules, Memory memory) {
  const Lock lock(mutex_);
  own_.push_back({granules, std::move(memory)});
}

const std::byte* Results::own(std::uint32_t granule) const {
  for (const Own& part : own_) {
    if (part.granules.front <= granule && granule < part.granules.back) {
      return part.memory.at((granule - part.granules.front) * bytes_each_);
    }
  }
  return nullptr;
}

void* Results::of(std::uint32_t granule) const {
  if (bytes_each_ == 0) return nullptr;
  const Lock lock(mutex_);
  return const_cast<std::byte*>(own(granule));
}

void Results::replace(Interval granules, const std::byte* first, Memory memory) {
  if (bytes_each_ == 0) return;
  const Lock lock(mutex_);
  copies_.push_back({granules, first});
  copies_memory_.push_back(std::move(memory));
}

Partials Results::partials(const std::vector<Interval>& done) const {
  Partials partials;
  partials.bytes_each = bytes_each_;
  if (bytes_each_ == 0) return partials;
  const Lock lock(mutex_);
  for (const Memory& memory : copies_memory_) partials.memory.push_back(memory.data);
  for (const Own& part : own_) partials.memory.push_back(part.memory.data);
  std::vector<Partials::Piece> copies = copies_;
  const auto by_front = [](const Partials::Piece& a, const Partials::Piece& b) {
    return a.granules.front < b.granules.front;
  };
  std::sort(copies.begin(), copies.end(), by_front);
  // The borders between parts of the own memory, which pieces do not cross.
  std::vector<std::uint32_t> borders;
  for (const Own& part : own_) borders.push_back(part.granules.back);
  std::sort(borders.begin(), borders.end());
  for (const Interval& granules : done) {
    std::uint32_t next = granules.front;
    const auto add_own = [&](std::uint32_t back) SKUA_REQUIRES(mutex_) {
      while (next < back) {
        const auto border = std::upper_bound(borders.begin(), borders.end(), next);
        const std::uint32_t end = border == borders.end() ? back : std::min(back, *border);
        partials.pieces.push_back({{next, end}, own(next)});
        next = end;
      }
    };
    auto copy = std::lower_bound(copies.begin(), copies.end(), Partials::Piece{{next, next}, nullptr}, by_front);
    for (; copy != copies.end() && copy->granules.front < granules.back; ++copy) {
      add_own(copy->granules.front);
      partials.pieces.push_back(*copy);
      next = copy->granules.back;
    }
    add_own(granules.back);
  }
  return partials;
}

}  // namespace skua
