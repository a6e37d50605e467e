// Cutting a GPU: the only place where the two vendors differ in more than names.
#include "partition.hpp"

#include <memory>
#include <string>
#include <utility>

#if defined(SKUA_GPU_CUDA)
#include <cuda.h>
#else
#include "cu_mask.hpp"
#endif
#include "exit_fence.hpp"

namespace skua {

MakeGpuStream whole_gpu() {
  return [] {
    hipStream_t stream = nullptr;
    require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
  };
}

#if defined(SKUA_GPU_HIP)
namespace {

/// The MI300 series has compute dies (XCDs) of 38 active units; the runtime does not tell their number.
std::uint32_t count_xcds(int ordinal, std::uint32_t compute_units) {
  constexpr std::uint32_t units_in_xcd = 38;
  hipDeviceProp_t properties{};
  require("hipGetDeviceProperties", hipGetDeviceProperties(&properties, ordinal));
  const std::string arch = properties.gcnArchName;
  const bool has_xcds = arch.starts_with("gfx94") && compute_units % units_in_xcd == 0;
  return has_xcds ? compute_units / units_in_xcd : 1;
}

}  // namespace

GpuGrain gpu_grain(int ordinal, std::uint32_t compute_units) {
  const std::uint32_t xcds = count_xcds(ordinal, compute_units);
  return {xcds == 1 ? 1 : compute_units / xcds, compute_units};
}

std::vector<MakeGpuStream> cut_gpu(int ordinal, std::uint32_t compute_units, const std::vector<std::uint32_t>& parts) {
  const std::uint32_t xcds = count_xcds(ordinal, compute_units);
  std::vector<MakeGpuStream> streams;
  std::uint32_t first = 0;
  for (const std::uint32_t units : parts) {
    streams.push_back([mask = compute_unit_mask(first, units, compute_units, xcds)] {
      hipStream_t stream = nullptr;
      require("hipExtStreamCreateWithCUMask",
              hipExtStreamCreateWithCUMask(&stream, static_cast<std::uint32_t>(mask.size()), mask.data()));
      return stream;
    });
    first += units;
  }
  return streams;
}

#else
namespace {

/// Eight multiprocessors are the least that Hopper's groups have.
constexpr unsigned group_multiprocessors = 8;

/// The driver's own functions, asked for at run time, so that a program starts where there is no driver.
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  require(name, cudaGetDriverEntryPointByVersion(name, &function, CUDA_VERSION, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw GpuError(std::string(name) + ": this driver does not have it");
  return reinterpret_cast<Function>(function);
}

void require_driver(const char* call, CUresult result) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  const auto describe_result = driver_function<decltype(&cuGetErrorString)>("cuGetErrorString");
  throw GpuError(std::string(call) + ": " +
                 (describe_result(result, &text) == CUDA_SUCCESS && text != nullptr ? text : "unknown error"));
}

#define SKUA_DRIVER(name, ...) require_driver(#name, driver_function<decltype(&name)>(#name)(__VA_ARGS__))

struct Groups {
  CUdevice device = 0;
  std::vector<CUdevResource> resources;
};

Groups split_into_groups(int ordinal) {
  Groups groups;
  CUdevResource all{};
  SKUA_DRIVER(cuDeviceGet, &groups.device, ordinal);
  SKUA_DRIVER(cuDeviceGetDevResource, groups.device, &all, CU_DEV_RESOURCE_TYPE_SM);
  unsigned count = 0;
  SKUA_DRIVER(cuDevSmResourceSplitByCount, nullptr, &count, &all, nullptr, 0, group_multiprocessors);
  groups.resources.resize(count);
  SKUA_DRIVER(cuDevSmResourceSplitByCount, groups.resources.data(), &count, &all, nullptr, 0, group_multiprocessors);
  groups.resources.resize(count);
  return groups;
}

/// Some multiprocessors of a GPU as a context of their own.
class GreenContext {
 public:
  GreenContext(CUdevice device, CUdevResource* resources, unsigned count) {
    CUdevResourceDesc description = nullptr;
    SKUA_DRIVER(cuDevResourceGenerateDesc, &description, resources, count);
    SKUA_DRIVER(cuGreenCtxCreate, &context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
  }
  ~GreenContext() {
    if (!ExitFence::ended()) driver_function<decltype(&cuGreenCtxDestroy)>("cuGreenCtxDestroy")(context_);
  }
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  hipStream_t make_stream() const {
    CUstream stream = nullptr;
    SKUA_DRIVER(cuGreenCtxStreamCreate, &stream, context_, CU_STREAM_NON_BLOCKING, 0);
    return stream;
  }

 private:
  CUgreenCtx context_ = nullptr;
};

}  // namespace

GpuGrain gpu_grain(int ordinal, std::uint32_t) {
  use_gpu(ordinal);
  const Groups groups = split_into_groups(ordinal);
  std::uint32_t available = 0;
  for (const CUdevResource& group : groups.resources) available += group.sm.smCount;
  return {group_multiprocessors, available};
}

std::vector<MakeGpuStream> cut_gpu(int ordinal, std::uint32_t, const std::vector<std::uint32_t>& parts) {
  use_gpu(ordinal);
  Groups groups = split_into_groups(ordinal);
  std::vector<MakeGpuStream> streams;
  unsigned first = 0;
  for (const std::uint32_t multiprocessors : parts) {
    const unsigned count = multiprocessors / group_multiprocessors;
    auto context = std::make_shared<GreenContext>(groups.device, &groups.resources[first], count);
    streams.push_back([context = std::move(context)] { return context->make_stream(); });
    first += count;
  }
  return streams;
}

#undef SKUA_DRIVER
#endif

}  // namespace skua
