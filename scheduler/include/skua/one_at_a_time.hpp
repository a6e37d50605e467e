// For launchers whose kernels must not meet on a device.
#pragma once

#include <utility>

#include <skua/kernel.hpp>

namespace skua {

/// A launcher, marked; see one_at_a_time().
template <class Launcher>
struct OneAtATime {
  static constexpr bool overlaps = false;
  Launcher launcher;
  void operator()(const Chunk& chunk) const { launcher(chunk); }
};

/// scheduler.launch(n, skua::one_at_a_time(launcher)): what it starts for one chunk ends before that of the device's
/// next one begins, as kernels need it that use memory of the device's beside their items and know no Chunk::slot.
template <class Launcher>
OneAtATime<Launcher> one_at_a_time(Launcher launcher) {
  return {std::move(launcher)};
}

/// Whether chunks of one device may run at once.
template <class Launcher>
constexpr bool may_overlap() {
  if constexpr (requires { Launcher::overlaps; }) {
    return Launcher::overlaps;
  } else {
    return true;
  }
}

}  // namespace skua
