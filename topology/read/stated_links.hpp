// The links that a described machine lists, before the graph completes them.
#pragma once

#include <cstddef>
#include <vector>

#include <skua/topology.hpp>

#include "pasted_text.hpp"

namespace skua {

class StatedLinks {
 public:
  /// `line`: where the file says so.
  void add(const Link& link, std::size_t line);

  /// All links, by pair. The first statement for a pair counts. Notes name pairs stated twice, and direct links that
  /// are stated in one direction only or differ in the other; both directions stay as they are stated.
  std::vector<Link> take(const Topology& topology, TextNotes& notes);

 private:
  struct Statement {
    Link link;
    std::size_t line;
  };
  const Statement* find(GpuId from, GpuId to) const;
  void drop_repeats(const Topology& topology, TextNotes& notes);

  std::vector<Statement> statements_;
};

}  // namespace skua
