// The schema skua.topology/1, out and in.
#include <skua/topology.hpp>

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <skua/input.hpp>

#include <graph/graph.hpp>

namespace skua {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Two GPUs: one with every fact known, one with none.
Topology two_gpus() {
  Topology topology;
  Gpu known;
  known.name = "a \"quoted\" name\n";
  known.arch = "gfx90a";
  known.pci = PciAddress{1, 0xc1, 0, 0};
  known.partition = 2;
  known.hive = 0;
  known.numa_node = NumaId{3};
  known.cpus = CpuSet::from_list("48-63");
  known.compute_units = 110;
  known.xcds = 6;
  known.shader_engines = 24;
  known.hardware_queues = 23;
  known.integrated = false;
  known.memory_bytes = 18446744073709551615u;
  known.hidden_by = "HIP_VISIBLE_DEVICES";
  known.basis = Basis::kfd;
  topology.gpus = {known, Gpu()};
  Link there;
  there.to = GpuId{1};
  there.kind = LinkKind::xgmi;
  there.count = 4;
  there.hops = 1;
  there.rank = 0;
  there.bandwidth_gb_per_s = 0.1 + 0.2;
  there.basis = Basis::measured;
  Link back;
  back.from = GpuId{1};
  back.assumed_bandwidth_gb_per_s = 8;
  back.locality = Locality::switch_;
  topology.links = {there, back};
  topology.numa_nodes = {{NumaId{3}, *CpuSet::from_list("48-63"), 1u << 30, 1}, {NumaId{7}, CpuSet(), {}, {}}};
  topology.host.allowed = CpuSet::from_list("0-3");
  topology.host.quota_cpus = 2.5;
  topology.notes = {"first", "sécond\t\x01"};
  return topology;
}

std::string error_of(const std::string& text) {
  try {
    topology_from_json(text, "node.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string machine(const std::string& gpus, const std::string& links) {
  return "{\"schema\":\"skua.topology/1\",\n\"gpus\":[" + gpus + "],\n\"links\":[\n" + links + "]}";
}

TEST(TopologyJson, ReadsBackToTheSameValue) {
  const Topology topology = two_gpus();
  EXPECT_EQ(topology_from_json(to_json(topology), "x"), topology);
  EXPECT_EQ(topology_from_json(to_json(Topology()), "x"), Topology());
}

TEST(TopologyJson, HasTheFieldsOfTheContract) {
  const json written = json::parse(to_json(two_gpus()));
  EXPECT_EQ(written["schema"], "skua.topology/1");
  const json gpu = written["gpus"][0];
  EXPECT_EQ(gpu["id"], 0);
  EXPECT_EQ(gpu["arch"], "gfx90a");
  EXPECT_EQ(gpu["pci"], "0001:c1:00.0");
  EXPECT_EQ(gpu["partition"], 2);
  EXPECT_EQ(gpu["hive"], 0);
  EXPECT_EQ(gpu["numa_node"], 3);
  EXPECT_EQ(gpu["cpus"], "48-63");
  EXPECT_EQ(gpu["compute_units"], 110);
  EXPECT_EQ(gpu["xcds"], 6);
  EXPECT_EQ(gpu["shader_engines"], 24);
  EXPECT_EQ(gpu["hardware_queues"], 23);
  EXPECT_EQ(gpu["integrated"], false);
  EXPECT_EQ(gpu["hidden_by"], "HIP_VISIBLE_DEVICES");
  for (const char* name : {"arch", "pci", "partition", "hive", "numa_node", "cpus", "compute_units", "xcds",
                           "shader_engines", "hardware_queues", "integrated", "memory_bytes", "hidden_by"}) {
    EXPECT_TRUE(written["gpus"][1].at(name).is_null()) << name;
  }
  const json link = written["links"][1];
  EXPECT_EQ(link["from"], 1);
  EXPECT_EQ(link["to"], 0);
  EXPECT_EQ(link["kind"], "unknown");
  EXPECT_TRUE(link["count"].is_null());
  EXPECT_TRUE(link["hops"].is_null());
  EXPECT_TRUE(link["bandwidth_gb_per_s"].is_null());
  EXPECT_EQ(link["locality"], "switch");
  EXPECT_EQ(link["basis"], "assumed");
}

TEST(TopologyJson, BytesThatAreNoTextBecomeValidJson) {
  Topology topology;
  topology.gpus.resize(1);
  topology.gpus[0].name = "bad \xff\xfe byte";
  EXPECT_TRUE(json::accept(to_json(topology)));
}

TEST(TopologyJson, GpusMayStandInAnyOrder) {
  const Topology topology = topology_from_json(machine("{\"id\":1,\"name\":\"b\"},{\"id\":0,\"name\":\"a\"}", ""), "x");
  EXPECT_EQ(topology.gpus[0].name, "a");
  EXPECT_EQ(topology.gpus[1].basis, Basis::file);
}

TEST(TopologyJson, ZeroBandwidthIsUnknown) {
  const auto text = machine("{\"id\":0},{\"id\":1}", "{\"from\":0,\"to\":1,\"bandwidth_gb_per_s\":0}");
  EXPECT_FALSE(topology_from_json(text, "x").links[0].bandwidth_gb_per_s);
}

TEST(TopologyJson, AMisspeltFieldIsNotedWithItsLine) {
  const auto topology = topology_from_json(machine("{\"id\":0,\"numa\":3}", ""), "node.json");
  EXPECT_THAT(topology.notes, Contains(HasSubstr("node.json:2: the field \"numa\"")));
}

TEST(TopologyJson, SyntaxErrorsNameFileAndLine) {
  EXPECT_THAT(error_of("{\n\"schema\":\"skua.topology/1\",\n\"gpus\":[}"), HasSubstr("node.json:3: not JSON"));
  EXPECT_THAT(error_of(""), HasSubstr("node.json:1: not JSON"));
  EXPECT_THAT(error_of(std::string("\0\xff\x80", 3)), HasSubstr("node.json:1: not JSON"));
  EXPECT_THAT(error_of(to_json(two_gpus()).substr(0, 300)), HasSubstr("node.json:"));
  EXPECT_EQ(error_of("{\n\xff}").find('\n'), std::string::npos);
}

TEST(TopologyJson, FactsThatCannotBeNameLineAndField) {
  const std::string two = "{\"id\":0},\n{\"id\":1}";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {machine(two, "\n{\"from\":0,\"to\":7}"), "node.json:6: a link names gpu 7, which is not there"},
      {machine(two, "{\"from\":0,\"to\":0}"), "a link joins gpu 0 with itself"},
      {machine(two, "{\"from\":0,\"to\":1},\n{\"from\":0,\"to\":1}"),
       "node.json:6: the link from 0 to 1 is there twice"},
      {machine(two, "{\"from\":0,\"to\":1,\"bandwidth_gb_per_s\":-5}"),
       "\"bandwidth_gb_per_s\" must be finite and not negative"},
      {machine(two, "{\"from\":0,\"to\":1,\"bandwidth_gb_per_s\":1e999}"), "node.json:5"},
      {machine(two, "{\"from\":0,\"to\":1,\"kind\":\"xgmii\"}"), "\"kind\" must be xgmi"},
      {machine(two, "{\"from\":0,\"to\":1,\"hops\":0}"), "\"hops\" must be 1 or more"},
      {machine(two, "{\"from\":0,\"to\":1,\"count\":4294967296}"), "\"count\" must be a whole number"},
      {machine(two, "{\"from\":0}"), "\"to\" must be there"},
      {machine("{\"id\":0},\n\n{\"id\":0}", ""), "node.json:4: gpu 0 is there twice"},
      {machine("{\"id\":0},{\"id\":2}", ""), "gpu 2 is there, but gpu 1 is not"},
      {machine("{\"id\":99999999999999999999999}", ""), "\"id\" must be a whole number"},
      {machine("{\"id\":0,\"pci\":\"c1\"}", ""), "\"pci\" must be an address"},
      {machine("{\"id\":0,\"cpus\":\"3-1\"}", ""), "\"cpus\" must be a list"},
      {machine("{\"id\":0,\"memory_bytes\":-1}", ""), "\"memory_bytes\" must be a whole number"},
      {machine("7", ""), "\"gpus\" must be a list of objects"},
      {machine("{\"id\":0,\"name\":[[[[[[[[[[1]]]]]]]]]]}", ""), "nested too deeply"},
      {"{\"schema\":\"skua.report/1\",\"gpus\":[]}", "\"schema\" must be \"skua.topology/1\""},
      {"{\"schema\":\"skua.topology/1\"}", "\"gpus\" must be there"},
      {"[]", "not a JSON object"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_THAT(error_of(text), HasSubstr(expected)) << text;
    EXPECT_THAT(error_of(text), HasSubstr("node.json:")) << text;
  }
}

TEST(TopologyJson, KeepsTheMachineThatTheBenchesRanOnAsItWasWritten) {
  std::ifstream stream(SKUA_SOURCE_DIR "/tests/fixtures/topology/h200.json");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const Topology topology = topology_from_json(text, "h200.json");
  ASSERT_THAT(topology.gpus, SizeIs(1));
  EXPECT_EQ(topology.gpus[0].arch, "sm_90");
  EXPECT_EQ(topology.gpus[0].compute_units, 132u);
  EXPECT_EQ(topology.gpus[0].basis, Basis::nvml);
  EXPECT_EQ(json::parse(to_json(topology)), json::parse(text));
}

TEST(TopologyJson, DeepNestingNeitherHangsNorOverflowsTheStack) {
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nested too deeply"));
}

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::uint32_t many = 1000;
#else
constexpr std::uint32_t many = 150;  // the parser is twenty times slower without optimization
#endif

TEST(TopologyJson, AThousandDevicesReadBack) {
  Topology topology;
  topology.gpus.resize(many);
  complete_links(topology, {}, LinkKind::pcie, Basis::file);
  const Topology again = topology_from_json(to_json(topology), "x");
  EXPECT_THAT(again.links, SizeIs(many * (many - 1)));
  EXPECT_EQ(again, topology);
}

}  // namespace
}  // namespace skua
