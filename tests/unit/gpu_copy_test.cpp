// Links that lose data or hang, over a HIP runtime without GPUs.
#include <gtest/gtest.h>

#include <gpu/measure.hpp>

#include <gpu/copy.hpp>
#include "support/hip_stub.hpp"

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

}  // namespace
}  // namespace skua
