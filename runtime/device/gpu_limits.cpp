// In words, why a GPU refuses a loop.
#include <skua/detail/gpu_code.hpp>
#include <skua/detail/gpu_limits.hpp>

namespace skua {

std::string LoopNeeds::obstacle(std::string_view backend) const {
  if (backend != GpuCode::backend) return {};
  if (value_bytes > gpu_value_bytes_max) {
    return "its values have " + std::to_string(value_bytes) +
           " bytes, and a reduction on a GPU takes values of up to " + std::to_string(gpu_value_bytes_max);
  }
  if (body_bytes > gpu_body_bytes_max) {
    return "its body holds " + std::to_string(body_bytes) + " bytes by value, and a GPU takes up to " +
           std::to_string(gpu_body_bytes_max) + ": let it hold pointers";
  }
  if (in_order) return "its combination is skua::ordered, and the threads of a GPU take items in turns";
  return {};
}

}  // namespace skua
