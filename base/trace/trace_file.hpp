// The file behind the Traces of one name in one process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace skua {

/// A list of events as JSON, closed behind each write and opened again by the next (but a pipe's, which stays open: the
/// format has it so). The file is open, and locked against other processes, until this process ends.
/// Threads: any.
class TraceFile {
 public:
  /// Returns the file of this name that this process writes already, if it is still there. Where another process writes
  /// it, this one's has the number of the process in its name.
  /// Fails: InputError that names it.
  static std::shared_ptr<TraceFile> open(const std::string& path);

  explicit TraceFile(std::string path);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// That the file has another name than it was to have; empty otherwise.
  const std::string& note() const noexcept { return note_; }

  /// Returns the number of a new group of tracks, from 1 on.
  int add_group();
  void add(const std::vector<nlohmann::json>& events);
  void flush();

 private:
  /// Whether this process opened it, and it still has its name.
  bool is_still_here() const;
  bool take();
  void write_held();

  std::string path_;
  std::string note_;
  pid_t process_;
  int descriptor_ = -1;
  bool can_seek_ = false;
  off_t end_ = 0;          ///< where the next event goes; 0 before the first
  bool has_told_ = false;  ///< that it could not be written
  int groups_ = 0;
  std::string held_;  ///< not written yet
  std::chrono::steady_clock::time_point written_;
  std::mutex mutex_;
};

}  // namespace skua
