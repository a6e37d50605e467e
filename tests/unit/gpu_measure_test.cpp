#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <gpu/measure.hpp>
#include <gpu/measure_doubts.hpp>

namespace skua {
namespace {

const std::vector<MeasuredLink> links = {
    {{}, GpuId{0}, 55.3, 1.5e-6, {}, ""},
    {GpuId{0}, GpuId{1}, 150.0, {}, 450.0, "under 70 % of the declared rate", true}};

TEST(MeasuredLinks, ShowUnknownFactsAsUnknown) {
  const std::string text = to_text(links);
  EXPECT_NE(text.find("host      GPU 0              55.3        unknown         1.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("450.0     unknown  under 70 %"), std::string::npos) << text;
  EXPECT_NE(text.find("The GPU on the right reads; to the host, the one on the left writes.\n"), std::string::npos)
      << text;
}

TEST(MeasuredLinks, AreNullInJsonWhereTheyAreUnknown) {
  const auto json = nlohmann::json::parse(to_json(links));
  ASSERT_EQ(json["measured"].size(), 2u);
  EXPECT_TRUE(json["measured"][0]["from"].is_null());
  EXPECT_EQ(json["measured"][0]["to"], 0);
  EXPECT_TRUE(json["measured"][1]["latency_s"].is_null());
  EXPECT_EQ(json["measured"][1]["declared_bandwidth_gb_per_s"], 450.0);
  EXPECT_EQ(json["measured"][0]["by_engine"], false);
  EXPECT_EQ(json["measured"][1]["by_engine"], true);
}

MeasuredLink measured(std::optional<GpuId> from, std::optional<GpuId> to, double gb_per_s) {
  MeasuredLink link;
  link.from = from;
  link.to = to;
  link.bandwidth_gb_per_s = gb_per_s;
  return link;
}

/// Between the host and two GPUs.
std::vector<MeasuredLink> measured(double from_host, double there, double back) {
  std::vector<MeasuredLink> all = {measured({}, GpuId{0}, from_host), measured({}, GpuId{1}, from_host),
                                   measured(GpuId{0}, GpuId{1}, there), measured(GpuId{1}, GpuId{0}, back)};
  all[2].note = "a note";
  return all;
}

TEST(MeasuredLinks, SpeedsThatAreHardlyThoseOfLinksAreSaidToBeDoubtful) {
  Topology topology;
  topology.gpus.resize(2);
  for (const auto& [from, to] : {std::pair(0u, 1u), std::pair(1u, 0u)}) {
    Link link;
    link.from = GpuId{from};
    link.to = GpuId{to};
    link.kind = LinkKind::xgmi;
    topology.links.push_back(link);
  }
  const auto notes = [&](std::vector<MeasuredLink> all) {
    note_doubtful(all, topology);
    EXPECT_EQ(all[0].note, "");
    return std::pair(all[2].note, all[3].note);
  };
  EXPECT_EQ(notes(measured(27, 45, 44)), std::pair(std::string("a note"), std::string()));
  EXPECT_EQ(notes(measured(27, 26.99, 44)).first,
            "a note; doubtful: its speeds to other GPUs repeat those of copies from the host");
  EXPECT_EQ(notes(measured(27, 4, 44)), std::pair(std::string("a note; doubtful: 4.0 GB/s, and 44.0 back"),
                                                  std::string("doubtful: 44.0 GB/s, and 4.0 back")));
  topology.links.clear();
  EXPECT_EQ(notes(measured(27, 26.99, 44)).first, "a note");
}

}  // namespace
}  // namespace skua
