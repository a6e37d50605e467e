// What a GPU's compiler adds to the kernels of loops and reductions.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)

#include <optional>
#include <string_view>
#include <type_traits>

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
  std::string_view built_for() const noexcept override { return gpu::built_for; }
  std::optional<GpuFit> fit(int ordinal, std::uint32_t compute_units, std::uint64_t) const override {
    return gpu::fit(gpu::run_items<Body>, ordinal, compute_units, 1);
  }
  std::optional<GpuRounds> rounds(const Chunk& chunk, const GpuPart& part) const override {
    return gpu::items_rounds<Body>(chunk, part);
  }
  void start(const Chunk& chunk, const GpuPart& part) const override { gpu::start_items(this->body_, chunk, part); }
};

/// The combination is commutative: threads take the items of a granule in turns.
template <class Value, class Body, class Combine>
class GpuReduceKernel final : public ReduceKernel<Value, Body, Combine, GpuCompiler>, public GpuCode {
 public:
  using ReduceKernel<Value, Body, Combine, GpuCompiler>::ReduceKernel;
  const Code* code(std::string_view backend_name) const noexcept override {
    return backend_name == GpuCode::backend ? this : nullptr;
  }
  std::string_view built_for() const noexcept override { return gpu::built_for; }
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

#if defined(__CUDACC__)
/// Whether the compiler at hand (nvcc's own, or the host's) writes a type as a lambda that nvcc has not replaced.
template <class Type>
constexpr bool is_lambda() {
  const std::string_view name = __PRETTY_FUNCTION__;
  if (name.find("Type = lambda [") != std::string_view::npos) return true;
  const bool has_lambda =
      name.find("<lambda(") != std::string_view::npos || name.find("(lambda at ") != std::string_view::npos;
  return has_lambda && (name.ends_with(")>]") || name.ends_with(")]"));
}
#endif

/// Whether a body is compiled for the host alone. nvcc says which lambdas are marked; to HIP's clang all are.
template <class Body>
constexpr bool is_for_host_only() {
#if defined(__CUDACC__)
  return is_lambda<Body>() && !__nv_is_extended_device_lambda_closure_type(Body) &&
         !__nv_is_extended_host_device_lambda_closure_type(Body);
#else
  return false;
#endif
}
template <class Body>
inline constexpr bool is_host_body = is_for_host_only<Body>();
template <class Body>
inline constexpr bool is_host_body<HostBody<Body>> = true;

/// What is for the host, or does not fit a GPU, has code for the host only, also where a GPU's compiler makes it.
template <>
struct Kernels<GpuCompiler> {
  template <class OnGpu, class OnHost>
  using Fitting = std::conditional_t<OnHost::needs.fits_gpu(), OnGpu, OnHost>;

  template <class Body>
  using For = std::conditional_t<is_host_body<Body>, ForKernel<Body, GpuCompiler>,
                                 Fitting<GpuForKernel<Body>, ForKernel<Body, GpuCompiler>>>;
  template <class Value, class Body, class Combine>
  using Reduce = std::conditional_t<
      is_host_body<Body> || is_host_body<Combine>, ReduceKernel<Value, Body, Combine, GpuCompiler>,
      Fitting<GpuReduceKernel<Value, Body, Combine>, ReduceKernel<Value, Body, Combine, GpuCompiler>>>;
};

}  // namespace skua

#endif
