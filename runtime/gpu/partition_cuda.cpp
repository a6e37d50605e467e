// Cutting one of NVIDIA's GPUs, by green contexts.
#include <compare>
#include <memory>
#include <string>
#include <utility>

#include "driver.hpp"
#include "kept.hpp"
#include "partition.hpp"

namespace skua {
namespace {

/// Eight multiprocessors are the least that Hopper's groups have.
constexpr unsigned group_multiprocessors = 8;

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

/// Some multiprocessors of a GPU as a context of their own. Never destroyed: the driver loses some 4 MB of the GPU's
/// memory with each that is.
class GreenContext {
 public:
  GreenContext(CUdevice device, CUdevResource* resources, unsigned count) {
    CUdevResourceDesc description = nullptr;
    SKUA_DRIVER(cuDevResourceGenerateDesc, &description, resources, count);
    SKUA_DRIVER(cuGreenCtxCreate, &context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM);
  }
  ~GreenContext() = default;
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

/// Groups [first, first + count) of a GPU, within one life of the GPU's own context: the program may reset it.
struct PartKey {
  int ordinal = 0;
  unsigned long long life = 0;
  unsigned first = 0;
  unsigned count = 0;
  auto operator<=>(const PartKey&) const = default;
};

/// Schedulers that cut a GPU in the same way have streams of their own in the same contexts.
std::shared_ptr<const GreenContext> green_context(Groups& groups, const PartKey& key) {
  static auto* const kept = new Kept<PartKey, GreenContext>;
  return kept->get(key, [&] {
    return std::make_shared<const GreenContext>(groups.device, &groups.resources[key.first], key.count);
  });
}

}  // namespace

GpuGrain gpu_grain(int ordinal, const RuntimeGpu&) {
  use_gpu(ordinal);
  const Groups groups = split_into_groups(ordinal);
  std::uint32_t available = 0;
  for (const CUdevResource& group : groups.resources) available += group.sm.smCount;
  return {group_multiprocessors, available};
}

CutGpu cut_gpu(int ordinal, const RuntimeGpu&, const std::vector<std::uint32_t>& parts) {
  use_gpu(ordinal);
  Groups groups = split_into_groups(ordinal);
  PartKey key{ordinal, 0, 0, 0};
  SKUA_DRIVER(cuCtxGetId, nullptr, &key.life);
  CutGpu cut;
  for (const std::uint32_t multiprocessors : parts) {
    key.count = multiprocessors / group_multiprocessors;
    cut.parts.push_back([context = green_context(groups, key)] { return context->make_stream(); });
    key.first += key.count;
  }
  return cut;
}

#undef SKUA_DRIVER

}  // namespace skua
