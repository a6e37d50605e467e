// HIP's own header, and of what newer versions declare beyond it: that with which skua cuts GPUs. Names, types and
// their order are HIP's (rocm-systems, projects/hip); a header that has them defines the number of bytes of a resource.
#pragma once

#include_next <hip/hip_runtime_api.h>

#if !defined(HIP_RESOURCE_ABI_BYTES)

struct ihipExecutionCtx_t;
struct ihipDevResourceDesc_t;
typedef ihipExecutionCtx_t* hipExecutionCtx_t;
typedef ihipDevResourceDesc_t* hipDevResourceDesc_t;

enum hipDevResourceType { hipDevResourceTypeInvalid = 0, hipDevResourceTypeSm = 1 };

struct hipDevSmResource {
  unsigned int smCount;
  unsigned int minSmPartitionSize;
  unsigned int smCoscheduledAlignment;
  unsigned int flags;
};

struct hipDevResource {
  hipDevResourceType type;
  unsigned char _internal_padding[92];
  union {
    hipDevSmResource sm;
    unsigned char _oversize[40];
  };
  hipDevResource* nextResource;
};

extern "C" {
hipError_t hipDeviceGetDevResource(hipDevice_t device, hipDevResource* resource, hipDevResourceType type);
hipError_t hipDevSmResourceSplitByCount(hipDevResource* result, unsigned int* nbGroups, const hipDevResource* input,
                                        hipDevResource* remainder, unsigned int flags, unsigned int minCount);
hipError_t hipDevResourceGenerateDesc(hipDevResourceDesc_t* phDesc, hipDevResource* resources,
                                      unsigned int nbResources);
hipError_t hipGreenCtxCreate(hipExecutionCtx_t* phCtx, hipDevResourceDesc_t desc, int device, unsigned int flags);
hipError_t hipExecutionCtxStreamCreate(hipStream_t* stream, hipExecutionCtx_t ctx, unsigned int flags, int priority);
}

#endif
