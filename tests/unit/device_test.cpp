// What every device of the host can do besides running chunks.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "support/devices.hpp"

namespace skua {
namespace {

TEST(HostDevice, EndsACopyInPoll) {
  Devices devices = test::host_devices(1);
  std::vector<char> from(1000, 'x');
  std::vector<char> to(1000, ' ');
  ASSERT_FALSE(devices[0]->copy({to.data(), from.data(), from.size()}, 17));
  const auto ended = devices[0]->poll();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->launch, 17u);
  EXPECT_FALSE(ended->failure);
  EXPECT_EQ(to, from);
  EXPECT_FALSE(devices[0]->poll());
}

// Sanitizers' allocators end the process where there is no memory.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HostDevice, RefusesMemoryThatThereIsNotAndNamesItself) {
  Devices devices = test::host_devices(1);
  try {
    devices[0]->allocate(std::size_t{1} << 62);
    FAIL();
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("host:0"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(std::size_t{1} << 62)), std::string::npos);
  }
}
#endif

TEST(HostDevice, GivesEachShareItsOwnCacheLine) {
  Devices devices = test::host_devices(1);
  const auto a = devices[0]->share_word();
  const auto b = devices[0]->share_word();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.get()) % 64, 0u);
  EXPECT_NE(a, b);
}

TEST(HostDevice, SaysExactlyWhichGranulesOfADroppedChunkItRan) {
  class Counting final : public Kernel {
   public:
    void run_on_host(const Chunk& chunk) const override {
      runs[chunk.begin / chunk.granule] += 1;
      if (chunk.begin / chunk.granule == 3) word = 9;
    }
    mutable std::vector<int> runs = std::vector<int>(10);
    mutable std::atomic<std::uint64_t> word{0};
  };
  Devices devices = test::host_devices(1);
  Counting kernel;
  Chunk chunk;
  chunk.end = 95;
  chunk.granule = 10;
  chunk.drop = {&kernel.word, 9};
  ASSERT_FALSE(devices[0]->launch(kernel, chunk, 1));
  const auto ended = devices[0]->poll();
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->whole);
  ASSERT_EQ(ended->done_before_drop.size(), 1u);
  EXPECT_EQ(ended->done_before_drop[0].first, 0u);
  EXPECT_EQ(ended->done_before_drop[0].last, 4u);
  EXPECT_EQ(kernel.runs, (std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(HostDevice, RefusesASecondChunkWhileItHoldsOne) {
  class Nothing final : public Kernel {
    void run_on_host(const Chunk&) const override {}
  };
  Devices devices = test::host_devices(1);
  const Nothing kernel;
  Chunk chunk;
  chunk.end = 1;
  EXPECT_FALSE(devices[0]->launch(kernel, chunk, 1));
  EXPECT_TRUE(devices[0]->launch(kernel, chunk, 2));
}

}  // namespace
}  // namespace skua
