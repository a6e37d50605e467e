// Sorts stated links and says what is odd about them.
#include "stated_links.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <graph/names.hpp>

namespace skua {
namespace {

auto pair_of(const Link& link) {
  return std::tie(link.from, link.to);
}

std::string name_of_pair(const Topology& topology, const Link& link) {
  return fmt::format("{} to {}", describe(topology, link.from), describe(topology, link.to));
}

}  // namespace

void StatedLinks::add(const Link& link, std::size_t line) {
  statements_.push_back({link, line});
}

const StatedLinks::Statement* StatedLinks::find(GpuId from, GpuId to) const {
  const auto found =
      std::lower_bound(statements_.begin(), statements_.end(), std::tie(from, to),
                       [](const Statement& statement, const auto& pair) { return pair_of(statement.link) < pair; });
  const bool is_there = found != statements_.end() && pair_of(found->link) == std::tie(from, to);
  return is_there ? &*found : nullptr;
}

void StatedLinks::drop_repeats(const Topology& topology, TextNotes& notes) {
  std::stable_sort(statements_.begin(), statements_.end(),
                   [](const Statement& a, const Statement& b) { return pair_of(a.link) < pair_of(b.link); });
  std::vector<Statement> once;
  once.reserve(statements_.size());
  for (const Statement& statement : statements_) {
    if (!once.empty() && pair_of(once.back().link) == pair_of(statement.link)) {
      notes.add(statement.line, "a link is there twice; the first counts", name_of_pair(topology, statement.link));
    } else {
      once.push_back(statement);
    }
  }
  statements_ = std::move(once);
}

std::vector<Link> StatedLinks::take(const Topology& topology, TextNotes& notes) {
  drop_repeats(topology, notes);
  std::vector<Link> links;
  links.reserve(statements_.size());
  for (const auto& [link, line] : statements_) {
    links.push_back(link);
    if (link.kind == LinkKind::pcie) continue;
    const Statement* back = find(link.to, link.from);
    if (back == nullptr) {
      notes.add(line, "a link is there in one direction only", name_of_pair(topology, link));
    } else if (link.from < link.to &&
               std::tie(link.kind, link.count, link.hops, link.bandwidth_gb_per_s) !=
                   std::tie(back->link.kind, back->link.count, back->link.hops, back->link.bandwidth_gb_per_s)) {
      notes.add(line, "a link differs from the one back",
                fmt::format("{}, and line {}", name_of_pair(topology, link), back->line));
    }
  }
  statements_.clear();
  return links;
}

}  // namespace skua
