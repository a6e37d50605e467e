// Work for the GPU runtime that a caller's thread asks for, on a thread of skua's own.
#pragma once

#include <functional>

namespace skua {

/// Runs `work` on a thread of its own and waits for it. The runtime keeps a current GPU, a last error and a way to deal
/// with captures for each thread, and gives a context to whatever GPU is current: so the caller's stay as they are.
/// Costs some 50 us.
/// Threads: any.  Blocks: until the work is done.
/// Fails: what the work throws; GpuError when there is no thread to be had, or the process ends.
void on_own_thread(const std::function<void()>& work);

/// Runs `work` on a thread of its own, as on_own_thread(), and waits for nothing. Where the process ends, or there is
/// no thread to be had, it is not run.
void in_background(std::function<void()> work) noexcept;

/// Runs `work` on the calling thread, before the process's end or not at all. What it does to that thread is its own
/// affair.
/// Fails: what the work throws; GpuError when the process ends.
void on_callers_thread(const std::function<void()>& work);

}  // namespace skua
