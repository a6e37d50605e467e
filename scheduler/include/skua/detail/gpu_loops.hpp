// What a GPU's compiler adds to the kernels of loops and reductions.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <optional>
#include <string_view>

#include <skua/detail/gpu_code.hpp>
#include <skua/hip.hpp>
#include <skua/reduction.hpp>

namespace skua {

template <class Body>
class GpuForKernel final : public ForKernel<Body, GpuCompiler>, public GpuCode {
 public:
  using ForKernel<Body, GpuCompiler>::ForKernel;
  const Code* code(std::string_view backend_name) const noexcept override {
    return backend_name == GpuCode::backend ? this : nullptr;
  }
  std::optional<GpuFit> fit(int ordinal, std::uint32_t compute_units, std::uint64_t) const override {
    return gpu::fit(gpu::run_items<Body>, ordinal, compute_units, 1);
  }
  std::optional<GpuRounds> rounds(const Chunk& chunk, const GpuPart& part) const override {
    return gpu::items_rounds<Body>(chunk, part);
  }
  void start(const Chunk& chunk, const GpuPart& part) const override { gpu::start_items(this->body_, chunk, part); }
};

/// The combination must be commutative here: threads take the items of a granule in turns.
template <class Value, class Body, class Combine>
class GpuReduceKernel final : public ReduceKernel<Value, Body, Combine, GpuCompiler>, public GpuCode {
 public:
  using ReduceKernel<Value, Body, Combine, GpuCompiler>::ReduceKernel;
  const Code* code(std::string_view backend_name) const noexcept override {
    return backend_name == GpuCode::backend ? this : nullptr;
  }
  std::optional<GpuFit> fit(int ordinal, std::uint32_t compute_units, std::uint64_t granule) const override {
    return gpu::fit(gpu::reduce_granules<Value, Body, Combine>, ordinal, compute_units,
                    Slicing(granule).thread_items());
  }
  GpuNeeds needs(const Chunk& chunk) const override {
    const Slicing slicing(chunk.granule);
    if (slicing.slices == 1) return {};
    return {slicing.units(chunk) * sizeof(Value), chunk.granules()};
  }
  std::optional<GpuRounds> rounds(const Chunk& chunk, const GpuPart& part) const override {
    return gpu::reduction_rounds<Value, Body, Combine>(chunk, part);
  }
  void start(const Chunk& chunk, const GpuPart& part) const override {
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
