// The functions of NVIDIA's driver itself, asked for at run time, so that a program starts where there is no driver.
#pragma once

#include <cuda.h>

#include <string>

#include "call.hpp"

namespace skua {

/// Fails: GpuError.
template <class Function>
Function driver_function(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  require(name, cudaGetDriverEntryPointByVersion(name, &function, CUDA_VERSION, cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) throw GpuError(std::string(name) + ": this driver does not have it");
  return reinterpret_cast<Function>(function);
}

}  // namespace skua
