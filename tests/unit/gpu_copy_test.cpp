// Links that lose data or hang, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include <gpu/measure.hpp>

#include <gpu/copy.hpp>
#include "support/hip_stub_kernels.hpp"

namespace skua {
namespace {

class GpuCopy : public testing::Test {
 protected:
  hip_stub::State& stub = hip_stub::reset();
  CopyBuffer on(int ordinal) const { return make_copy_buffer(ordinal, 1 << 16); }
};

TEST_F(GpuCopy, IsTrustedWhenThePatternArrives) {
  EXPECT_EQ(check_copy(on(2), on(1)), std::nullopt);
}

TEST_F(GpuCopy, IsNotTrustedWhenALinkDropsBytesAndSaysWhere) {
  stub.lossy = {{1, 2}};
  const auto wrong = check_copy(on(1), on(2));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_NE(wrong->find("byte 4096"), std::string::npos) << *wrong;
  EXPECT_EQ(check_copy(on(2), on(1)), std::nullopt) << "the other direction is a link of its own";
}

TEST_F(GpuCopy, IsGivenUpWhenALinkHangs) {
  stub.hanging = {{0, 3}};
  const auto wrong = check_copy(on(0), on(3));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_NE(wrong->find("did not end"), std::string::npos) << *wrong;
}

TEST_F(GpuCopy, IsMeasuredForEveryPairAndTheHost) {
  stub.devices = 3;
  stub.lossy = {{1, 2}};
  Topology topology;
  for (const char* address : {"0000:c3:00.0", "0000:c1:00.0", "0000:c2:00.0"}) {
    topology.gpus.emplace_back().pci = PciAddress::from_text(address);
  }
  const auto links = measure_links(topology);
  EXPECT_EQ(links.size(), 3u * 2 + 3 * 2);
  int failed = 0;
  for (const MeasuredLink& link : links) {
    if (link.note.find("failed the check") == std::string::npos) continue;
    ++failed;
    // The runtime's 1 and 2 are the graph's 2 and 0.
    EXPECT_EQ(link.from, GpuId{2});
    EXPECT_EQ(link.to, GpuId{0});
    EXPECT_EQ(link.bandwidth_gb_per_s, std::nullopt);
  }
  EXPECT_EQ(failed, 1);
}

TEST_F(GpuCopy, ByAKernelIsCheckedAsOneByTheRuntimeIs) {
  EXPECT_EQ(check_copy(on(2), on(1), CopyWay::kernel), std::nullopt);
  stub.lossy = {{1, 2}};
  EXPECT_NE(check_copy(on(1), on(2), CopyWay::kernel).value().find("byte 4096"), std::string::npos);
  hip_stub::kernels().launch = hipErrorNoBinaryForGpu;
  EXPECT_THROW(check_copy(on(2), on(1), CopyWay::kernel), NoGpuCode);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

/// GPU `number` of a graph that has as many as the runtime, joined by their addresses.
Topology topology_of(int gpus) {
  Topology topology;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    topology.gpus.emplace_back().pci = PciAddress{0, static_cast<std::uint8_t>(0xc1 + gpu), 0, 0};
  }
  return topology;
}

const MeasuredLink& link_of(const std::vector<MeasuredLink>& links, std::optional<GpuId> from,
                            std::optional<GpuId> to) {
  return *std::find_if(links.begin(), links.end(),
                       [&](const MeasuredLink& link) { return link.from == from && link.to == to; });
}

TEST_F(GpuCopy, IsTimedAsAKernelOfTheGpuThatIsGivenTheDataOrElseOfTheOther) {
  stub.devices = 3;
  // 0 cannot read what 1 has, but 1 can write there; neither of 1 and 2 reaches the other.
  stub.unreachable = {{0, 1}, {1, 2}, {2, 1}};
  const auto links = measure_links(topology_of(3));
  using hip_stub::KernelCopy;
  const std::vector<KernelCopy>& copies = hip_stub::kernels().copies;
  const auto has = [&](const KernelCopy& copy) { return std::count(copies.begin(), copies.end(), copy) > 0; };
  EXPECT_TRUE(has({0, std::nullopt, 0}));
  EXPECT_TRUE(has({0, 0, std::nullopt}));
  EXPECT_TRUE(has({2, 0, 2}));
  EXPECT_FALSE(has({0, 0, 2})) << "it is read where it can be";
  EXPECT_TRUE(has({1, 0, 1})) << "it is read where it can be";
  EXPECT_TRUE(has({1, 1, 0}));
  EXPECT_FALSE(has({0, 1, 0}));
  for (const MeasuredLink& link : links) {
    const bool is_apart = link.from && link.to && link.from->index + link.to->index == 3;
    EXPECT_EQ(link.by_engine, is_apart);
    EXPECT_EQ(link.note, is_apart ? "by DMA engine" : "");
  }
}

TEST_F(GpuCopy, IsTimedAsTheRuntimesWhereSkuaHasNoCode) {
  stub.devices = 2;
  hip_stub::kernels().launch = hipErrorNoBinaryForGpu;
  for (const MeasuredLink& link : measure_links(topology_of(2))) {
    EXPECT_TRUE(link.by_engine);
    EXPECT_EQ(link.note, "by DMA engine");
  }
}

TEST_F(GpuCopy, IsHeldAgainstTheDeclaredRateAndAnEnginesAgainstThatOfOneLink) {
  static constexpr double beyond_all_gb_per_s = 1e6;
  stub.devices = 2;
  const auto note = [](std::uint32_t count) {
    Topology topology = topology_of(2);
    Link link;
    link.from = GpuId{0};
    link.to = GpuId{1};
    link.count = count;
    link.bandwidth_gb_per_s = beyond_all_gb_per_s;
    topology.links.push_back(link);
    return link_of(measure_links(topology), GpuId{0}, GpuId{1}).note;
  };
  constexpr std::uint32_t slow_ones = 1'000'000'000;
  EXPECT_EQ(note(slow_ones), "under 70 % of the declared rate") << "a kernel drives all links";
  stub.unreachable = {{0, 1}, {1, 0}};
  EXPECT_EQ(note(slow_ones), "by DMA engine") << "an engine is as fast as one of so many";
  EXPECT_EQ(note(4), "by DMA engine; under 70 % of one link's declared rate");
}

}  // namespace
}  // namespace skua
