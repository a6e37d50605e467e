// A skua without libxml2 says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

#include <read/described.hpp>

namespace skua {
namespace {

TEST(XmlDocumentAbsent, AnXmlFileIsOneErrorThatSaysWhy) {
  try {
    read_described("<system/>", "node.xml");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith("node.xml: this is XML, and this skua was built without libxml2"));
  }
}

}  // namespace
}  // namespace skua
