// Which reader reads what.
#include <read/described.hpp>

#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

Topology read(const std::string& text) {
  return read_described(text, "node");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string skua_json = R"({"schema":"skua.topology/1","gpus":[{"id":0},{"id":1}],"links":[]})";
const std::string machine_json = R"({"gfx":"gfx908","gpus":[{"index":0,"bdf":"0000:01:00.0"},{"index":1}]})";
const std::string nvidia_smi = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV4\t0-7\nGPU1\tNV4\t X \t0-7\n";
const std::string amd_smi =
    "LINK TYPE TABLE:\n             0000:01:00.0 0000:02:00.0\n0000:01:00.0 SELF XGMI\n0000:02:00.0 XGMI SELF\n";
const std::string rocm_smi =
    "======= ROCm System Management Interface =======\n======= Weight between two GPUs =======\n"
    "       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n"
    "======= Link Type between two GPUs =======\n       GPU0         GPU1\nGPU0   0            XGMI\n"
    "GPU1   XGMI         0\n======= End of ROCm SMI Log =======\n";
const std::string bandwidth_test =
    "RocmBandwidthTest Version: 2.6.0\n\nDevice: 0,  CPU\nDevice: 1,  A,  id,  01:0.0\nDevice: 2,  B,  id,  02:0.0\n\n"
    "Inter-Device Numa Distance\n\n  D/D  0  1  2\n\n  0  0  20  20\n\n  1  20  0  15\n\n  2  20  15  0\n";

TEST(Described, TheContentTellsTheFormat) {
  for (const std::string* text : {&skua_json, &machine_json, &nvidia_smi, &amd_smi, &rocm_smi, &bandwidth_test}) {
    SCOPED_TRACE(*text);
    const auto topology = read(*text);
    EXPECT_THAT(topology.gpus, SizeIs(2));
    EXPECT_THAT(topology.links, SizeIs(2));
  }
}

TEST(Described, BlanksAndAByteOrderMarkMayComeFirst) {
  for (const std::string* text : {&skua_json, &machine_json}) {
    EXPECT_THAT(read(" \r\n\t" + *text).gpus, SizeIs(2));
    EXPECT_THAT(read("\xef\xbb\xbf" + *text).gpus, SizeIs(2));
  }
}

TEST(Described, WhatIsNoneOfThemIsOneErrorThatSaysWhichThereAre) {
  const std::string cases[] = {"",        " \n\t\n",        std::string("\x7f\x45\x4c\x46\0\0", 6),
                               "hello\n", "a,b,c\n1,2,3\n", std::string(1000, '\0')};
  for (const std::string& text : cases) {
    SCOPED_TRACE(text);
    EXPECT_THAT(error_of(text), AllOf(StartsWith("node: "), HasSubstr("what can be read: skua JSON"),
                                      HasSubstr("nvidia-smi topo -m"), ::testing::Not(HasSubstr("\n"))));
  }
}

TEST(Described, ErrorsOfTheReadersNameTheLine) {
  EXPECT_THAT(error_of("{\n\"gpus\":"), StartsWith("node:2: not JSON"));
  EXPECT_THAT(error_of("[]"), StartsWith("node:1: not a JSON object"));
}

TEST(Described, AHundredMegabytesAreReadOrRefusedQuickly) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t size = 10'000'000;  // under the sanitizer all takes ten times as long
#else
  constexpr std::size_t size = 100'000'000;
#endif
  const auto filled = [](const std::string& begin, const std::string& piece) {
    std::string text = begin;
    text.reserve(size + piece.size());
    while (text.size() < size) text += piece;
    return text;
  };
  const std::pair<std::string, std::string> pieces[] = {
      {"", "x"}, {"", "\n"}, {"", std::string(1, '\0')}, {"<", "a "}, {"{", "\"gpus\":"}};
  for (const auto& [begin, piece] : pieces) {
    SCOPED_TRACE(begin + piece);
    const std::string text = filled(begin, piece);
    // The processor's time: that of a clock says more of what else runs here.
    const std::clock_t start = std::clock();
    try {
      EXPECT_LE(read(text).gpus.size(), 2048u);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), StartsWith("node"));
    }
    EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 10);
  }
}

#if SKUA_HAS_LIBXML2
const std::string nccl_xml = "<system><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\"><gpu/></pci><gpu/></cpu></system>";
const std::string hwloc_xml =
    "<topology><object type=\"Machine\"><object type=\"OSDev\" name=\"nvml0\"/>"
    "<object type=\"OSDev\" name=\"nvml1\"/></object></topology>";

TEST(DescribedXml, TheOutermostElementTellsTheFormat) {
  for (const std::string* text : {&nccl_xml, &hwloc_xml}) {
    const auto topology = read_described(*text, "node");
    EXPECT_THAT(topology.gpus, SizeIs(2));
    EXPECT_THAT(topology.links, SizeIs(2));
  }
  EXPECT_THAT(error_of("<html><body/></html>"),
              StartsWith("node: XML, but with <html> around it, which is no topology; what can be read: skua JSON"));
}

TEST(DescribedXml, BlanksAndAByteOrderMarkMayComeFirst) {
  for (const std::string* text : {&nccl_xml, &hwloc_xml}) {
    EXPECT_THAT(read_described(" \r\n\t" + *text, "node").gpus, SizeIs(2));
    EXPECT_THAT(read_described("\xef\xbb\xbf" + *text, "node").gpus, SizeIs(2));
    EXPECT_THAT(read_described("\n <?xml version=\"1.0\" encoding=\"UTF-8\"?>" + *text, "node").gpus, SizeIs(2));
  }
}

TEST(DescribedXml, ErrorsNameTheLineOfTheFile) {
  EXPECT_THAT(error_of("\n\n<system>\n</cpu>"), StartsWith("node:4: not XML"));
  EXPECT_THAT(error_of("\n\n<?xml version=\"1.0\"?>\n<system>\n</cpu>"), StartsWith("node:5: not XML"));
  EXPECT_THAT(error_of("\n<system/>"), StartsWith("node:2: there is no gpu in it"));
  EXPECT_THAT(error_of("<system>\n<cpu "), HasSubstr("not XML"));
}
#endif

}  // namespace
}  // namespace skua
