// Machine descriptions in JSON.
#include <read/machine_json.hpp>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

namespace skua {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// Three GPUs.
std::string machine(const std::string& links,
                    const std::string& last = R"("index": 2, "bdf": "0001:c6:00.0", "numa": 1)") {
  return R"({"name": "invented", "gfx": "gfx90a", "cu": 104,
"cpus": [{"cores": 64}, {"cores": 64}],
"cpu_links": [{"a": 0, "b": 1, "type": "ht", "weight": 32}],
"host_link": {"type": "pcie", "weight": 20, "min": 312, "max": 32000},
"gpus": [
{"index": 0, "bdf": "0000:c1:00.0", "numa": 0, "hive_id": "18000000000000000001"},
{"index": 1, "bdf": "0000:c6:00.0", "numa": 0, "hive_id": 18000000000000000001, "cu": 110, "name": "A"},
{)" + last +
         "}],\n\"gpu_links\": [\n" + links + "]}\n";
}

Topology read(const std::string& text) {
  return read_machine(text, "node.json");
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const Link& link(const Topology& topology, std::uint32_t from, std::uint32_t to) {
  return *topology.link(GpuId{from}, GpuId{to});
}

TEST(ReadMachine, ReadsGpusAndLinksInBothDirections) {
  const auto topology = read(machine(R"({"a": 0, "b": 1, "type": "xgmi", "weight": 15, "min": 50000, "max": 200000})"));
  ASSERT_THAT(topology.gpus, SizeIs(3));
  EXPECT_EQ(topology.gpus[0].arch, "gfx90a");
  EXPECT_EQ(topology.gpus[0].compute_units, 104u);
  EXPECT_EQ(topology.gpus[0].hive, 0u);
  EXPECT_EQ(topology.gpus[1].hive, 0u);
  EXPECT_EQ(topology.gpus[1].compute_units, 110u);
  EXPECT_EQ(topology.gpus[1].name, "A");
  EXPECT_EQ(topology.gpus[2].hive, std::nullopt);
  EXPECT_EQ(topology.gpus[2].pci, PciAddress::from_text("0001:c6:00.0"));
  EXPECT_EQ(topology.gpus[2].numa_node, NumaId{1});
  for (const Link* each : {&link(topology, 0, 1), &link(topology, 1, 0)}) {
    EXPECT_EQ(each->kind, LinkKind::xgmi);
    EXPECT_EQ(each->hops, 1u);
    EXPECT_EQ(each->count, 4u);
    EXPECT_EQ(each->bandwidth_gb_per_s, 200.0);
    EXPECT_EQ(each->basis, Basis::file);
  }
  EXPECT_EQ(link(topology, 0, 2).kind, LinkKind::pcie);
  EXPECT_EQ(link(topology, 0, 2).locality, Locality::system);
  EXPECT_THAT(topology.numa_nodes, SizeIs(2));
  EXPECT_THAT(topology.notes, IsEmpty());
}

TEST(ReadMachine, HopsAreThoseOfTheWeight) {
  const auto topology =
      read(machine(R"({"a": 0, "b": 1, "type": "xgmi", "weight": 30, "hops": 1, "links": 0, "min": 0, "max": 0},
{"a": 0, "b": 2, "type": 11, "weight": 41, "links": 2}, {"a": 1, "b": 2, "type": 2, "weight": 72})"));
  EXPECT_EQ(link(topology, 0, 1).hops, 2u);
  EXPECT_EQ(link(topology, 0, 1).count, std::nullopt);
  EXPECT_EQ(link(topology, 0, 2).hops, 1u);
  EXPECT_EQ(link(topology, 0, 2).count, 2u);
  EXPECT_EQ(link(topology, 0, 2).bandwidth_gb_per_s, std::nullopt);
  EXPECT_EQ(link(topology, 1, 2).kind, LinkKind::pcie);
}

TEST(ReadMachine, PartitionsOfOneGpuAreOnePackage) {
  const auto topology = read(machine(R"({"a": 1, "b": 2, "type": "xgmi", "weight": 13, "min": 819200, "max": 819200})",
                                     R"("index": 2, "bdf": "0000:c6:00.1", "numa": -1, "cpu_node": 1)"));
  EXPECT_EQ(topology.gpus[1].partition, 0u);
  EXPECT_EQ(topology.gpus[2].partition, 1u);
  EXPECT_EQ(topology.gpus[2].numa_node, NumaId{1});
  EXPECT_EQ(link(topology, 1, 2).kind, LinkKind::package);
  EXPECT_EQ(link(topology, 1, 2).bandwidth_gb_per_s, 819.2);
}

TEST(ReadMachine, LinksThatCannotBeAreNotedWithTheirLine) {
  const auto notes = [](const std::string& links) { return read(machine(links)).notes; };
  const std::string good = R"({"a": 0, "b": 1, "type": "xgmi", "weight": 15},)";
  EXPECT_THAT(notes(good + "\n" + R"({"a": 0, "b": 7, "type": "xgmi"})"),
              ElementsAre("node.json:11: a link leads to a GPU that is not there: 0 to 7"));
  EXPECT_THAT(notes(good + "\n" + R"({"a": 1, "b": 1, "type": "xgmi"})"),
              ElementsAre("node.json:11: a link leads from a GPU to itself: 1"));
  EXPECT_THAT(notes(good + "\n" + R"({"a": 1, "b": 0, "type": "xgmi", "weight": 15})"),
              ElementsAre(HasSubstr("node.json:11: a link is there twice")));
  EXPECT_THAT(read(machine("", R"("index": 2, "bdf": "0000:c6:00.0")")).notes,
              ElementsAre("node.json:8: two GPUs have one address: 0000:c6:00.0"));
}

TEST(ReadMachine, BadFieldsAreOneErrorWithTheirLine) {
  EXPECT_EQ(error_of(machine("", R"("index": 1, "bdf": "0000:c9:00.0")")), "node.json:8: two gpus have one index");
  EXPECT_THAT(error_of(machine("", R"("index": 2, "bdf": "c9")")),
              StartsWith("node.json:8: gpus: \"bdf\" must be an address"));
  EXPECT_THAT(error_of(machine("", R"("index": 2, "hive_id": "x")")),
              StartsWith("node.json:8: gpus: \"hive_id\" must be"));
  EXPECT_THAT(error_of(machine("", R"("index": 99999999999)")), StartsWith("node.json:8: gpus: \"index\" must be"));
  EXPECT_THAT(error_of(machine(R"({"a": 0, "b": 1, "type": "ht"})")),
              StartsWith("node.json:10: gpu_links: \"type\" must be"));
  EXPECT_THAT(error_of(machine(R"({"a": 0, "type": "xgmi"})")),
              StartsWith("node.json:10: gpu_links: \"b\" must be there"));
  EXPECT_THAT(error_of(machine("3")), StartsWith("node.json:1: \"gpu_links\" must be a list of objects"));
  EXPECT_THAT(error_of(machine("").substr(0, 200)), StartsWith("node.json:4: not JSON"));
  EXPECT_THAT(error_of(R"({"gpus": [], "gpu_links": []})"), StartsWith("node.json:1: \"gpus\" must be a list of GPUs"));
  EXPECT_THAT(error_of(R"(["gpu_links"])"), StartsWith("node.json:1: not a JSON object"));
  EXPECT_THAT(error_of(R"({"gpu_links": )" + std::string(100'000, '[')), StartsWith("node.json:1: nested too deeply"));
}

TEST(ReadMachine, IsToldFromSkuasOwnForm) {
  EXPECT_TRUE(is_machine(machine("")));
  EXPECT_FALSE(is_machine(R"({"schema": "skua.topology/1", "gpus": [{"id": 0, "name": "\"bdf\""}]})"));
  EXPECT_FALSE(is_machine(R"({"gpus": [{"id": 0}]})"));
}

}  // namespace
}  // namespace skua
