// The policies that come with skua, each in a file of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <skua/policy.hpp>

namespace skua {

std::unique_ptr<ChunkPolicy> make_static(const std::string& argument);
std::unique_ptr<ChunkPolicy> make_fixed(const std::string& argument);
std::unique_ptr<ChunkPolicy> make_formula(const std::string& argument);
std::unique_ptr<ChunkPolicy> make_guided(const std::string& argument);
std::unique_ptr<ChunkPolicy> make_factoring(const std::string& argument);

/// Fails: InputError when a policy that takes no argument was given one.
void expect_no_argument(const std::string& policy, const std::string& argument);

/// The largest chunk of a Job, and its first: max(1024, N / (8 P)) items.
inline std::uint64_t largest_items(const ChunkQuestion& question) {
  return std::max<std::uint64_t>(1024, question.job_items / (8 * std::uint64_t{question.devices}));
}

}  // namespace skua
