// Whether a source for GPUs is given what C++ sources are given, and OpenMP's threads.
#include <cstdio>

#include <omp.h>
#include <skua/skua.hpp>

static_assert(FROM_FLAGS == 1 && FROM_OPTIONS == 2 && FROM_SHELL == 3 && FROM_DEFINITIONS == 4);
#if defined(SKUA_GPU_HIP) && !defined(__HIPCC__) || defined(SKUA_GPU_CUDA) && !defined(__CUDACC__)
#error "not compiled for GPUs"
#endif

int main() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += omp_get_num_threads() + omp_get_thread_num();
  std::printf("sum %d\n", sum);
  return sum == 5 ? 0 : 1;
}
