// What happened when, as a file that Perfetto and chrome://tracing open. Written, never read back.
#pragma once

#include <cstdint>
#include <mutex>
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

/// Collects events and writes the file when it is destroyed, and at each flush().
/// Threads: any.
class Trace {
 public:
  /// Opens the file at once.
  /// Fails: InputError that names the file when it cannot be written.
  explicit Trace(std::string path);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  void name_track(std::uint32_t device, const std::string& name);
  void add(std::vector<TraceEvent> events);
  /// Writes all events so far as one whole JSON document. Where that fails, says so once, on standard error.
  void flush();

 private:
  std::string path_;
  std::mutex mutex_;
  std::vector<std::pair<std::uint32_t, std::string>> tracks_;
  std::vector<TraceEvent> events_;
  bool has_told_ = false;  ///< that it could not be written
};

/// The JSON document of a trace: any byte string is a valid name.
std::string trace_json(const std::vector<std::pair<std::uint32_t, std::string>>& tracks,
                       const std::vector<TraceEvent>& events);

}  // namespace skua
