// PCI device ids of AMD's compute GPUs.
#include "amd_models.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace skua {
namespace {

constexpr std::array<std::pair<std::uint64_t, std::string_view>, 12> models = {{
    {0x6860, "AMD Instinct MI25"},
    {0x66a0, "AMD Instinct MI50"},
    {0x66a1, "AMD Instinct MI50"},
    {0x738c, "AMD Instinct MI100"},
    {0x7408, "AMD Instinct MI250X"},
    {0x740c, "AMD Instinct MI250"},
    {0x740f, "AMD Instinct MI210"},
    {0x74a0, "AMD Instinct MI300A"},
    {0x74a1, "AMD Instinct MI300X"},
    {0x74a2, "AMD Instinct MI308X"},
    {0x74a5, "AMD Instinct MI325X"},
    {0x75a0, "AMD Instinct MI350X"},
}};

}  // namespace

std::optional<std::string_view> amd_model_from(std::uint64_t device_id) {
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.first == device_id; });
  return found == models.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace skua
