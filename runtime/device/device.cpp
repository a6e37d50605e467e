// What all devices share: plain host memory, no copies of their own, and the mark of a thread that runs a body.
#include <skua/device.hpp>

#include <new>

namespace skua {
namespace {

constexpr std::align_val_t cache_line{64};

thread_local int bodies_entered = 0;

}  // namespace

Memory Device::allocate(std::size_t bytes, MemoryPlace place) {
  void* const memory = ::operator new(bytes, cache_line, std::nothrow);
  if (memory == nullptr) {
    throw MemoryError("device " + info().name + ": the host has no " + std::to_string(bytes) + " bytes of memory left");
  }
  return {{memory, [](void* block) { ::operator delete(block, cache_line); }}, bytes, place};
}

std::optional<Failure> Device::copy(const Copy&, std::uint64_t) {
  return Failure{Failure::Kind::launch, "device " + info().name + " copies nothing", nullptr};
}

std::shared_ptr<std::atomic<std::uint64_t>> Device::share_word() {
  struct alignas(64) Line {
    std::atomic<std::uint64_t> word{0};
  };
  const auto line = std::make_shared<Line>();
  return {line, &line->word};
}

BodyScope::BodyScope() noexcept {
  ++bodies_entered;
}
BodyScope::~BodyScope() {
  --bodies_entered;
}
bool BodyScope::active() noexcept {
  return bodies_entered > 0;
}

}  // namespace skua
