// A thread of somebody else's on the CPU that drives a device.
#pragma once

#include <string>

namespace bench {

/// Binds skua's thread of this device and a spinning one to the same CPU, until destroyed: each gets half of it.
class BusyCpu {
 public:
  /// Fails: std::runtime_error when there is no such thread.
  explicit BusyCpu(const std::string& device);
  ~BusyCpu();
  BusyCpu(const BusyCpu&) = delete;
  BusyCpu& operator=(const BusyCpu&) = delete;

 private:
  struct State;
  State* state_;
};

}  // namespace bench
