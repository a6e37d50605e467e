// PCI device ids of AMD's compute GPUs.
#include "amd_models.hpp"

#include <algorithm>
#include <array>

namespace skua {
namespace {

struct Model {
  std::uint64_t device_id;
  std::string_view name;
  bool is_partitionable;
};

constexpr std::array<Model, 22> models = {{
    {0x6860, "AMD Instinct MI25", false},        {0x66a0, "AMD Instinct MI50", false},
    {0x66a1, "AMD Instinct MI50", false},        {0x738c, "AMD Instinct MI100", false},
    {0x7408, "AMD Instinct MI250X", false},      {0x740c, "AMD Instinct MI250", false},
    {0x740f, "AMD Instinct MI210", false},       {0x74a0, "AMD Instinct MI300A", true},
    {0x74a1, "AMD Instinct MI300X", true},       {0x74a2, "AMD Instinct MI308X", true},
    {0x74a5, "AMD Instinct MI325X", true},       {0x74a8, "AMD Instinct MI308X HF", true},
    {0x74a9, "AMD Instinct MI300X HF", true},    {0x74b5, "AMD Instinct MI300X VF", true},
    {0x74b6, "AMD Instinct MI308X VF", true},    {0x74b9, "AMD Instinct MI325X VF", true},
    {0x74bc, "AMD Instinct MI308X HF VF", true}, {0x74bd, "AMD Instinct MI300X HF VF", true},
    {0x75a0, "AMD Instinct MI350X", true},       {0x75a3, "AMD Instinct MI355X", true},
    {0x75b0, "AMD Instinct MI350X VF", true},    {0x75b3, "AMD Instinct MI355X VF", true},
}};

const Model* find_model(std::uint64_t device_id) {
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const Model& model) { return model.device_id == device_id; });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::string_view> amd_model_from(std::uint64_t device_id) {
  const Model* model = find_model(device_id);
  return model == nullptr ? std::nullopt : std::optional(model->name);
}

bool is_partitionable_amd_model(std::uint64_t device_id) {
  const Model* model = find_model(device_id);
  return model != nullptr && model->is_partitionable;
}

}  // namespace skua
