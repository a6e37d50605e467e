// Runs a part of a test in a forked process, for what cannot be undone in this one.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace skua::test {

/// The text that `work` returns in a forked process.
/// Returns nullopt when that process died or gave no answer within 30 s; it is killed then.
std::optional<std::string> in_forked_process(const std::function<std::string()>& work);

}  // namespace skua::test
