// A child process that answers questions, and may hang, abort or crash without harm.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace skua {

/// Threads: one at a time. The child dies with the thread that started it.
class HelperProcess {
 public:
  /// Calls `work` in a forked child, with its end of a connection. The child has no other open file, leaves no core
  /// file and says nothing on the terminal.
  explicit HelperProcess(const std::function<void(int connection)>& work);
  /// Kills the child.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  /// Fails: false when the child is gone or was never there.
  bool send(char question);

  /// What the child has written since the last call: waits until there is something, `wait` at most.
  /// Fails: nothing comes any more once is_gone() is true.
  std::string receive(std::chrono::milliseconds wait);
  bool is_gone() const noexcept { return connection_ < 0; }

  /// "by Segmentation fault": how a child that is gone has ended.
  std::string end();

 private:
  void hang_up();

  int connection_ = -1;
  pid_t child_ = -1;
};

}  // namespace skua
