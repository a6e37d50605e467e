// A GPU as a whole.
#include "partition.hpp"

namespace skua {

MakeGpuStream whole_gpu() {
  return [] {
    hipStream_t stream = nullptr;
    require("hipStreamCreateWithFlags", hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return stream;
  };
}

}  // namespace skua
