// What the variables that hide GPUs from a runtime do, explained. The runtime's own count is the truth; nothing here is
// ever applied to devices that a runtime has handed out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace skua {

/// The variables as they stand in the environment; nothing: unset, which differs from empty.
struct MaskVariables {
  std::optional<std::string> rocr;                ///< ROCR_VISIBLE_DEVICES
  std::optional<std::string> hip;                 ///< HIP_VISIBLE_DEVICES
  std::optional<std::string> cuda;                ///< CUDA_VISIBLE_DEVICES, which HIP reads too
  std::optional<std::string> gpu_device_ordinal;  ///< GPU_DEVICE_ORDINAL, which HIP programs do not read

  static MaskVariables from_environment();
};

/// What a runtime will most likely show. Runtimes have changed their grammar: compare with the real count.
struct MaskPrediction {
  std::vector<std::size_t> visible;                   ///< physical places, in the runtime's order
  std::vector<std::optional<std::string>> hidden_by;  ///< of each physical GPU, the variable that hides it
  std::vector<std::string> notes;                     ///< why, for people; one line each
};

/// ROCR's mask first, then HIP's (or CUDA's where HIP's is unset or empty) over what ROCR left and renumbered.
/// `uuids` of all physical GPUs in KFD order: "GPU-0123456789abcdef", or nothing.
/// `unreachable`: why the runtime cannot reach a GPU, place by place, or nothing; masks do not count such GPUs.
MaskPrediction predict_rocm_masks(const std::vector<std::optional<std::string>>& uuids, const MaskVariables& variables,
                                  const std::vector<std::optional<std::string>>& unreachable = {});

/// CUDA's mask over NVIDIA GPUs, here in PCI order.
MaskPrediction predict_cuda_mask(const std::vector<std::optional<std::string>>& uuids, const MaskVariables& variables);

/// Notes on what Slurm's settings mean for this process, given how many GPUs it sees.
std::vector<std::string> explain_slurm(std::size_t visible_count);

}  // namespace skua
