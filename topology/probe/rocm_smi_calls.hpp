// The calls into librocm_smi64, and the lines in which their answers travel.
#pragma once

#include <string>
#include <vector>

namespace skua {

enum class AskLinks { yes, no };

/// Loads the first library of `names` that is there, asks it everything, and writes lines to `output_file` as the
/// answers come:
///   library NAME          opened
///   asking TEXT           what comes next, so that a crash can be told from its last line
///   gpu BDFID NUMA HIVE UNIQUE_ID MEMORY NAME
///   link FROM TO TYPE WEIGHT HOPS MIN MAX
///   failed TEXT           the library said no
///   end
/// with "?" for every answer that the library refuses. Runs in the child process only.
void ask_rocm_smi(const std::vector<std::string>& names, AskLinks ask_links, int output_file);

}  // namespace skua
