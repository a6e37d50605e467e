// A GPU's first task, by which it shows that all of it works.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <system/keep_forever.hpp>

#include "built_for.hpp"
#include "device.hpp"
#include "own_kernels.hpp"

namespace skua {
namespace {

constexpr std::size_t filled_bytes = std::size_t{512} << 10;
constexpr std::size_t filled_words = filled_bytes / sizeof(std::uint32_t);
constexpr std::uint32_t fill_byte = 0x5a;
constexpr std::uint32_t fill_word = 0x5a5a5a5a;

/// Workgroups are dealt to a GPU's dies in turn, whatever their compute units may run: so many reach each die four
/// times where there are at most 32, and there is one for each compute unit.
std::uint32_t check_workgroups(std::uint32_t compute_units) {
  constexpr std::uint32_t least = 32 * 4;
  constexpr auto most = static_cast<std::uint32_t>(filled_words / check_threads);
  return std::clamp(compute_units, least, most);
}

/// What no check before this one has left in memory.
std::uint32_t next_seed() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint32_t>(std::chrono::nanoseconds(now).count()) | 1;
}

/// What the task leaves in memory of the host's: a word by each workgroup when it begins, and a copy of all that the
/// GPU then has in its own.
class FirstTask {
 public:
  FirstTask(int ordinal, std::uint32_t compute_units, const std::string& architecture)
      : workgroups_(check_workgroups(compute_units)),
        seed_(next_seed()),
        seen_(allocate_shared_memory((std::size_t{workgroups_} + filled_words) * sizeof(std::uint32_t), ordinal)),
        has_code_(may_have_code(own_kernels_built_for(), architecture)) {
    // Whatever is right later is wrong now.
    for (std::uint32_t i = 0; i < workgroups_; ++i) begun()[i] = ~check_word(seed_, i);
    std::fill_n(arrived(), filled_words, std::uint32_t{0});
  }

  /// Returns false when skua's library has no code for this GPU, which fills memory instead.
  /// Fails: GpuError.
  bool start(const GpuSlot& slot) {
    void* const scratch = slot.part().scratch;
    auto* const words = static_cast<std::uint32_t*>(scratch);
    if (has_code_) {
      const hipError_t launched = start_check(words, begun(), workgroups_, seed_, slot.stream());
      has_code_ = !is_without_code(launched);
      if (has_code_) require("launch", launched);
    }
    if (!has_code_) {
      static_cast<void>(hipGetLastError());
      require("hipMemsetAsync", hipMemsetAsync(scratch, fill_byte, filled_bytes, slot.stream()));
    }
    require("hipMemcpyAsync",
            hipMemcpyAsync(arrived(), scratch, word_count() * sizeof(std::uint32_t), hipMemcpyDefault, slot.stream()));
    require("hipEventRecord", hipEventRecord(slot.event(), slot.stream()));
    return has_code_;
  }

  /// Why what has come so far is not all that should; nullopt when it is.
  std::optional<std::string> what_is_missing() const {
    const std::uint32_t ran = has_code_ ? count_begun() : workgroups_;
    if (ran != workgroups_) {
      return std::to_string(workgroups_ - ran) + " of its " + std::to_string(workgroups_) + " workgroups never ran";
    }
    for (std::size_t i = 0; i < word_count(); ++i) {
      const std::uint32_t right = has_code_ ? check_word(seed_, static_cast<std::uint32_t>(i)) : fill_word;
      if (word(arrived()[i]) != right) return "it left a wrong result from word " + std::to_string(i) + " on";
    }
    return std::nullopt;
  }

  /// It may still write to what it was given.
  void let_go() { keep_forever(seen_); }

 private:
  std::uint32_t* begun() const { return static_cast<std::uint32_t*>(seen_.get()); }
  std::uint32_t* arrived() const { return begun() + workgroups_; }
  std::size_t word_count() const { return has_code_ ? std::size_t{workgroups_} * check_threads : filled_words; }
  static std::uint32_t word(const volatile std::uint32_t& written) { return written; }
  std::uint32_t count_begun() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < workgroups_; ++i) count += word(begun()[i]) == check_word(seed_, i);
    return count;
  }

  std::uint32_t workgroups_;
  std::uint32_t seed_;
  std::shared_ptr<void> seen_;
  bool has_code_;
};

}  // namespace

void GpuDevice::check_that_it_runs() {
  constexpr std::chrono::seconds patience{2};
  slots_[0].prepare({filled_bytes, 0});
  const std::string architecture = gpu_architecture(ordinal_);
  FirstTask task(ordinal_, units_, architecture);
  if (!task.start(slots_[0])) {
    add_notes({info_.name + ": whether all of it runs could not be checked: skua's library has no code for it (" +
               built_for_and_found(own_kernels_built_for(), architecture) + ")"});
  }
  const bool is_part = info_.name.find('.') != std::string::npos;
  const std::string who = is_part ? info_.name : "it";
  const hipEvent_t end = slots_[0].event();
  const auto until = std::chrono::steady_clock::now() + patience;
  hipError_t state = hipErrorNotReady;
  while ((state = hipEventQuery(end)) == hipErrorNotReady) {
    if (std::chrono::steady_clock::now() > until) {
      task.let_go();
      const auto missing = task.what_is_missing();
      lost_ = who + " did not finish a small task in 2 s" + (missing ? ": " + *missing : "");
      throw GpuError(*lost_);
    }
    std::this_thread::yield();
  }
  require("hipEventQuery", state);
  if (const auto missing = task.what_is_missing()) throw GpuError(who + " did a small task wrongly: " + *missing);
}

}  // namespace skua
