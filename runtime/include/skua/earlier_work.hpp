// What a program has queued on devices without skua, before a Job that is to see what it does.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace skua {

/// Work that was queued before a Job began: nothing of the Job begins before all of it has ended.
/// Threads: any.
class EarlierWork {
 public:
  virtual ~EarlierWork() = default;
  /// Blocks: never.
  virtual bool has_ended() const noexcept = 0;
};

/// A kind of place where programs queue work, or of mark behind such work; each lives to the end of the process.
class AwaitedKind {
 public:
  virtual ~AwaitedKind() = default;
  /// What lies there now and has not ended; null: nothing. Asked by the thread that starts the Job, which it leaves as
  /// it was. `notes` receives, for people, what could not be looked at.
  /// Blocks: never.
  /// Fails: std::runtime_error that says why it cannot be waited for.
  virtual std::shared_ptr<const EarlierWork> unfinished(void* handle, std::vector<std::string>& notes) const = 0;
};

/// Something that a Job waits for: a stream or an event of the program's, made by skua::after() of <skua/hip.hpp>.
struct Awaited {
  const AwaitedKind* kind = nullptr;
  void* handle = nullptr;
  bool operator==(const Awaited&) const = default;
};

}  // namespace skua
