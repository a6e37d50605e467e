// What errors of a GPU runtime say.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gpu/backend.hpp>
#include <gpu/call.hpp>
#include <skua/input.hpp>

#include "support/hip_stub.hpp"

namespace skua {
namespace {

TEST(GpuNames, AreThoseThatHipsFunctionsHaveInCuda) {
  std::ifstream file(SKUA_SOURCE_DIR "/runtime/include/skua/detail/hip_names.hpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  static const std::regex function(R"(\b(hip[A-Z]\w*)\([^{}]*\{\s*return (cuda[A-Z]\w*)\()");
  unsigned found = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), function); at != std::sregex_iterator(); ++at) {
    EXPECT_EQ(cuda_name((*at)[1]), (*at)[2]);
    ++found;
  }
  EXPECT_GT(found, 20u);
  EXPECT_EQ(cuda_name("launch"), "launch");
}

TEST(GpuNames, OfCallsStandInErrors) {
  EXPECT_NE(describe("hipEventRecord", hipErrorInvalidHandle).find("hipEventRecord: "), std::string::npos);
}

TEST(Gpus, SayThatThereIsNoDriver) {
  hip_stub::reset().count = hipErrorInsufficientDriver;
  const SteadyClock clock;
  try {
    open_gpus("", Topology{}, clock);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no driver"), std::string::npos) << error.what();
  }
  hip_stub::reset();
}

}  // namespace
}  // namespace skua
