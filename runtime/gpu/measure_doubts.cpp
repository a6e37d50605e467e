// Brings measured links into the form in which the graph looks at them.
#include "measure_doubts.hpp"

#include <graph/doubtful_speeds.hpp>

namespace skua {

void note_doubtful(std::vector<MeasuredLink>& links, const Topology& topology) {
  const std::size_t count = topology.gpus.size();
  MeasuredSpeeds speeds(count);
  std::vector<std::optional<double>> from_host(count);
  for (const MeasuredLink& link : links) {
    if (!link.to || link.to->index >= count) continue;
    if (!link.from) from_host[link.to->index] = link.bandwidth_gb_per_s;
    if (!link.from || link.from->index >= count) continue;
    const Link* const known = topology.link(*link.from, *link.to);
    speeds.at(link.from->index, link.to->index) = {link.bandwidth_gb_per_s,
                                                   known == nullptr ? LinkKind::unknown : known->kind};
  }
  speeds.host_rows.push_back(std::move(from_host));
  for (const Doubt& doubt : doubtful_speeds(speeds)) {
    for (MeasuredLink& link : links) {
      if (link.from != doubt.from || !link.to || (doubt.to && link.to != doubt.to)) continue;
      link.note += (link.note.empty() ? "doubtful: " : "; doubtful: ") + doubt.why;
    }
  }
}

}  // namespace skua
