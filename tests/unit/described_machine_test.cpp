// Machine files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <skua/described_machine.hpp>
#include <skua/input.hpp>
#include <support/temporary_folder.hpp>

namespace skua {
namespace {

namespace fs = std::filesystem;

std::string write(const std::string& name, const std::string& content) {
  static const test::TemporaryFolder folder;
  return folder.write(name, content).string();
}

std::string message_of(const std::string& content) {
  const std::string path = write("described_machine_test.json", content);
  try {
    read_simulated_machine(path, std::nullopt);
  } catch (const InputError& error) {
    return fs::path(path).filename().string() + std::string(error.what()).substr(path.size());
  }
  return "accepted";
}

const char* const topology = R"({"schema":"skua.topology/1","gpus":[
  {"id":0,"name":"A","compute_units":100},{"id":1,"name":"B","compute_units":50}],
  "links":[{"from":0,"to":1,"kind":"xgmi","bandwidth_gb_per_s":50.0},
           {"from":1,"to":0,"kind":"xgmi","bandwidth_gb_per_s":50.0}],"notes":[]})";

TEST(DescribedMachine, TakesRatesFromComputeUnits) {
  const SimulatedMachine machine = read_simulated_machine(write("two_gpus.json", topology), std::nullopt);
  ASSERT_EQ(machine.devices.size(), 2u);
  EXPECT_EQ(machine.devices[0].work_per_second, 100 * items_per_second_of_compute_unit);
  EXPECT_EQ(machine.devices[1].work_per_second, 50 * items_per_second_of_compute_unit);
  EXPECT_EQ(machine.devices[1].gpu, GpuId{1});
  EXPECT_EQ(machine.topology.links.size(), 2u);
}

TEST(DescribedMachine, AddsToATopologyWhatItSaysOfDevices) {
  write("two_gpus.json", topology);
  const std::string path = write("machine.json", R"({"schema":"skua.machine/1","topology":"two_gpus.json",
    "host_threads":1,"devices":[{"gpu":1,"name":"slow","items_per_second":5,"launch_us":7,"queued_us":1,"host_us":2,
    "look_us":3,"detection_us":4,"filling_items":64,"jitter":0.5,"launches":3}]})");
  const SimulatedMachine machine = read_simulated_machine(path, std::nullopt);
  EXPECT_EQ(machine.host_threads, 1u);
  const SimulatedDevice& device = machine.devices[1];
  EXPECT_EQ(device.name, "slow");
  EXPECT_EQ(device.work_per_second, 5);
  EXPECT_NEAR(device.launch_s, 7e-6, 1e-15);
  EXPECT_NEAR(device.queued_s.value(), 1e-6, 1e-15);
  EXPECT_NEAR(device.host_s, 2e-6, 1e-15);
  EXPECT_NEAR(device.step_s, 3e-6, 1e-15);
  EXPECT_NEAR(device.detection_s, 4e-6, 1e-15);
  EXPECT_EQ(device.filling_items, 64u);
  EXPECT_EQ(device.jitter, 0.5);
  EXPECT_EQ(device.launches_max, 3u);
  EXPECT_EQ(machine.devices[0].work_per_second, 100 * items_per_second_of_compute_unit);
}

TEST(DescribedMachine, NeedsNoTopology) {
  const std::string path = write("machine.json", R"({"schema":"skua.machine/1","devices":[{},{"jitter":0}]})");
  EXPECT_EQ(read_simulated_machine(path, std::nullopt).devices.size(), 2u);
  EXPECT_EQ(read_simulated_machine(path, 1).devices.size(), 1u);
  EXPECT_THROW(read_simulated_machine(path, 3), InputError);
}

TEST(DescribedMachine, NamesTheLineOfADeviceThatIsWrong) {
  const auto with = [](const std::string& device) {
    return message_of("{\"schema\":\"skua.machine/1\",\n\"devices\":[{\"name\":\"{\"},\n" + device + "]}");
  };
  const std::string where = "described_machine_test.json:3: devices[1]: ";
  EXPECT_EQ(with(R"({"items_per_second":0})"), where + "items_per_second must be above 0");
  EXPECT_EQ(with(R"({"launch_us":-1})"), where + "launch_us must be a number, and not below 0");
  EXPECT_EQ(with(R"({"launch_us":"x"})"), where + "launch_us must be a number");
  EXPECT_EQ(with(R"({"jitter":1})"), where + "jitter must be below 1");
  EXPECT_EQ(with(R"({"filling_items":0})"),
            where + "filling_items must be a whole number from 1 to 4611686018427387904");
  EXPECT_EQ(with(R"({"speed":1})"), where + "unknown field 'speed'");
  EXPECT_EQ(with(R"({"gpu":0})"), where + "gpu is named, but the file names no topology");
}

TEST(DescribedMachine, RefusesMachinesWithoutDevices) {
  EXPECT_THAT(message_of(R"({"schema":"skua.machine/1","devices":[]})"), testing::HasSubstr("no device in it"));
  EXPECT_THAT(message_of(R"({"schema":"skua.topology/1","gpus":[],"links":[],"notes":[]})"),
              testing::HasSubstr("no device in it"));
}

TEST(DescribedMachine, RefusesLinksToNowhereAndNegativeBandwidths) {
  std::string text = topology;
  text.replace(text.find("\"to\":1"), 6, "\"to\":9");
  EXPECT_NE(message_of(text), "accepted");
  text = topology;
  text.replace(text.find("50.0"), 4, "-5.0");
  EXPECT_NE(message_of(text), "accepted");
  EXPECT_NE(message_of("{"), "accepted");
}

}  // namespace
}  // namespace skua
