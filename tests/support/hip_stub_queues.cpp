// Streams with masks, and the hardware queues that streams have.
#include "hip_stub_inside.hpp"

using hip_stub::current;
using hip_stub::result;

namespace hip_stub {
namespace {

/// Streams without a mask share as many.
constexpr int pooled_queues = 4;

/// Bit i of a mask is a compute unit of XCD i % xcds, and workgroups are dealt to all of these.
bool has_unit_on_all_xcds(const std::vector<std::uint32_t>& mask) {
  std::set<std::size_t> met;
  for (std::size_t bit = 0; bit < static_cast<std::size_t>(current.compute_units); ++bit) {
    if (mask.at(bit / 32) >> (bit % 32) & 1) met.insert(bit % static_cast<std::size_t>(current.xcds));
  }
  return met.size() == static_cast<std::size_t>(current.xcds);
}

}  // namespace

hipStream_t make_stream(bool is_blocking, const std::vector<std::uint32_t>& mask) {
  ++current.streams_alive;
  auto* const stream = new ihipStream_t{current_device};
  stream->is_blocking = is_blocking;
  if (is_blocking) streams().blocking.insert(stream);
  if (!mask.empty()) {
    current.masks.push_back(mask);
    stream->has_own_queue = true;
    stream->meets_all_xcds = has_unit_on_all_xcds(mask);
  }
  given_out()[stream] = 0;
  streams().made.insert(stream);
  return stream;
}

int queues_in_use(int device) {
  int own = 0;
  int others = streams().legacy.contains(device) ? 1 : 0;
  for (const hipStream_t stream : streams().made) {
    if (stream->device == device) ++(stream->has_own_queue ? own : others);
  }
  return own + std::min(others, pooled_queues);
}

}  // namespace hip_stub

extern "C" {

hipError_t hipExtStreamCreateWithCUMask(hipStream_t* stream, std::uint32_t words, const std::uint32_t* mask) {
  const std::lock_guard hold(hip_stub::lock);
  if (words * 32 < static_cast<std::uint32_t>(current.compute_units)) return result(hipErrorInvalidValue);
  // Like this in every version of HIP.
  *stream = hip_stub::make_stream(true, {mask, mask + words});
  return result(hipSuccess);
}

}  // extern "C"
