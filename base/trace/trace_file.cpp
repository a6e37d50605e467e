// Appends to the list of events, and closes it for readers.
#include "trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <skua/input.hpp>

namespace skua {
namespace {

constexpr std::size_t held_bytes_max = std::size_t{1} << 16;
constexpr std::chrono::seconds held_for_max{1};
constexpr std::string_view closing = "\n]\n";

bool write_all(int descriptor, std::string_view text, bool can_seek, off_t at) {
  while (!text.empty()) {
    const ssize_t written =
        can_seek ? ::pwrite(descriptor, text.data(), text.size(), at) : ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    at += written;
  }
  return true;
}

/// "run.json" becomes "run.4711.json".
std::string name_with(pid_t process, const std::string& path) {
  const std::filesystem::path parts(path);
  const std::string name = parts.stem().string() + "." + std::to_string(process) + parts.extension().string();
  return (parts.parent_path() / name).string();
}

}  // namespace

std::shared_ptr<TraceFile> TraceFile::open(const std::string& path) {
  // Never destroyed: a Scheduler may be, by other destructors, after main().
  static auto& mutex = *new std::mutex;
  static auto& files = *new std::map<std::string, std::shared_ptr<TraceFile>>;
  const std::lock_guard lock(mutex);
  if (const auto known = files.find(path); known != files.end()) {
    if (known->second->is_still_here()) return known->second;
    files.erase(known);
  }
  return files[path] = std::make_shared<TraceFile>(path);
}

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)), process_(::getpid()), written_(std::chrono::steady_clock::now()) {
  if (take()) return;
  const std::string taken = std::exchange(path_, name_with(process_, path_));
  if (!take()) throw InputError("trace file " + path_ + " is written by another process");
  note_ = "trace file " + taken + " is written by another process: this one's is " + path_ +
          "; %p in the name gives each its own";
}

/// False when another process has it.
bool TraceFile::take() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw InputError("trace file " + path_ + " cannot be written");
  struct stat status {};
  can_seek_ = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!can_seek_) return true;
  const bool is_taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!is_taken && ::ftruncate(descriptor_, 0) == 0) return true;
  ::close(descriptor_);
  if (!is_taken) throw InputError("trace file " + path_ + " cannot be written");
  return false;
}

TraceFile::~TraceFile() {
  ::close(descriptor_);
}

bool TraceFile::is_still_here() const {
  struct stat mine {};
  struct stat named {};
  return process_ == ::getpid() && ::fstat(descriptor_, &mine) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

int TraceFile::add_group() {
  const std::lock_guard lock(mutex_);
  return ++groups_;
}

void TraceFile::add(const std::vector<nlohmann::json>& events) {
  std::string text;
  for (const nlohmann::json& event : events) {
    text += ",\n";
    text += event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const std::lock_guard lock(mutex_);
  held_ += text;
  if (held_.size() >= held_bytes_max || std::chrono::steady_clock::now() - written_ >= held_for_max) write_held();
}

void TraceFile::flush() {
  const std::lock_guard lock(mutex_);
  write_held();
}

/// What was closed is written over.
void TraceFile::write_held() {
  written_ = std::chrono::steady_clock::now();
  // A forked process has this object, but not the file.
  if (process_ != ::getpid()) return held_.clear();
  const bool is_first = end_ == 0;
  if (held_.empty() && !(is_first && can_seek_)) return;
  std::string text = std::exchange(held_, {});
  if (is_first) text.replace(0, text.empty() ? 0 : 1, "[");
  const bool has_events = text.size() > 1;
  const auto bytes = static_cast<off_t>(text.size());
  if (can_seek_) text += closing;
  if (write_all(descriptor_, text, can_seek_, end_)) {
    if (has_events) end_ += bytes;
  } else if (!std::exchange(has_told_, true)) {
    std::fprintf(stderr, "skua: trace file %s could not be written whole\n", path_.c_str());
  }
}

}  // namespace skua
