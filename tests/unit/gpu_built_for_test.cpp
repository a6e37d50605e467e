// Launches that find no code for their GPU, over a HIP runtime without GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <gpu/backend.hpp>
#include <gpu/built_for.hpp>
#include <skua/detail/gpu_code.hpp>
#include <skua/scheduler.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Leaves an error of a launch as the runtime does: as the last one, and with nothing on the stream.
void fail_to_launch(const Chunk& chunk, hipError_t error) {
  static std::mutex one_at_a_time;
  const std::lock_guard hold(one_at_a_time);
  hip_stub::state().record = error;
  EXPECT_EQ(hipEventRecord(nullptr, static_cast<hipStream_t>(chunk.stream)), error);
  hip_stub::state().record = hipSuccess;
}

/// A kernel of skua's own kind, from a source that was compiled for some GPUs.
class KernelFor final : public Kernel, public GpuCode {
 public:
  KernelFor(std::string built_for, hipError_t error) : built_for_(std::move(built_for)), error_(error) {}
  void run_on_host(const Chunk&) const override {}
  const Code* code(std::string_view name) const noexcept override { return name == GpuCode::backend ? this : nullptr; }
  std::string_view built_for() const noexcept override { return built_for_; }
  void start(const Chunk& chunk, const GpuPart&) const override { fail_to_launch(chunk, error_); }

 private:
  std::string built_for_;
  hipError_t error_;
};

class GpuBuiltFor : public testing::Test {
 protected:
  GpuBuiltFor() { stub.arch = "gfx942:sramecc+:xnack-"; }

  /// What a Job whose every device fails says.
  template <class Run>
  std::string error_of(const Run& run) {
    try {
      Scheduler scheduler(open_gpus("0,1", Topology{}, clock));
      run(scheduler);
    } catch (const DeviceError& error) {
      EXPECT_TRUE(error.report().devices.at(0).failed);
      EXPECT_THAT(error.what(), HasSubstr(error.report().devices.at(0).failure));
      return error.what();
    }
    ADD_FAILURE() << "it ran";
    return "";
  }
  std::string error_of(const std::string& built_for, hipError_t error) {
    return error_of([&](Scheduler& scheduler) { scheduler.run(100, std::make_shared<KernelFor>(built_for, error)); });
  }

  hip_stub::State& stub = hip_stub::reset();
  const SteadyClock clock;
};

TEST_F(GpuBuiltFor, NamesWhatTheKernelWasBuiltForAndTheGpuByEachErrorThatHipHasForIt) {
  for (const hipError_t error :
       {hipErrorNoBinaryForGpu, hipErrorInvalidDeviceFunction, hipErrorSharedObjectInitFailed}) {
    EXPECT_THAT(error_of("gfx906 gfx90a", error),
                HasSubstr("built for gfx906 gfx90a; this GPU is gfx942: compile the kernel's source for it "
                          "(CMAKE_HIP_ARCHITECTURES)"));
  }
}

TEST_F(GpuBuiltFor, NamesTheGpusFeaturesWhereOnlyThoseDiffer) {
  EXPECT_THAT(error_of("gfx942:xnack+", hipErrorNoBinaryForGpu),
              HasSubstr("built for gfx942:xnack+; this GPU is gfx942:sramecc+:xnack-: "));
}

TEST_F(GpuBuiltFor, SaysNothingOfTheBuildWhereThatDidNotTell) {
  const auto tells_only_the_gpu = AllOf(HasSubstr("this GPU is gfx942: "), Not(HasSubstr("built for")));
  EXPECT_THAT(error_of("", hipErrorNoBinaryForGpu), tells_only_the_gpu);
  EXPECT_THAT(error_of([](Scheduler& scheduler) {
                scheduler.launch(100, [](const Chunk& chunk) { fail_to_launch(chunk, hipErrorNoBinaryForGpu); });
              }),
              tells_only_the_gpu);
}

TEST_F(GpuBuiltFor, SaysNothingOfTheBuildWhenALaunchFailsOtherwise) {
  EXPECT_THAT(error_of("gfx90a", hipErrorInvalidValue), AllOf(HasSubstr("launch: "), Not(HasSubstr("gfx"))));
}

TEST_F(GpuBuiltFor, DoesNotGuessTheNameOfAGpuThatTheRuntimeDoesNotTell) {
  stub.arch = "";
  EXPECT_THAT(error_of("gfx90a", hipErrorNoBinaryForGpu), HasSubstr("this GPU is an unknown one: "));
}

}  // namespace
}  // namespace skua
