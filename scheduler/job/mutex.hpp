// A mutex that clang's thread safety analysis understands (-Wthread-safety), and its annotations.
//
// LOCK ORDER  of a Job, each before those below it; nobody holds one of them while a JobListener is called:
//             1 LateFinder  the late chunks
//             2 Flights     of one device (one device's at a time)
//             3 LateChunk   the pieces of one late chunk
//             The locks of WorkLeft, RateBoard, Ledger (one device's account at a time) and Results are leaves: no
//             other lock is taken under them. The Crew's lock is none of a Job's. It comes before all of them: under it
//             a Job is told which device was given up, or came back, and nothing else.
#pragma once

#include <mutex>

#if defined(__clang__)
#define SKUA_ANNOTATE(x) __attribute__((x))
#else
#define SKUA_ANNOTATE(x)
#endif
#define SKUA_GUARDED_BY(mutex) SKUA_ANNOTATE(guarded_by(mutex))
#define SKUA_REQUIRES(...) SKUA_ANNOTATE(requires_capability(__VA_ARGS__))
#define SKUA_EXCLUDES(...) SKUA_ANNOTATE(locks_excluded(__VA_ARGS__))

namespace skua {

class SKUA_ANNOTATE(capability("mutex")) Mutex {
 public:
  void lock() SKUA_ANNOTATE(acquire_capability()) { mutex_.lock(); }
  void unlock() SKUA_ANNOTATE(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds a Mutex for as long as it lives.
class SKUA_ANNOTATE(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) SKUA_ANNOTATE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() SKUA_ANNOTATE(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace skua
