// The kernels of skua's own library on real GPUs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gpu/copy.hpp>
#include <gpu/memory.hpp>
#include <gpu/own_kernels.hpp>

namespace skua {
namespace {

class OwnKernelsOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (hipGetDeviceCount(&count) != hipSuccess || count == 0) GTEST_SKIP() << "there is no GPU";
    use_gpu(0);
    require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  }
  void TearDown() override {
    if (stream != nullptr) static_cast<void>(hipStreamDestroy(stream));
  }
  void wait() const {
    hipError_t state = hipErrorNotReady;
    while ((state = hipStreamQuery(stream)) == hipErrorNotReady) {
    }
    require("hipStreamQuery", state);
  }

  hipStream_t stream = nullptr;
};

TEST_F(OwnKernelsOnGpu, AllWriteTheirOwnWordsInTheCheck) {
  constexpr std::uint32_t workgroups = 777;
  constexpr std::uint32_t seed = 0x12345678;
  constexpr std::size_t count = std::size_t{workgroups} * check_threads;
  const auto words = allocate_gpu_memory(count * sizeof(std::uint32_t), 0);
  const auto begun = allocate_shared_memory(workgroups * sizeof(std::uint32_t), 0);
  const auto seen = allocate_shared_memory(count * sizeof(std::uint32_t), 0);
  std::memset(begun.get(), 0, workgroups * sizeof(std::uint32_t));
  require("launch", start_check(static_cast<std::uint32_t*>(words.get()), static_cast<std::uint32_t*>(begun.get()),
                                workgroups, seed, stream));
  require("hipMemcpyAsync",
          hipMemcpyAsync(seen.get(), words.get(), count * sizeof(std::uint32_t), hipMemcpyDefault, stream));
  wait();
  for (std::uint32_t i = 0; i < workgroups; ++i) {
    ASSERT_EQ(static_cast<const std::uint32_t*>(begun.get())[i], check_word(seed, i));
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_EQ(static_cast<const std::uint32_t*>(seen.get())[i], check_word(seed, i));
  }
}

TEST_F(OwnKernelsOnGpu, CopyAnyNumberOfBytesAndNoneBeside) {
  constexpr std::size_t bytes_max = std::size_t{3} << 20;
  const auto from = allocate_shared_memory(bytes_max, 0);
  const auto to = allocate_shared_memory(bytes_max, 0);
  auto* const sent = static_cast<unsigned char*>(from.get());
  auto* const arrived = static_cast<unsigned char*>(to.get());
  for (std::size_t i = 0; i < bytes_max; ++i) sent[i] = static_cast<unsigned char>(i * 131 + (i >> 8) * 7 + 1);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{4099}, bytes_max - 1}) {
    std::memset(arrived, 0, bytes_max);
    require("launch", start_copy(arrived, sent, bytes, 7, stream));
    wait();
    ASSERT_EQ(std::memcmp(arrived, sent, bytes), 0) << bytes;
    ASSERT_EQ(arrived[bytes], 0) << bytes;
  }
}

TEST_F(OwnKernelsOnGpu, CarryLinksToTheHostAndBack) {
  const CopyBuffer host = make_copy_buffer(std::nullopt, std::size_t{1} << 22);
  const CopyBuffer gpu = make_copy_buffer(0, std::size_t{1} << 22);
  EXPECT_EQ(copying_gpu(host, gpu), 0);
  EXPECT_EQ(copying_gpu(gpu, host), 0);
  EXPECT_EQ(check_copy(host, gpu, CopyWay::kernel), std::nullopt);
  EXPECT_EQ(check_copy(gpu, host, CopyWay::kernel), std::nullopt);
  EXPECT_GT(copy_seconds(host, gpu, std::size_t{1} << 22, 2, CopyWay::kernel), 0);
}

}  // namespace
}  // namespace skua
