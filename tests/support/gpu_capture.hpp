// A capture of a stream, for tests on GPUs.
#pragma once

#include <gtest/gtest.h>

#include <skua/detail/hip_names.hpp>

namespace skua::test {

using namespace gpu_api;

#if defined(SKUA_GPU_CUDA)
using Graph = cudaGraph_t;
inline hipError_t begin_capture(hipStream_t stream) {
  return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
}
inline hipError_t end_capture(hipStream_t stream, Graph& graph) {
  return cudaStreamEndCapture(stream, &graph);
}
inline hipError_t destroy_graph(Graph graph) {
  return cudaGraphDestroy(graph);
}
#else
using Graph = hipGraph_t;
inline hipError_t begin_capture(hipStream_t stream) {
  return hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal);
}
inline hipError_t end_capture(hipStream_t stream, Graph& graph) {
  return hipStreamEndCapture(stream, &graph);
}
inline hipError_t destroy_graph(Graph graph) {
  return hipGraphDestroy(graph);
}
#endif

/// Captures in the mode that forbids most, until end().
class Capture {
 public:
  explicit Capture(hipStream_t stream) : stream_(stream) { EXPECT_EQ(begin_capture(stream), hipSuccess); }
  /// Whether the capture is whole.
  bool end() {
    Graph graph = nullptr;
    if (end_capture(stream_, graph) != hipSuccess) return false;
    return destroy_graph(graph) == hipSuccess;
  }

 private:
  hipStream_t stream_;
};

}  // namespace skua::test
