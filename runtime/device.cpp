// What all devices share: plain host memory for results, and the mark of a thread that runs a body.
#include <skua/device.hpp>

#include <new>

namespace skua {
namespace {

thread_local int bodies_entered = 0;

}  // namespace

std::shared_ptr<void> Device::allocate(std::size_t bytes) {
  constexpr std::align_val_t cache_line{64};
  return {::operator new(bytes, cache_line), [](void* memory) { ::operator delete(memory, cache_line); }};
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
