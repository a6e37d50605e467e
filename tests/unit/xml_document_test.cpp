// XML as others write it, and as nobody should.
#include <xml/xml_document.hpp>

#include <ctime>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

XmlDocument read(const std::string& text) {
  return XmlDocument::read(text, "node.xml");
}

std::string error_of(const std::string& text) {
  ::testing::internal::CaptureStderr();
  std::string message;
  try {
    read(text);
  } catch (const InputError& error) {
    message = error.what();
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  return message;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t round = 0; round < count; ++round) result += text;
  return result;
}

TEST(XmlDocument, IsATreeOfElementsWithTheirLines) {
  const XmlDocument document =
      read("<?xml version=\"1.0\"?>\n<!-- a\n comment -->\n<a x=\"1\" y='&lt;&#65;'>\n<b/>1 <c>2</c> 3</a>");
  const XmlElement& root = document.root();
  EXPECT_EQ(root.name, "a");
  EXPECT_EQ(root.line, 4u);
  EXPECT_EQ(root.attribute("x"), "1");
  EXPECT_EQ(root.attribute("y"), "<A");
  EXPECT_EQ(root.attribute("z"), std::nullopt);
  ASSERT_THAT(root.children, SizeIs(2));
  EXPECT_EQ(root.children[0].name, "b");
  EXPECT_EQ(root.children[0].line, 5u);
  EXPECT_EQ(root.children[1].text, "2");
  EXPECT_EQ(root.text, "\n1  3");
}

TEST(XmlDocument, KeepsItsNamesWhenItMoves) {
  XmlDocument first = read("<a name_that_is_no_short_string=\"1\"/>");
  const XmlDocument second = std::move(first);
  EXPECT_EQ(second.root().attribute("name_that_is_no_short_string"), "1");
}

TEST(XmlDocument, NumbersAreDecimalOrHexadecimal) {
  const XmlDocument document = read(
      "<a d=\"42\" h=\"0x030200\" u=\"0XFF\" n=\"-1\" w=\"4 GT/s\" e=\"\" b=\"0x\" "
      "m=\"18446744073709551615\" o=\"18446744073709551616\"/>");
  const XmlElement& root = document.root();
  EXPECT_EQ(root.number("d"), 42u);
  EXPECT_EQ(root.number("h"), 0x030200u);
  EXPECT_EQ(root.number("u"), 0xffu);
  EXPECT_EQ(root.number("m"), 18446744073709551615u);
  for (const char* name : {"n", "w", "e", "b", "o", "missing"}) EXPECT_EQ(root.number(name), std::nullopt) << name;
}

TEST(XmlDocument, WhatIsNotWellFormedIsOneErrorWithItsLine) {
  EXPECT_THAT(error_of("<a>\n<b>\n</a>\n"), StartsWith("node.xml:3: not XML: "));
  EXPECT_THAT(error_of("<a>\n<b x=\"1"), StartsWith("node.xml:2: not XML: "));
  EXPECT_THAT(error_of("<a>\n<b/>\n"), StartsWith("node.xml:3: not XML: "));
  EXPECT_THAT(error_of("<a/>\n<b/>"), StartsWith("node.xml:2: not XML: "));
  EXPECT_THAT(error_of("<a x=\"1\" x=\"2\"/>"), StartsWith("node.xml:1: not XML: "));
  EXPECT_THAT(error_of("<a>&unknown;</a>"), StartsWith("node.xml:1: not XML: "));
  EXPECT_THAT(error_of(""), StartsWith("node.xml:1: not XML: "));
  EXPECT_THAT(error_of("no element"), StartsWith("node.xml:1: not XML: "));
  EXPECT_THAT(error_of("<a>\xff\xfe</a>"), StartsWith("node.xml:1: not XML: "));
}

TEST(XmlDocument, NeitherEntitiesNorFilesOfOthersAreRead) {
  const std::string bomb =
      "<!DOCTYPE a [\n<!ENTITY b \"&#120;&#120;\">\n<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">\n]>\n<a>&c;</a>";
  EXPECT_THAT(error_of(bomb), StartsWith("node.xml:2: a document that declares entities"));
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><a>&f;</a>"),
              HasSubstr("declares entities"));
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p;]><a/>"),
              HasSubstr("declares entities"));
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ATTLIST a x (one|two) \"one\">]><a/>"), HasSubstr("declares entities"));
  EXPECT_THAT(error_of("<!DOCTYPE a [<!ELEMENT a (b|c)*>]><a/>"), HasSubstr("declares entities"));
}

// hwloc's own files name a document type, which is not there and not needed.
TEST(XmlDocument, ADocumentTypeInAnotherFileIsPassedOver) {
  EXPECT_EQ(read("<!DOCTYPE topology SYSTEM \"/missing/hwloc2.dtd\">\n<topology/>").root().name, "topology");
}

TEST(XmlDocument, NestingIsLimited) {
  EXPECT_EQ(error_of(repeated("<a>", 128) + repeated("</a>", 128)), "");
  EXPECT_EQ(error_of(repeated("<a>\n", 129) + repeated("</a>", 129)), "node.xml:129: nested deeper than 128 elements");
  EXPECT_THAT(error_of(repeated("<a>", 1'000'000)), HasSubstr("nested deeper than 128 elements"));
}

TEST(XmlDocument, HugeFilesAreRefusedQuickly) {
  // The processor's time: that of a clock says more of what else runs here.
  const std::clock_t start = std::clock();
  EXPECT_THAT(error_of("<a>" + std::string(std::size_t{129} << 20, ' ') + "</a>"), HasSubstr("larger than 128 MiB"));
  EXPECT_THAT(error_of("<a>\n" + repeated("<b/>", 25'000'000)), HasSubstr("node.xml:2: more than 2000000 elements"));
  std::string attributes = "<a>\n<b";
  for (int number = 0; number < 300; ++number) attributes += " x" + std::to_string(number) + "=\"\"";
  EXPECT_EQ(error_of(attributes + "/></a>"), "node.xml:2: more than 256 attributes in one element");
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 20);
}

}  // namespace
}  // namespace skua
