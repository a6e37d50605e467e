// The one list of a chunk's values.
#include "chunk_event.hpp"

#include <array>
#include <type_traits>

namespace skua {
namespace {

/// Calls visit(name, field) for each value.
template <class Values, class Visit>
void for_each_value(Values& values, Visit visit) {
  visit("items", values.items);
  visit("first_item", values.first_item);
  visit("items_per_second", values.items_per_second);
  visit("filling_items", values.filling_items);
  visit("hiding_items", values.hiding_items);
  visit("items_left", values.items_left);
  visit("weight", values.weight);
}

}  // namespace

bool ChunkValues::set(std::string_view name, double value) noexcept {
  bool found = false;
  for_each_value(*this, [&](const char* known, auto& field) {
    if (name != known) return;
    field = static_cast<std::remove_reference_t<decltype(field)>>(value);
    found = true;
  });
  return found;
}

TraceEvent chunk_event(const char* name, std::uint32_t device, std::int64_t begin_ns, std::int64_t end_ns,
                       const ChunkValues& values) {
  TraceEvent event{name, device, begin_ns, end_ns, {}};
  for_each_value(values, [&](const char* known, const auto& field) {
    event.values.emplace_back(known, static_cast<double>(field));
  });
  return event;
}

}  // namespace skua
