// Green contexts of HIP, which its newest versions have.
#include "green_contexts.hpp"

#if defined(SKUA_HIP_GREEN_CONTEXTS)
#include <algorithm>
#include <compare>
#include <memory>

#include "kept.hpp"
#endif

namespace skua {

#if defined(SKUA_HIP_GREEN_CONTEXTS)
namespace {

struct Units {
  hipDevResource all{};
  std::uint32_t of_each = 1;  ///< units of the resource in one of the runtime's, which are pairs on Radeons
};

std::optional<Units> units_of(int ordinal, std::uint32_t compute_units) {
  Units units;
  const hipError_t error = hipDeviceGetDevResource(ordinal, &units.all, hipDevResourceTypeSm);
  if (error != hipSuccess) {
    static_cast<void>(hipGetLastError());
    return std::nullopt;
  }
  units.of_each = units.all.sm.smCount / compute_units;
  if (units.of_each == 0 || units.all.sm.smCoscheduledAlignment == 0) return std::nullopt;
  return units;
}

/// Never destroyed: a stream that somebody has left behind is of no use without it.
class GreenContext {
 public:
  GreenContext(int ordinal, hipDevResource* groups, unsigned count) {
    hipDevResourceDesc_t description = nullptr;
    require("hipDevResourceGenerateDesc", hipDevResourceGenerateDesc(&description, groups, count));
    require("hipGreenCtxCreate", hipGreenCtxCreate(&context_, description, ordinal, 0));
  }
  ~GreenContext() = default;
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  hipStream_t make_stream() const {
    hipStream_t stream = nullptr;
    require("hipExecutionCtxStreamCreate", hipExecutionCtxStreamCreate(&stream, context_, hipStreamNonBlocking, 0));
    return stream;
  }

 private:
  hipExecutionCtx_t context_ = nullptr;
};

struct PartKey {
  int ordinal = 0;
  std::uint32_t quantum = 0;
  std::uint32_t first = 0;  ///< quantum
  std::uint32_t count = 0;
  auto operator<=>(const PartKey&) const = default;
};

Kept<PartKey, GreenContext>& kept_contexts() {
  static auto* const kept = new Kept<PartKey, GreenContext>;
  return *kept;
}

}  // namespace

std::optional<std::uint32_t> green_context_alignment(int ordinal, std::uint32_t compute_units) {
  const auto units = units_of(ordinal, compute_units);
  if (!units) return std::nullopt;
  const unsigned alignment = units->all.sm.smCoscheduledAlignment;
  return (alignment + units->of_each - 1) / units->of_each;
}

std::vector<MakeGpuStream> green_contexts(int ordinal, std::uint32_t compute_units, std::uint32_t quantum,
                                          const std::vector<std::uint32_t>& parts) {
  const auto units = units_of(ordinal, compute_units);
  if (!units) throw GpuError("hipDeviceGetDevResource: it has no units any more");
  unsigned count = compute_units / quantum;
  std::vector<hipDevResource> groups(count);
  require("hipDevSmResourceSplitByCount",
          hipDevSmResourceSplitByCount(groups.data(), &count, &units->all, nullptr, 0, quantum * units->of_each));
  groups.resize(count);
  std::vector<MakeGpuStream> streams;
  PartKey key{ordinal, quantum, 0, 0};
  for (const std::uint32_t part : parts) {
    key.count = part / quantum;
    if (key.first + key.count > groups.size()) throw GpuError("hipDevSmResourceSplitByCount: made too few groups");
    const auto context = kept_contexts().get(
        key, [&] { return std::make_shared<const GreenContext>(ordinal, &groups[key.first], key.count); });
    streams.push_back([context] { return context->make_stream(); });
    key.first += key.count;
  }
  return streams;
}

#else

std::optional<std::uint32_t> green_context_alignment(int, std::uint32_t) {
  return std::nullopt;
}

std::vector<MakeGpuStream> green_contexts(int, std::uint32_t, std::uint32_t, const std::vector<std::uint32_t>&) {
  return {};
}

#endif

}  // namespace skua
