// What shells, launchers and logs put before the lines of what they show.
#pragma once

#include <cstddef>
#include <string_view>

namespace skua {

struct LinePrefix {
  std::size_t length = 0;
  std::string_view origin;  ///< who printed the line, as it is written there: "1,0", "0", "pod/trainer-0/main"
};

/// Known are: prompts in brackets; ranks as MPI's launchers and srun write them; pods and other names in brackets;
/// times and dates of logs, with the program that a system's log names. Several may follow one another. Owns: nothing;
/// `line` must outlive the origin.
LinePrefix prefix_of(std::string_view line);

}  // namespace skua
