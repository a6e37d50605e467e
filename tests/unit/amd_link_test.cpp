// Ranks of links by weights that are in no list.
#include <graph/amd_link.hpp>

#include <gtest/gtest.h>

namespace skua {
namespace {

using Ranks = std::vector<std::optional<std::uint32_t>>;
using Weights = std::vector<std::optional<std::uint64_t>>;

Link link(std::uint32_t from, std::uint32_t to, LinkKind kind) {
  Link result;
  result.from = GpuId{from};
  result.to = GpuId{to};
  result.kind = kind;
  return result;
}

Ranks ranks(std::vector<Link> links, const Weights& weights) {
  rank_by_weights(links, weights);
  Ranks result;
  for (const Link& ranked : links) result.push_back(ranked.rank);
  return result;
}

TEST(RankByWeights, OrdersTheLinksOfOneKindFromOneGpu) {
  const std::vector<Link> links = {link(0, 1, LinkKind::xgmi), link(0, 2, LinkKind::xgmi), link(0, 3, LinkKind::xgmi),
                                   link(0, 4, LinkKind::pcie), link(0, 5, LinkKind::pcie), link(1, 0, LinkKind::xgmi),
                                   link(1, 2, LinkKind::xgmi)};
  EXPECT_EQ(ranks(links, {34, 17, 34, 72, 52, 17, 34}), (Ranks{1, 0, 1, 1, 0, 0, 1}));
}

TEST(RankByWeights, LeavesWhatHopsTellAndWhatNothingTells) {
  const std::vector<Link> xgmi = {link(0, 1, LinkKind::xgmi), link(0, 2, LinkKind::xgmi)};
  EXPECT_EQ(ranks(xgmi, {15, 30}), (Ranks{std::nullopt, std::nullopt}));
  EXPECT_EQ(ranks(xgmi, {17, 17}), (Ranks{std::nullopt, std::nullopt}));
  EXPECT_EQ(ranks(xgmi, {17, std::nullopt}), (Ranks{std::nullopt, std::nullopt}));
  EXPECT_EQ(ranks({link(0, 1, LinkKind::package), link(0, 2, LinkKind::package)}, {13, 14}),
            (Ranks{std::nullopt, std::nullopt}));
}

}  // namespace
}  // namespace skua
