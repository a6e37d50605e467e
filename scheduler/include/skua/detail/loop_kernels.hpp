// The kernels that Scheduler makes of bodies and launchers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skua/kernel.hpp>

namespace skua {

/// parallel_for's kernel.
template <class Body, class Compiler = CompiledBy>
class ForKernel : public Kernel {
 public:
  explicit ForKernel(Body body) : body_(std::move(body)) {}
  void run_on_host(const Chunk& chunk) const override {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) body_(i);
  }

 protected:
  Body body_;
};

/// launch()'s kernel: code for every backend that has streams.
template <class Launcher>
class LaunchKernel final : public Kernel, public LaunchCode {
 public:
  explicit LaunchKernel(Launcher launcher) : launcher_(std::move(launcher)) {}
  Unit unit() const noexcept override { return Unit::chunk; }
  void run_on_host(const Chunk& chunk) const override { launcher_(chunk); }
  const Code* code(std::string_view) const noexcept override { return this; }
  void start(const Chunk& chunk) const override { launcher_(chunk); }

 private:
  Launcher launcher_;
};

/// parallel_reduce's kernel.
template <class Value, class Body, class Combine, class Compiler = CompiledBy>
class ReduceKernel : public Kernel {
  static_assert(std::is_trivially_copyable_v<Value>, "a reduction's type must be trivially copyable");
  static_assert(alignof(Value) <= alignof(std::max_align_t),
                "a reduction's type must not need more than the usual alignment");

 public:
  ReduceKernel(Body body, Combine combine) : body_(std::move(body)), combine_(std::move(combine)) {}
  std::size_t partial_bytes() const noexcept override { return sizeof(Value); }
  /// The chunk is one granule.
  void run_on_host(const Chunk& chunk) const override {
    Value sum = static_cast<Value>(body_(chunk.begin));
    for (std::uint64_t i = chunk.begin + 1; i != chunk.end; ++i) sum = combine_(sum, static_cast<Value>(body_(i)));
    *static_cast<Value*>(chunk.partials) = sum;
  }

 protected:
  Body body_;
  Combine combine_;
};

/// The kernels that Scheduler makes; gpu_loops.hpp adds those of a GPU's compiler.
template <class Compiler>
struct Kernels {
  template <class Body>
  using For = ForKernel<Body, Compiler>;
  template <class Value, class Body, class Combine>
  using Reduce = ReduceKernel<Value, Body, Combine, Compiler>;
};

}  // namespace skua
