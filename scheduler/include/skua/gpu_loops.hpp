// What a GPU's compiler adds to the kernels of loops and reductions.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <skua/hip.hpp>
#include <skua/reduction.hpp>

namespace skua {

template <class Body>
class GpuForKernel final : public ForKernel<Body, GpuCompiler> {
 public:
  using ForKernel<Body, GpuCompiler>::ForKernel;
  bool runs_on_gpu() const noexcept override { return true; }
  bool marks_end() const noexcept override { return true; }
  std::optional<GpuFit> fit_gpu(int ordinal, std::uint32_t compute_units, std::uint64_t) const override {
    return gpu::fit(gpu::run_items<Body>, ordinal, compute_units, 1);
  }
  void start_on_gpu(const Chunk& chunk, const GpuPart& part) const override {
    gpu::start_items(this->body_, chunk, part);
  }
};

/// The combination must be commutative here: threads take the items of a granule in turns.
template <class Value, class Body, class Combine>
class GpuReduceKernel final : public ReduceKernel<Value, Body, Combine, GpuCompiler> {
 public:
  using ReduceKernel<Value, Body, Combine, GpuCompiler>::ReduceKernel;
  bool runs_on_gpu() const noexcept override { return true; }
  bool marks_end() const noexcept override { return true; }
  std::optional<GpuFit> fit_gpu(int ordinal, std::uint32_t compute_units, std::uint64_t granule) const override {
    return gpu::fit(gpu::reduce_granules<Value, Body, Combine>, ordinal, compute_units,
                    Slicing(granule).thread_items());
  }
  GpuNeeds gpu_needs(const Chunk& chunk) const override {
    const Slicing slicing(chunk.granule);
    if (slicing.slices == 1) return {};
    return {slicing.units(chunk) * sizeof(Value), chunk.granules()};
  }
  void start_on_gpu(const Chunk& chunk, const GpuPart& part) const override {
    gpu::start_reduction<Value>(this->body_, this->combine_, chunk, part);
  }
};

template <>
struct Kernels<GpuCompiler> {
  template <class Body>
  using For = GpuForKernel<Body>;
  template <class Value, class Body, class Combine>
  using Reduce = GpuReduceKernel<Value, Body, Combine>;
};

}  // namespace skua

#endif
