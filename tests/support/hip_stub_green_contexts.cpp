// Green contexts: which units a resource stands for, and streams with masks that wait for nobody.
#include <array>
#include <cstring>
#include <memory>
#include <numeric>

#include "hip_stub_inside.hpp"

using hip_stub::current;
using hip_stub::result;

/// Owned by whoever makes a context of it, or tries to.
struct ihipDevResourceDesc_t {
  int device = 0;
  std::vector<hipDevResource> resources;
};
struct ihipExecutionCtx_t {
  int device = 0;
  std::vector<std::uint32_t> mask;
};

namespace hip_stub {
namespace {

/// What HIP keeps of a resource, too, where no program looks.
struct Origin {
  int device = 0;
  unsigned first = 0;  ///< unit
};

Origin origin_of(const hipDevResource& resource) {
  Origin origin;
  std::memcpy(&origin, resource._internal_padding, sizeof(origin));
  return origin;
}

hipDevResource make_resource(Origin origin, unsigned units) {
  hipDevResource resource{};
  resource.type = hipDevResourceTypeSm;
  std::memcpy(resource._internal_padding, &origin, sizeof(origin));
  resource.sm.smCount = units;
  resource.sm.smCoscheduledAlignment = resource.sm.minSmPartitionSize = current.green_alignment;
  return resource;
}

}  // namespace
}  // namespace hip_stub

extern "C" {

hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource* resource, hipDevResourceType type) {
  if (current.green_alignment == 0) return result(hipErrorNotSupported);
  if (type != hipDevResourceTypeSm) return result(hipErrorInvalidValue);
  *resource = hip_stub::make_resource({device, 0}, static_cast<unsigned>(current.compute_units) * current.green_units);
  return result(hipSuccess);
}
hipError_t hipDevSmResourceSplitByCount(hipDevResource* groups, unsigned* count, const hipDevResource* input,
                                        hipDevResource*, unsigned flags, unsigned units) {
  if (flags != 0 || units == 0 || units % current.green_alignment != 0) return result(hipErrorInvalidValue);
  const hip_stub::Origin origin = hip_stub::origin_of(*input);
  const unsigned possible = input->sm.smCount / units;
  *count = groups == nullptr ? possible : std::min(*count, possible);
  for (unsigned i = 0; groups != nullptr && i < *count; ++i) {
    groups[i] = hip_stub::make_resource({origin.device, origin.first + i * units}, units);
  }
  return result(hipSuccess);
}
hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t* description, hipDevResource* resources, unsigned count) {
  if (count == 0) return result(hipErrorInvalidValue);
  *description = new ihipDevResourceDesc_t{hip_stub::origin_of(*resources).device, {resources, resources + count}};
  return result(hipSuccess);
}
hipError_t hipGreenCtxCreate(hipExecutionCtx_t* context, hipDevResourceDesc_t description, int device, unsigned flags) {
  const std::unique_ptr<ihipDevResourceDesc_t> owned(description);
  if (current.green_contexts_fail) return result(hipErrorNotSupported);
  if (flags != 0 || description->device != device) return result(hipErrorInvalidValue);
  *context = new ihipExecutionCtx_t{device, std::vector<std::uint32_t>((current.compute_units + 31) / 32)};
  for (const hipDevResource& resource : description->resources) {
    const unsigned first = hip_stub::origin_of(resource).first / current.green_units;
    for (unsigned bit = first; bit < first + resource.sm.smCount / current.green_units; ++bit) {
      (*context)->mask[bit / 32] |= 1u << (bit % 32);
    }
  }
  return result(hipSuccess);
}
hipError_t hipExecutionCtxStreamCreate(hipStream_t* stream, hipExecutionCtx_t context, unsigned flags, int) {
  const std::lock_guard hold(hip_stub::lock);
  if (context->device != hip_stub::current_device) return result(hipErrorInvalidValue);
  *stream = hip_stub::make_stream(flags != hipStreamNonBlocking, context->mask);
  return result(hipSuccess);
}

}  // extern "C"
