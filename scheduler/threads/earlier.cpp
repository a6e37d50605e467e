// Looks at what lies before a Job.
#include "earlier.hpp"

#include <algorithm>
#include <stdexcept>

#include <skua/input.hpp>

namespace skua {

Earlier::Earlier(const Devices& devices) {
  for (const auto& device : devices) {
    const Awaited queue = device->default_queue();
    const bool is_known = std::find(queues_.begin(), queues_.end(), queue) != queues_.end();
    if (queue.kind != nullptr && !is_known) queues_.push_back(queue);
  }
}

void Earlier::look(const std::vector<Awaited>& after, std::int64_t now_ns) {
  works_.clear();
  notes_.clear();
  begin_ns_ = end_ns_ = now_ns;
  const auto keep = [&](std::shared_ptr<const EarlierWork> work) {
    if (work != nullptr) works_.push_back(std::move(work));
  };
  for (const Awaited& queue : queues_) {
    try {
      keep(queue.kind->unfinished(queue.handle, notes_));
    } catch (const std::runtime_error& error) {
      notes_.push_back(std::string("what lay on a default queue was not waited for: ") + error.what());
    }
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto refuse = [&](const char* why) {
      throw InputError("JobOptions::after[" + std::to_string(i) + "]: " + why);
    };
    if (after[i].kind == nullptr) refuse("nothing: make it by skua::after()");
    try {
      keep(after[i].kind->unfinished(after[i].handle, notes_));
    } catch (const std::runtime_error& error) {
      refuse(error.what());
    }
  }
}

bool Earlier::has_ended(std::int64_t now_ns) {
  if (works_.empty()) return true;
  end_ns_ = now_ns;
  std::erase_if(works_, [](const auto& work) { return work->has_ended(); });
  return works_.empty();
}

bool Earlier::can_wait(const Device& device) const noexcept {
  return std::all_of(works_.begin(), works_.end(), [&](const auto& work) { return device.can_wait_for(*work); });
}

std::chrono::nanoseconds Earlier::pause(std::int64_t now_ns) const noexcept {
  constexpr std::int64_t least_ns = 20'000;
  constexpr std::int64_t most_ns = 1'000'000;
  return std::chrono::nanoseconds(std::clamp((now_ns - begin_ns_) / 8, least_ns, most_ns));
}

std::vector<std::string> Earlier::notes() const {
  constexpr double worth_a_note_s = 1e-3;
  std::vector<std::string> notes = notes_;
  const double waited_s = static_cast<double>(end_ns_ - begin_ns_) * 1e-9;
  if (waited_s > worth_a_note_s) {
    notes.push_back("waited " + std::to_string(waited_s) + " s for what the program had queued on devices before");
  }
  return notes;
}

}  // namespace skua
