// Descriptions that are refused by their names.
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

#include <read/described.hpp>

namespace skua {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string error_of(const std::string& text) {
  try {
    read_described(text, "node.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignDescription, TheJsonOfOtherProgramsIsNamedWithWhatToGiveInstead) {
  const std::pair<std::string, std::string> cases[] = {
      {R"({"card0": {"(Topology) Numa Node": "0"}, "system": {"(Topology) Weight between DRM devices 0 and 1": "15"}})",
       "rocm-smi --json printed; give the tables of rocm-smi --showtopo"},
      {R"({"card1": {"GPU ID": "0x740f"}})", "rocm-smi --json printed"},
      {R"([{"gpu": 0, "bdf": "0000:0c:00.0", "links": [{"gpu": 1, "bdf": "0000:22:00.0", "weight": 15}]}])",
       "amd-smi --json printed; give the tables of amd-smi topology"},
      {R"({"gpu_data": [{"gpu": 0, "bdf": "0000:0c:00.0"}]})", "amd-smi --json printed"},
      {R"({"nvbandwidth": {"testcases": []}})", "nvbandwidth --json printed; give what nvidia-smi topo -m printed"},
      {R"({"measured": [{"from": 0, "to": null, "bandwidth_gb_per_s": 1, "latency_s": 1}]})",
       "skua topology --measure --json printed, which names no GPUs; give what skua topology --json printed"},
      {R"({"schema": "skua.report/1"})", "a Report of skua"},
      {R"({"schema": "skua.machine/1", "gpus": []})", "a machine for skua simulate --machine"},
      {R"({"traceEvents": []})", "a trace"}};
  for (const auto& [text, words] : cases) {
    for (const char* begin : {"", "\n [me@here ~]$ tool --json\n", "0: "}) {
      EXPECT_THAT(error_of(begin + text), AllOf(StartsWith("node.json: this is "), HasSubstr(words),
                                                HasSubstr("what can be read: skua JSON"), Not(HasSubstr("\n"))))
          << text;
    }
  }
}

TEST(ForeignDescription, ATopologyThatSpeaksOfThemIsStillOne) {
  const auto topology = read_described(
      R"({"schema": "skua.topology/1", "gpus": [{"id": 0, "name": "card0"}], "notes": ["\"gpu\": \"traceEvents\""]})",
      "node.json");
  EXPECT_EQ(topology.gpus.size(), 1u);
}

#if SKUA_HAS_LIBXML2
TEST(ForeignDescription, TheXmlOfOtherProgramsIsNamedToo) {
  EXPECT_THAT(
      error_of("<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<gpu id=\"00000000:01:00.0\"/>\n</nvidia_smi_log>\n"),
      StartsWith("node.json: this is what nvidia-smi -q -x printed, which names no links; give what "));
  EXPECT_THAT(error_of("<graphs version=\"1\"><graph id=\"0\"/></graphs>"),
              HasSubstr("a graph of NCCL's, which are its rings and trees; give the file that NCCL_TOPO_DUMP_FILE"));
}
#endif

TEST(ForeignDescription, TextInSixteenBitsIsNamed) {
  EXPECT_THAT(error_of(std::string("\xff\xfeG\0P\0U\0", 8)), HasSubstr("UTF-16, as PowerShell writes it; iconv"));
  EXPECT_THAT(error_of(std::string("\xfe\xff\0G\0P\0U", 8)), HasSubstr("UTF-16"));
}

// What the parser had read of a word may be all the rest.
TEST(ForeignDescription, AnErrorStaysOneShortLineHoweverLongTheFile) {
  EXPECT_LT(error_of("{\"gpus\": \"" + std::string(1'000'000, 'x')).size(), 400u);
  EXPECT_LT(error_of("{\"gpus\": " + std::string(1'000'000, 'x')).size(), 400u);
  EXPECT_LT(error_of("{\"gpus\": " + std::string(1'000'000, '\n')).size(), 400u);
}

}  // namespace
}  // namespace skua
