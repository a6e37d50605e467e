// Enabling peer access.
#include "peers.hpp"

#include "call.hpp"

namespace skua {
namespace {

std::string pair_text(int from, int to) {
  return "gpu:" + std::to_string(from) + " to gpu:" + std::to_string(to);
}

}  // namespace

std::vector<std::string> enable_peers(const std::vector<int>& ordinals) {
  std::vector<std::string> notes;
  for (const int from : ordinals) {
    if (ordinals.size() < 2) break;
    use_gpu(from);
    for (const int to : ordinals) {
      if (from == to) continue;
      int can = 0;
      const hipError_t asked = hipDeviceCanAccessPeer(&can, from, to);
      hipError_t enabled = hipSuccess;
      if (asked == hipSuccess && can != 0) enabled = hipDeviceEnablePeerAccess(to, 0);
      static_cast<void>(hipGetLastError());
      if (enabled != hipSuccess && enabled != hipErrorPeerAccessAlreadyEnabled) {
        notes.push_back("peer access from " + pair_text(from, to) + ": " +
                        describe("hipDeviceEnablePeerAccess", enabled));
      }
    }
  }
  return notes;
}

}  // namespace skua
