// The signal handler.
#include "interrupt.hpp"

#include <atomic>
#include <cassert>
#include <chrono>
#include <csignal>
#include <cstdint>

namespace monte_carlo {
namespace {

std::atomic<const skua::Cancellation*> current = nullptr;
static_assert(std::atomic<const skua::Cancellation*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

std::atomic<std::int64_t> first_ns = 0;
constexpr std::int64_t echo_ns = 200'000'000;

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void handle(int signal) {
  const skua::Cancellation* cancellation = current.load();
  if (cancellation != nullptr && !cancellation->requested()) {
    first_ns = now_ns();
    cancellation->request();
    return;
  }
  // A wrapper often forwards to its child what the terminal sent to both: an echo, not a second wish.
  if (now_ns() - first_ns < echo_ns) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

Interrupt::Interrupt(const skua::Cancellation& cancellation) : cancellation_(cancellation) {
  assert(current.load() == nullptr);
  current = &cancellation_;
  std::signal(SIGINT, handle);
  std::signal(SIGTERM, handle);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  current = nullptr;
}

}  // namespace monte_carlo
