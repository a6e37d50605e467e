// What the kernels of skua's own library do, where no GPU's compiler has made them.
#include "hip_stub_kernels.hpp"

#include <cstring>

#include <gpu/own_kernels.hpp>

#include "hip_stub_inside.hpp"

using hip_stub::current;
using hip_stub::kernels;

namespace hip_stub {
namespace {

/// On which device memory lies; nothing: on the host.
std::optional<int> home_of(const void* memory) {
  const std::lock_guard hold(lock);
  const auto found = homes().find(memory);
  return found == homes().end() ? std::nullopt : std::optional(found->second);
}

void never_end(hipStream_t stream) {
  const std::lock_guard hold(lock);
  stream->done = Moment::max();
}

}  // namespace

Kernels& kernels() {
  static auto* const one = new Kernels;
  return *one;
}

}  // namespace hip_stub

namespace skua {

std::string_view own_kernels_built_for() noexcept {
  return kernels().built_for;
}

hipError_t start_check(std::uint32_t* words, std::uint32_t* begun, std::uint32_t workgroups, std::uint32_t seed,
                       hipStream_t stream) {
  if (kernels().launch != hipSuccess) return hip_stub::result(kernels().launch);
  bool all_run = true;
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] {
    for (std::uint32_t workgroup = 0; workgroup < workgroups; ++workgroup) {
      if (kernels().skips && kernels().skips(stream->device, workgroup)) {
        all_run = false;
        continue;
      }
      for (std::uint32_t thread = 0; thread < check_threads; ++thread) {
        const std::uint32_t place = workgroup * check_threads + thread;
        words[place] = check_word(seed, place);
      }
      begun[workgroup] = check_word(seed, workgroup);
    }
  });
  if (!all_run && !kernels().ends_without_skipped) hip_stub::never_end(stream);
  return hip_stub::result(hipSuccess);
}

hipError_t start_copy(void* to, const void* from, std::size_t bytes, std::uint32_t, hipStream_t stream) {
  if (kernels().launch != hipSuccess) return hip_stub::result(kernels().launch);
  const auto from_home = hip_stub::home_of(from);
  const auto to_home = hip_stub::home_of(to);
  {
    const std::lock_guard hold(hip_stub::lock);
    kernels().copies.push_back({hip_stub::current_device, from_home, to_home});
  }
  if (from_home && to_home) {
    const std::pair<int, int> link{*from_home, *to_home};
    if (current.hanging.contains(link)) {
      hip_stub::never_end(stream);
      return hip_stub::result(hipSuccess);
    }
    if (current.lossy.contains(link)) bytes = std::min<std::size_t>(bytes, 4096);
  }
  hip_stub::enqueue(stream, std::chrono::nanoseconds(0), [&] { std::memcpy(to, from, bytes); });
  return hip_stub::result(hipSuccess);
}

}  // namespace skua
