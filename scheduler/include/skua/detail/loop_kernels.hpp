// The kernels that Scheduler makes of bodies and launchers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <skua/detail/gpu_limits.hpp>
#include <skua/detail/values.hpp>
#include <skua/kernel.hpp>
#include <skua/one_at_a_time.hpp>
#include <skua/reduction.hpp>

namespace skua {

/// parallel_for's kernel.
template <class Body, class Compiler = CompiledBy>
class ForKernel : public Kernel {
 public:
  static constexpr LoopNeeds needs{sizeof(Body)};

  explicit ForKernel(Body body) : body_(std::move(body)) {}
  void run_on_host(const Chunk& chunk) const override {
    for (std::uint64_t i = chunk.begin; i != chunk.end; ++i) body_(i);
  }
  std::string obstacle(std::string_view backend) const override { return needs.obstacle(backend); }

 protected:
  Body body_;
};

/// A launcher that is parallel itself; see whole_chunks().
template <class Launcher>
struct WholeChunks {
  Launcher launcher;
  void operator()(const Chunk& chunk) const { launcher(chunk); }
};

/// For Scheduler::launch(): a launcher that uses all cores of a host device by itself (with OpenMP, say), and so is
/// given each chunk whole.
template <class Launcher>
WholeChunks<Launcher> whole_chunks(Launcher launcher) {
  return {std::move(launcher)};
}

template <class Launcher>
inline constexpr Kernel::Unit unit_of_launcher = Kernel::Unit::piece;
template <class Launcher>
inline constexpr Kernel::Unit unit_of_launcher<WholeChunks<Launcher>> = Kernel::Unit::chunk;
template <class Launcher>
inline constexpr Kernel::Unit unit_of_launcher<OneAtATime<Launcher>> = Kernel::Unit::chunk;

/// launch()'s kernel: code for every backend that has streams.
template <class Launcher>
class LaunchKernel final : public Kernel, public LaunchCode {
 public:
  explicit LaunchKernel(Launcher launcher) : launcher_(std::move(launcher)) {}
  Unit unit() const noexcept override { return unit_of_launcher<Launcher>; }
  bool overlaps() const noexcept override { return may_overlap<Launcher>(); }
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
  static constexpr LoopNeeds needs{sizeof(Body) + sizeof(Combine), sizeof(Value), OrderedCombination<Combine>};

  ReduceKernel(Body body, Combine combine) : body_(std::move(body)), combine_(std::move(combine)) {}
  std::size_t partial_bytes() const noexcept override { return sizeof(Value); }
  /// The chunk is one granule.
  void run_on_host(const Chunk& chunk) const override {
    if constexpr (is_large<Value>) {
      const Combiner<Value, Combine> combiner(combine_);
      Value& sum = *::new (chunk.partials) Value(static_cast<Value>(body_(chunk.begin)));
      for (std::uint64_t i = chunk.begin + 1; i != chunk.end; ++i) combiner.add(sum, body_, i);
    } else {
      Value sum = static_cast<Value>(body_(chunk.begin));
      for (std::uint64_t i = chunk.begin + 1; i != chunk.end; ++i) {
        sum = static_cast<Value>(combine_(sum, static_cast<Value>(body_(i))));
      }
      *static_cast<Value*>(chunk.partials) = sum;
    }
  }
  std::string obstacle(std::string_view backend) const override { return needs.obstacle(backend); }

 protected:
  Body body_;
  Combine combine_;
};

/// A body that is the host's alone; see host_body().
template <class Body>
struct HostBody {
  Body body;
  decltype(auto) operator()(std::uint64_t item) const { return body(item); }
};

/// In a source that a GPU's compiler sees: a body that calls what is the host's only. A GPU refuses its loop.
template <class Body>
HostBody<Body> host_body(Body body) {
  return {std::move(body)};
}

/// The kernels that Scheduler makes; gpu_loops.hpp adds those of a GPU's compiler.
template <class Compiler>
struct Kernels {
  template <class Body>
  using For = ForKernel<Body, Compiler>;
  template <class Value, class Body, class Combine>
  using Reduce = ReduceKernel<Value, Body, Combine, Compiler>;
};

}  // namespace skua
