// Why a launch found no code.
#include "built_for.hpp"

#include <algorithm>

namespace skua {
namespace {

#if defined(SKUA_GPU_CUDA)
constexpr std::string_view option = "CMAKE_CUDA_ARCHITECTURES";

/// "sm_80 sm_90" for "800,900".
std::string names_of(std::string_view built_for) {
  std::string names;
  while (!built_for.empty()) {
    const std::string_view value = built_for.substr(0, built_for.find(','));
    built_for.remove_prefix(std::min(built_for.size(), value.size() + 1));
    if (!names.empty()) names += ' ';
    names += "sm_";
    names += value.substr(0, value.size() - 1);
  }
  return names;
}
#else
constexpr std::string_view option = "CMAKE_HIP_ARCHITECTURES";

std::string names_of(std::string_view built_for) {
  return std::string(built_for);
}
#endif

}  // namespace

/// HIP has other errors for it than the one that is named so, by version and by what finds it out.
bool is_without_code(hipError_t error) noexcept {
  return error == hipErrorNoBinaryForGpu || error == hipErrorInvalidDeviceFunction || error == hipErrorInvalidImage ||
         error == hipErrorInvalidKernelFile || error == hipErrorSharedObjectInitFailed;
}

#if defined(SKUA_GPU_CUDA)
std::string gpu_architecture(int ordinal) {
  int major = 0;
  int minor = 0;
  if (hipDeviceGetAttribute(&major, hipDeviceAttributeComputeCapabilityMajor, ordinal) != hipSuccess ||
      hipDeviceGetAttribute(&minor, hipDeviceAttributeComputeCapabilityMinor, ordinal) != hipSuccess) {
    static_cast<void>(hipGetLastError());
    return {};
  }
  return "sm_" + std::to_string(major) + std::to_string(minor);
}
#else
std::string gpu_architecture(int ordinal) {
  hipDeviceProp_t properties{};
  if (hipGetDeviceProperties(&properties, ordinal) == hipSuccess) return properties.gcnArchName;
  static_cast<void>(hipGetLastError());
  return {};
}
#endif

std::string built_for_and_found(std::string_view built_for, const std::string& architecture) {
  // Features behind the name matter only where the name is there.
  const std::string name = architecture.substr(0, architecture.find(':'));
  const bool has_name = !name.empty() && built_for.find(name) != std::string_view::npos;
  const std::string found = name.empty() ? "an unknown one" : has_name ? architecture : name;
  std::string text = built_for.empty() ? "" : "built for " + names_of(built_for) + "; ";
  text += "this GPU is " + found + ": compile the kernel's source for it (" + std::string(option) + ")";
  return text;
}

#if defined(SKUA_GPU_CUDA)
bool may_have_code(std::string_view, const std::string&) {
  // The driver compiles what is there for later GPUs, too.
  return true;
}
#else
bool may_have_code(std::string_view built_for, const std::string& architecture) {
  const std::string_view name = std::string_view(architecture).substr(0, architecture.find(':'));
  // A generic target has several GPUs.
  if (built_for.empty() || name.empty() || built_for.find("generic") != std::string_view::npos) return true;
  while (!built_for.empty()) {
    const std::string_view target = built_for.substr(0, built_for.find(' '));
    built_for.remove_prefix(std::min(built_for.size(), target.size() + 1));
    if (target.substr(0, target.find(':')) == name) return true;
  }
  return false;
}
#endif

void require_launched(hipError_t error, std::string_view built_for, int ordinal) {
  if (!is_without_code(error)) return require("launch", error);
  static_cast<void>(hipGetLastError());
  throw GpuError(describe("launch", error) + ": " + built_for_and_found(built_for, gpu_architecture(ordinal)));
}

}  // namespace skua
