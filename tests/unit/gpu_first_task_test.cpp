// What a GPU has to show before it is used, over a HIP runtime without GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <gpu/backend.hpp>
#include <skua/input.hpp>

#include "support/hip_stub_kernels.hpp"

namespace skua {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FirstTaskOfAGpu : public testing::Test {
 protected:
  static Devices open(const std::string& argument = "") {
    static const SteadyClock clock;
    return open_gpus(argument, Topology{}, clock);
  }
  static std::string complaint_about(const std::string& argument) {
    try {
      open(argument);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  hip_stub::State& stub = hip_stub::reset();
  hip_stub::Kernels& kernels = hip_stub::kernels();
};

TEST_F(FirstTaskOfAGpu, ShowsADieThatRunsNothing) {
  kernels.skips = [](int device, std::uint32_t workgroup) { return device == 1 && workgroup % 8 == 3; };
  const Devices devices = open();
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_THAT(devices[0]->info().notes,
              Contains(AllOf(HasSubstr("gpu:1 is left out"), HasSubstr("did not finish a small task in 2 s"),
                             HasSubstr("16 of its 128 workgroups never ran"))));
}

TEST_F(FirstTaskOfAGpu, IsLookedAtWholeAlsoWhereItEnds) {
  kernels.ends_without_skipped = true;
  for (const std::uint32_t last : {0u, 77u, 127u}) {
    kernels.skips = [=](int, std::uint32_t workgroup) { return workgroup == last; };
    EXPECT_THAT(complaint_about("2"), AllOf(HasSubstr("gpu:2 is left out"), HasSubstr("it did a small task wrongly"),
                                            HasSubstr("1 of its 128 workgroups never ran")));
  }
  EXPECT_EQ(stub.streams_alive, 0);
}

TEST_F(FirstTaskOfAGpu, NamesThePartThatDoesNotFinishIt) {
  kernels.skips = [](int, std::uint32_t workgroup) { return workgroup % 8 != 0; };
  EXPECT_THAT(complaint_about("0/2"), AllOf(HasSubstr("gpu:0 is left out: gpu:0.0 did not finish a small task in 2 s"),
                                            HasSubstr("112 of its 128 workgroups never ran")));
}

TEST_F(FirstTaskOfAGpu, HasAWorkgroupForEachComputeUnitAndSeveralForEachDie) {
  std::uint32_t highest = 0;
  kernels.skips = [&](int, std::uint32_t workgroup) {
    highest = std::max(highest, workgroup);
    return false;
  };
  stub.compute_units = 304;
  open("0");
  EXPECT_EQ(highest, 303u);
  highest = 0;
  open("0/16+288");
  EXPECT_EQ(highest, 287u);
  highest = 0;
  stub.compute_units = 16;
  open("0");
  EXPECT_GE(highest, 127u);
}

TEST_F(FirstTaskOfAGpu, IsToFillMemoryWhereSkuaHasNoCodeForTheGpu) {
  stub.arch = "gfx1201:sramecc-";
  for (const hipError_t missing : {hipErrorNoBinaryForGpu, hipErrorInvalidDeviceFunction}) {
    kernels.launch = missing;
    const Devices devices = open("1");
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_THAT(devices[0]->info().notes,
                Contains(AllOf(HasSubstr("gpu:1: whether all of it runs could not be checked"),
                               HasSubstr("skua's library has no code for it (this GPU is gfx1201"))));
    EXPECT_EQ(hipGetLastError(), hipSuccess);
  }
  stub.dead = {1};
  EXPECT_THAT(complaint_about("1"), HasSubstr("did not finish a small task in 2 s"));
}

TEST_F(FirstTaskOfAGpu, IsNotTriedWhereSkuaWasNotBuiltForTheGpu) {
  bool was_tried = false;
  kernels.skips = [&](int, std::uint32_t) {
    was_tried = true;
    return false;
  };
  kernels.built_for = "gfx90 gfx906:xnack- gfx90a:xnack+";
  for (const char* arch : {"gfx90a:sramecc+:xnack+", "gfx906"}) {
    was_tried = false;
    stub.arch = arch;
    EXPECT_THAT(open("0")[0]->info().notes, IsEmpty());
    EXPECT_TRUE(was_tried) << arch;
  }
  was_tried = false;
  stub.arch = "gfx908:sramecc+:xnack-";
  EXPECT_THAT(open("0")[0]->info().notes,
              Contains(HasSubstr("built for gfx90 gfx906:xnack- gfx90a:xnack+; this GPU is gfx908")));
  EXPECT_FALSE(was_tried);
  kernels.built_for = "gfx9-generic";
  EXPECT_THAT(open("0")[0]->info().notes, IsEmpty());
  EXPECT_TRUE(was_tried);
}

TEST_F(FirstTaskOfAGpu, FailsByAnyOtherErrorOfTheLaunch) {
  kernels.launch = hipErrorLaunchFailure;
  EXPECT_THAT(complaint_about("1"), HasSubstr("gpu:1 is left out: launch"));
}

TEST_F(FirstTaskOfAGpu, LeavesNoNoteWhereAllIsWell) {
  const Devices devices = open();
  ASSERT_EQ(devices.size(), 4u);
  for (const auto& device : devices) EXPECT_THAT(device->info().notes, IsEmpty());
}

}  // namespace
}  // namespace skua
