// Which reader reads which XML file.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

#include <read/described.hpp>

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

const std::string nccl_xml = "<system><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\"><gpu/></pci><gpu/></cpu></system>";
const std::string hwloc_xml =
    "<topology><object type=\"Machine\"><object type=\"OSDev\" name=\"nvml0\"/>"
    "<object type=\"OSDev\" name=\"nvml1\"/></object></topology>";
std::string error_of(const std::string& text) {
  try {
    read_described(text, "node");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

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

}  // namespace
}  // namespace skua
