// The real librocm_smi64 as a sensor, over a described machine.
#include <load/rocm_smi.hpp>

#include <dlfcn.h>

#include <chrono>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/forked_call.hpp"
#include "support/machine_tree.hpp"

namespace skua {
namespace {

using nlohmann::json;

constexpr const char* machine = R"({"gfx":"gfx90a","cu":104,"cpus":[{"cores":8}],
  "host_link":{"type":"pcie","weight":20,"max":32000},"bmc_card0":true,
  "gpus":[{"index":0,"bdf":"0000:c3:00.0","numa":0},{"index":1,"bdf":"0001:03:00.0","numa":0},
          {"index":2,"bdf":"0000:83:00.0","numa":0}],
  "gpu_links":[{"a":0,"b":1,"type":"xgmi","weight":15,"min":50000,"max":50000},
               {"a":1,"b":2,"type":"xgmi","weight":15,"min":50000,"max":50000},
               {"a":0,"b":2,"type":"xgmi","weight":15,"min":50000,"max":50000}]})";

bool library_is_there() {
  // In a process of its own: beside a library that this one has loaded none would be asked.
  const auto answer = test::in_forked_process([]() -> std::string {
    for (const std::string& name : RocmSmiSensorOptions().libraries) {
      if (dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return "yes";
    }
    return "no";
  });
  return answer == "yes";
}

TEST(RealRocmSmiSensor, TellsTheBusyPartOfEachGpuAsItChanges) {
  if (!library_is_there()) GTEST_SKIP() << "librocm_smi64 is not installed";
  const test::MachineTree tree(json::parse(machine));
  const auto busy_file = [&](const std::string& address) {
    return tree.path() / "bus/pci/devices" / address / "gpu_busy_percent";
  };
  std::ofstream(busy_file("0000:c3:00.0")) << "37\n";
  std::ofstream(busy_file("0001:03:00.0")) << "100\n";
  std::string reason;
  const auto text = tree.run_inside(
      [&] {
        RocmSmiSensorOptions options;
        options.deadline = std::chrono::seconds(20);
        const auto sensor = open_rocm_smi_sensor(options);
        json answers = json::array();
        while (answers.size() < 2) {
          const SensorAnswer answer = sensor->sample();
          if (answer.failure) return *answer.failure;
          if (answer.samples.empty()) continue;
          json loads;
          for (const GpuSample& sample : answer.samples) {
            loads[sample.gpu.pci.to_text()] = sample.load.busy ? json(*sample.load.busy) : json();
          }
          answers.push_back(loads);
          std::ofstream("/sys/bus/pci/devices/0000:c3:00.0/gpu_busy_percent") << "5\n";
        }
        return answers.dump();
      },
      reason);
  if (!text) GTEST_SKIP() << "no mount namespace: " << reason;
  EXPECT_EQ(*text, R"([{"0000:83:00.0":null,"0000:c3:00.0":0.37,"0001:03:00.0":1.0},)"
                   R"({"0000:83:00.0":null,"0000:c3:00.0":0.05,"0001:03:00.0":1.0}])");
}

}  // namespace
}  // namespace skua
