// The few HIP names that skua uses. With HIP they are HIP's own; with CUDA they are mapped here, and nowhere else.
//
// Host code is built with SKUA_GPU_HIP or SKUA_GPU_CUDA set by the build; a GPU compiler says by itself which it is.
#pragma once

#if !defined(SKUA_GPU_HIP) && !defined(SKUA_GPU_CUDA)
#if defined(__HIPCC__)
#define SKUA_GPU_HIP 1
#elif defined(__CUDACC__)
#define SKUA_GPU_CUDA 1
#endif
#endif

#if defined(SKUA_GPU_HIP)

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#endif

namespace skua::gpu_api {}

#elif defined(SKUA_GPU_CUDA)

#include <cstddef>

#include <cuda_runtime.h>

/// HIP's names over the CUDA runtime. Each does what its namesake of the CUDA runtime does.
namespace skua::gpu_api {

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipDeviceAttribute_t = cudaDeviceAttr;
using hipMemcpyKind = cudaMemcpyKind;
using hipStreamCaptureMode = cudaStreamCaptureMode;

inline constexpr hipError_t hipSuccess = cudaSuccess;
inline constexpr hipError_t hipErrorNotReady = cudaErrorNotReady;
inline constexpr hipError_t hipErrorNoDevice = cudaErrorNoDevice;
inline constexpr hipError_t hipErrorInsufficientDriver = cudaErrorInsufficientDriver;
inline constexpr hipError_t hipErrorNoBinaryForGpu = cudaErrorNoKernelImageForDevice;
inline constexpr hipError_t hipErrorInvalidDeviceFunction = cudaErrorInvalidDeviceFunction;
inline constexpr hipError_t hipErrorInvalidImage = cudaErrorInvalidKernelImage;
inline constexpr hipError_t hipErrorInvalidKernelFile = cudaErrorInvalidPtx;
inline constexpr hipError_t hipErrorSharedObjectInitFailed = cudaErrorSharedObjectInitFailed;
inline constexpr hipError_t hipErrorStreamCaptureUnsupported = cudaErrorStreamCaptureUnsupported;
inline constexpr hipError_t hipErrorStreamCaptureWrongThread = cudaErrorStreamCaptureWrongThread;
inline constexpr hipError_t hipErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;
inline constexpr unsigned hipStreamDefault = cudaStreamDefault;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;
inline constexpr unsigned hipEventDefault = cudaEventDefault;
inline constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
inline constexpr unsigned hipHostMallocPortable = cudaHostAllocPortable;
inline constexpr unsigned hipHostMallocMapped = cudaHostAllocMapped;
inline constexpr unsigned hipHostMallocCoherent = 0;  // all of CUDA's is
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeClockRate = cudaDevAttrClockRate;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMaxThreadsPerMultiProcessor =
    cudaDevAttrMaxThreadsPerMultiProcessor;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeComputeCapabilityMajor = cudaDevAttrComputeCapabilityMajor;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeComputeCapabilityMinor = cudaDevAttrComputeCapabilityMinor;
inline constexpr hipMemcpyKind hipMemcpyDefault = cudaMemcpyDefault;
inline constexpr hipStreamCaptureMode hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;

/// Stands for a stream of the thread that uses it.
inline const hipStream_t hipStreamPerThread = cudaStreamPerThread;

inline hipError_t hipGetDeviceCount(int* count) {
  return cudaGetDeviceCount(count);
}
inline hipError_t hipGetDevice(int* device) {
  return cudaGetDevice(device);
}
inline hipError_t hipSetDevice(int device) {
  return cudaSetDevice(device);
}
inline hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return cudaDeviceGetAttribute(value, attribute, device);
}
inline hipError_t hipDeviceGetPCIBusId(char* address, int length, int device) {
  return cudaDeviceGetPCIBusId(address, length, device);
}
inline hipError_t hipGetLastError() {
  return cudaGetLastError();
}
inline const char* hipGetErrorName(hipError_t error) {
  return cudaGetErrorName(error);
}
inline const char* hipGetErrorString(hipError_t error) {
  return cudaGetErrorString(error);
}
inline hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline hipError_t hipStreamDestroy(hipStream_t stream) {
  return cudaStreamDestroy(stream);
}
inline hipError_t hipStreamQuery(hipStream_t stream) {
  return cudaStreamQuery(stream);
}
inline hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
inline hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  return cudaThreadExchangeStreamCaptureMode(mode);
}
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
inline hipError_t hipEventDestroy(hipEvent_t event) {
  return cudaEventDestroy(event);
}
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return cudaEventRecord(event, stream);
}
inline hipError_t hipEventQuery(hipEvent_t event) {
  return cudaEventQuery(event);
}
inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}
inline hipError_t hipHostMalloc(void** memory, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(memory, bytes, flags);
}
inline hipError_t hipHostFree(void* memory) {
  return cudaFreeHost(memory);
}
inline hipError_t hipMalloc(void** memory, std::size_t bytes) {
  return cudaMalloc(memory, bytes);
}
inline hipError_t hipFree(void* memory) {
  return cudaFree(memory);
}
inline hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* all_bytes) {
  return cudaMemGetInfo(free_bytes, all_bytes);
}
inline hipError_t hipMemsetAsync(void* memory, int value, std::size_t bytes, hipStream_t stream) {
  return cudaMemsetAsync(memory, value, bytes, stream);
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                                 hipStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}
inline hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                     hipStream_t stream) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream);
}
inline hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return cudaDeviceCanAccessPeer(can, device, peer);
}
inline hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return cudaDeviceEnablePeerAccess(peer, flags);
}
template <class Function>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function function, int block_threads,
                                                        std::size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_threads, shared_bytes);
}

}  // namespace skua::gpu_api

#else
#error "skua/detail/hip_names.hpp needs HIP or CUDA: this skua was built with SKUA_GPU=none"
#endif
