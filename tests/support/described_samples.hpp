// One small machine in each format that is read: two GPUs and a link.
#pragma once

#include <string>
#include <vector>

namespace skua::test {

struct DescribedSample {
  std::string name;
  std::string text;
};

/// XML is left out where skua was built without libxml2.
inline std::vector<DescribedSample> described_samples() {
  std::vector<DescribedSample> samples = {
      {"skua_json",
       "{\n  \"schema\": \"skua.topology/1\",\n  \"gpus\": [\n    {\"id\": 0},\n    {\"id\": 1}\n  ],\n"
       "  \"links\": []\n}\n"},
      {"machine_json",
       "{\n  \"gfx\": \"gfx908\",\n  \"gpus\": [\n    {\"index\": 0, \"bdf\": \"0000:01:00.0\"},\n"
       "    {\"index\": 1}\n  ]\n}\n"},
      {"nvidia_smi", "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV4\t0-7\t0\nGPU1\tNV4\t X \t0-7\t0\n"},
      {"amd_smi",
       "LINK TYPE TABLE:\n             0000:01:00.0 0000:02:00.0\n0000:01:00.0 SELF XGMI\n"
       "0000:02:00.0 XGMI SELF\n"},
      {"rocm_smi",
       "======= ROCm System Management Interface =======\n======= Weight between two GPUs =======\n"
       "       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n\n"
       "======= Bandwidth between two GPUs =======\n       GPU0         GPU1\n"
       "GPU0   N/A          50000-100000\nGPU1   50000-100000 N/A\n\n"
       "======= Link Type between two GPUs =======\n       GPU0         GPU1\nGPU0   0            XGMI\n"
       "GPU1   XGMI         0\n======= Numa Nodes =======\nGPU[0]\t\t: (Topology) Numa Node: 0\n"
       "GPU[1]\t\t: (Topology) Numa Node: 1\n======= End of ROCm SMI Log =======\n"},
      {"bandwidth_test",
       "RocmBandwidthTest Version: 2.6.0\n\nDevice: 0,  CPU\nDevice: 1,  A,  id,  01:0.0\n"
       "Device: 2,  B,  id,  02:0.0\n\nInter-Device Numa Distance\n\nD/D  0  1  2\n\n0  0  20  20\n\n"
       "1  20  0  15\n\n2  20  15  0\n"}};
#if SKUA_HAS_LIBXML2
  samples.push_back({"nccl_xml",
                     "<?xml version=\"1.0\"?>\n<system version=\"1\">\n  <cpu numaid=\"0\" affinity=\"ff\">\n"
                     "    <pci busid=\"0000:01:00.0\"\n         class=\"0x030200\">\n      <gpu dev=\"0\"/>\n"
                     "    </pci>\n    <pci busid=\"0000:02:00.0\"><gpu dev=\"1\"/></pci>\n  </cpu>\n"
                     "</system>\n"});
  samples.push_back({"hwloc_xml",
                     "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
                     "<topology version=\"2.0\">\n  <object type=\"Machine\">\n"
                     "    <object type=\"OSDev\" gp_index=\"7\"\n            name=\"nvml0\"/>\n"
                     "    <object type=\"OSDev\" gp_index=\"8\" name=\"nvml1\"/>\n  </object>\n"
                     "  <distances2 name=\"NVLinkBandwidth\">\n    <indexes>7 8</indexes>\n"
                     "    <u64values>0\n50000\n50000\n0</u64values>\n  </distances2>\n</topology>\n"});
#endif
  return samples;
}

}  // namespace skua::test
