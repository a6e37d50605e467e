// What is asked of a node, and how an answer looks.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace facts {

struct Answer {
  std::string found;
  std::optional<bool> agrees;  ///< with what skua assumes; nothing: it cannot be said, or does not matter here
};

/// Whether a question leaves a kernel behind that may never end.
enum class Leaves { nothing, maybe_a_kernel };

struct Question {
  const char* name;       ///< one word
  const char* text;       ///< for the table
  const char* assumed;    ///< what skua takes for granted
  const char* otherwise;  ///< what is to be changed in skua where it is not so
  int gpus_min = 1;
  Leaves leaves = Leaves::nothing;
  std::chrono::seconds limit{20};
  const char* variable = nullptr;  ///< is set to 0 before the GPU runtime reads it
  /// Asks, in a process of its own that may hang or die. Fails: any exception.
  Answer (*ask)() = nullptr;
};

/// All that make sense with this GPU runtime; those that may leave something behind come last.
const std::vector<Question>& questions();

/// Prints a line of raw figures: "# text".
void tell(const std::string& text);

// masks.cpp: AMD only
Answer ask_xcds();
Answer ask_mask_across_xcds();
Answer ask_mask_of_one_xcd();
Answer ask_mask_bits();
Answer ask_mask_sizes();
Answer ask_null_stream();

// launches.cpp
Answer ask_code();
Answer ask_fences();
Answer ask_fences_without_flush();
Answer ask_handing();
Answer ask_stream_query();
Answer ask_event_query();
Answer ask_gaps();

// clock.cpp
Answer ask_clock_rate();
Answer ask_clock_order();
Answer ask_clock_step();

// machine.cpp
Answer ask_addresses();
Answer ask_occupancy();
Answer ask_last_error();
Answer ask_exit();
/// What ask_exit() starts: ends as a program does, while a kernel runs yet.
void leave_a_kernel_running();

// memory.cpp
Answer ask_fork();
Answer ask_allocations();
Answer ask_copies();

}  // namespace facts
