// What happened when, as a file that Perfetto and chrome://tracing open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace skua {

/// One span (or, with end_ns == begin_ns, one moment) on one device's track.
struct TraceEvent {
  std::string name;
  std::uint32_t device = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<std::pair<const char*, double>> values;  ///< shown beside the span; NaN and infinity become null
};

/// The name of a trace's file: %p becomes the number of this process, %h the host's name, %% a percent sign.
/// Fails: InputError that names the file, for anything else behind a percent sign.
std::string trace_path(const std::string& pattern);

class TraceFile;

/// One Scheduler's part of a trace: its own group of tracks in a file that all Traces of this name in this process
/// share. The file is a whole JSON document after each flush, and what is left of it when the process is killed can be
/// read. Events are not kept once they are written; they are written when there are many, or when a second has passed.
/// Threads: any.
class Trace {
 public:
  /// Opens the file at once; empties it, unless this process writes it already. Where another process does, this one's
  /// is "run.PROCESS.json" in place of "run.json", and note() says so.
  /// Fails: InputError that names the file when it cannot be written.
  explicit Trace(const std::string& pattern);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const std::string& note() const noexcept;
  void name_track(std::uint32_t device, const std::string& name);
  void add(const std::vector<TraceEvent>& events);
  /// Writes what was added. Where that fails, says so once, on standard error.
  void flush();

 private:
  std::shared_ptr<TraceFile> file_;
  int group_ = 1;
};

/// The JSON document of a trace: any byte string is a valid name.
std::string trace_json(const std::vector<std::pair<std::uint32_t, std::string>>& tracks,
                       const std::vector<TraceEvent>& events);

}  // namespace skua
