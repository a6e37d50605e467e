// A loop and a reduction, for their instructions to be looked at.
#include <skua/detail/gpu_kernels.hpp>

namespace {

struct Scale {
  double* values;
  __device__ void operator()(std::uint64_t i) const { values[i] *= 2; }
};
struct Read {
  const double* values;
  __device__ double operator()(std::uint64_t i) const { return values[i]; }
};
struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};

}  // namespace

template __global__ void skua::gpu::run_items<Scale>(Scale, std::uint64_t, std::uint64_t, std::uint64_t, GpuPart);
template __global__ void skua::gpu::reduce_granules<double, Read, Add>(Read, Add, ReductionChunk<double>, GpuPart);
