// What the GPUs of this node really do, beside what skua assumes of them: each question in a process of its own, which
// may hang or die without harm to the others. See scripts/first-node.sh.
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include <system/spawned_program.hpp>

#include "gpu.hpp"
#include "question.hpp"

namespace facts {
namespace {

constexpr const char* usage =
    "node_facts [--without-hangs]   asks all questions; without those that may leave a kernel behind that never ends\n"
    "node_facts --list              their names\n"
    "node_facts --ask NAME          asks one of them, in this process\n"
    "Lines are \"question | assumed | found | agrees | what to change where it is otherwise\", or begin with \"# \".\n";

void print(const Question& question, const Answer& answer) {
  std::string found = answer.found;
  // Errors of the runtime may have several lines.
  std::replace_if(
      found.begin(), found.end(), [](char c) { return c == '\n' || c == '|'; }, ' ');
  const char* const agrees = !answer.agrees ? "-" : *answer.agrees ? "yes" : "NO";
  std::printf("%s | %s | %s | %s | %s\n", question.text, question.assumed, found.c_str(), agrees, question.otherwise);
  std::fflush(stdout);
}

const Question* find(std::string_view name) {
  const auto found = std::find_if(questions().begin(), questions().end(),
                                  [&](const Question& question) { return question.name == name; });
  return found == questions().end() ? nullptr : &*found;
}

void ask_here(const Question& question) {
  if (question.variable != nullptr) setenv(question.variable, "0", 1);
  try {
    if (gpu_count() < question.gpus_min) {
      print(question, {fmt::format("not asked: it takes {} GPUs", question.gpus_min), {}});
    } else {
      skua::use_gpu(0);
      print(question, question.ask());
    }
  } catch (const std::exception& error) {
    print(question, {std::string("failed: ") + error.what(), {}});
  }
}

/// Prints what a question's process wrote; lines that are no answer are figures, or words of the runtime.
/// Returns whether there was an answer.
bool pass_on(const Question& question, const std::string& output) {
  bool has_answer = false;
  std::size_t begin = 0;
  while (begin < output.size()) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    begin = end + 1;
    const bool is_answer = line.starts_with(question.text);
    has_answer = has_answer || is_answer;
    if (is_answer) {
      std::printf("%s\n", line.c_str());
    } else {
      std::printf("# %s: %s\n", question.name, line.c_str() + (line.starts_with("# ") ? 2 : 0));
    }
  }
  return has_answer;
}

void ask_elsewhere(const Question& question) {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  skua::ProgramResult result;
  const double us = microseconds([&] { result = skua::run_program(own, {"--child", question.name}, question.limit); });
  const bool has_answer = pass_on(question, result.output);
  std::string end;
  switch (result.end) {
    case skua::ProgramResult::End::completed:
      if (!has_answer) end = "its process ended without an answer";
      break;
    case skua::ProgramResult::End::killed_at_deadline:
      end = fmt::format("no answer within {} s", question.limit.count());
      break;
    case skua::ProgramResult::End::died:
      end = fmt::format("its process died by signal {}", result.signal_number);
      break;
    case skua::ProgramResult::End::not_started:
      end = "its process did not start: " + result.failure;
      break;
  }
  if (!has_answer) print(question, {end, {}});
  std::printf("# %s: %.1f s%s%s\n", question.name, us * 1e-6, has_answer && !end.empty() ? ", then " : "",
              has_answer ? end.c_str() : "");
  std::fflush(stdout);
}

/// Whether the runtime shows a GPU, asked in a process of its own: this one never touches the runtime.
bool has_gpu() {
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe");
  constexpr std::chrono::seconds limit{60};
  const skua::ProgramResult result = skua::run_program(own, {"--child", "count"}, limit);
  if (result.end == skua::ProgramResult::End::completed && result.output == "yes\n") return true;
  std::fprintf(stderr, "node_facts: the GPU runtime shows no GPU%s%s\n", result.output.empty() ? "" : ": ",
               result.output.c_str());
  return false;
}

void say_whether_there_is_a_gpu() {
  try {
    std::puts(gpu_count() > 0 ? "yes" : "no");
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
}

/// In a process that run_program() has started.
[[noreturn]] void be_a_child(std::string_view name) {
  dup2(skua::SpawnedProgram::connection_file, STDOUT_FILENO);
  dup2(skua::SpawnedProgram::connection_file, STDERR_FILENO);
  if (name == "count") {
    say_whether_there_is_a_gpu();
  } else if (const Question* const question = find(name)) {
    ask_here(*question);
  }
  std::fflush(stdout);
  // A runtime that waits for its kernels when the process ends would hold the answer up.
  _exit(0);
}

int run(int count, char** arguments) {
  const std::string_view first = count > 1 ? arguments[1] : "";
  const char* const second = count > 2 ? arguments[2] : nullptr;
  if (count == 3 && first == "--child") be_a_child(second);
  if (count == 2 && first == "--leave-a-kernel") {
    leave_a_kernel_running();
    return 0;
  }
  if (count == 2 && first == "--help") return std::fputs(usage, stdout) < 0 ? 1 : 0;
  if (count == 2 && first == "--list") {
    for (const Question& question : questions()) std::puts(question.name);
    return 0;
  }
  if (count == 3 && first == "--ask") {
    const Question* const question = find(second);
    if (question == nullptr) return std::fprintf(stderr, "node_facts: no question %s; see --list\n", second), 2;
    ask_here(*question);
    return 0;
  }
  const bool without_hangs = count == 2 && first == "--without-hangs";
  if (count != 1 && !without_hangs) return std::fprintf(stderr, "node_facts: unknown options\n%s", usage), 2;
  if (!has_gpu()) return 2;
  for (const Question& question : questions()) {
    if (without_hangs && question.leaves == Leaves::maybe_a_kernel) {
      print(question, {"not asked: --without-hangs", {}});
    } else {
      ask_elsewhere(question);
    }
  }
  return 0;
}

}  // namespace

void tell(const std::string& text) {
  std::printf("# %s\n", text.c_str());
  std::fflush(stdout);
}

}  // namespace facts

int main(int count, char** arguments) try { return facts::run(count, arguments); } catch (const std::exception& error) {
  std::fprintf(stderr, "node_facts: %s\n", error.what());
  return 1;
}
