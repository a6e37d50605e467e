// Which devices there are, what they are, and which reach which; and the last error.
#include <cstdio>
#include <cstring>

#include "support/amd_machines.hpp"

#include "hip_stub_inside.hpp"

using hip_stub::current;
using hip_stub::current_device;
using hip_stub::result;

namespace hip_stub {

State& become(const skua::test::AmdMachine& machine, int version) {
  reset();
  current.devices = static_cast<int>(machine.addresses.size());
  current.compute_units = static_cast<int>(machine.compute_units);
  current.arch = machine.arch + ":sramecc+:xnack-";
  current.xcds = static_cast<int>(machine.xcds);
  current.hardware_queues = static_cast<int>(machine.hardware_queues);
  current.addresses = machine.addresses;
  current.version = version;
  current.success_clears_error = version < version_7;
  return current;
}

}  // namespace hip_stub

extern "C" {

hipError_t hipGetDeviceCount(int* count) {
  *count = current.devices;
  if (current.count != hipSuccess) return result(current.count);
  return result(current.devices > 0 ? hipSuccess : hipErrorNoDevice);
}
hipError_t hipGetDevice(int* device) {
  *device = current_device;
  return result(hipSuccess);
}
hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= current.devices) return result(hipErrorInvalidDevice);
  current_device = device;
  const std::lock_guard hold(hip_stub::lock);
  if (current.turning_makes_context) current.contexts.insert(device);
  return result(hipSuccess);
}
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  std::swap(*mode, hip_stub::capture_mode);
  return result(hipSuccess);
}
hipError_t hipRuntimeGetVersion(int* version) {
  *version = current.version;
  return result(hipSuccess);
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  constexpr int wall_clock_rate = 10017;
  constexpr int number_of_xccs = 10018;
  *value = 0;
  if (static_cast<int>(attribute) == wall_clock_rate) {
    *value = current.wall_clock_khz;
    return result(current.wall_clock_khz > 0 ? hipSuccess : hipErrorInvalidValue);
  }
  if (static_cast<int>(attribute) == number_of_xccs) {
    if (current.version < hip_stub::version_7) return result(hipErrorInvalidValue);
    *value = current.xcds;
  }
  if (attribute == hipDeviceAttributeMultiprocessorCount) *value = current.compute_units;
  if (attribute == hipDeviceAttributeMaxThreadsPerMultiProcessor) *value = 2048;
  if (attribute == hipDeviceAttributeClockRate) *value = 1'700'000;
  return result(hipSuccess);
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
  *properties = hipDeviceProp_t{};
  std::strncpy(properties->gcnArchName, current.arch.c_str(), sizeof(properties->gcnArchName) - 1);
  return result(hipSuccess);
}
hipError_t hipDeviceGetPCIBusId(char* address, int length, int device) {
  const auto place = static_cast<std::size_t>(device);
  if (place < current.addresses.size()) {
    std::snprintf(address, static_cast<std::size_t>(length), "%s", current.addresses[place].c_str());
  } else {
    std::snprintf(address, static_cast<std::size_t>(length), "0000:%02x:00.0", 0xc1 + device);
  }
  return result(hipSuccess);
}
hipError_t hipGetLastError() {
  return std::exchange(hip_stub::last_error, hipSuccess);
}
hipError_t hipPeekAtLastError() {
  return hip_stub::last_error;
}
const char* hipGetErrorName(hipError_t) {
  return "hipErrorOfTheStub";
}
const char* hipGetErrorString(hipError_t) {
  return "an error of the stub";
}
hipError_t hipDeviceCanAccessPeer(int* can, int from, int to) {
  ++current.peers_asked;
  *can = current.unreachable.contains({from, to}) ? 0 : 1;
  return result(hipSuccess);
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) {
  ++current.peers_enabled;
  return result(current.enable_peer);
}

}  // extern "C"
