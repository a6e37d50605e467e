// The one list of chunk policies.
#include <skua/chunking.hpp>

#include <map>
#include <mutex>

#include <skua/input.hpp>

#include "policies.hpp"

namespace skua {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, MakeChunkPolicy> policies = {{"static", make_static},
                                                     {"fixed", make_fixed},
                                                     {"formula", make_formula},
                                                     {"guided", make_guided},
                                                     {"factoring", make_factoring}};
};

Registry& registry() {
  static Registry one;
  return one;
}

MakeChunkPolicy find_policy(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().policies.find(name);
  return found == registry().policies.end() ? MakeChunkPolicy{} : found->second;
}

}  // namespace

void expect_no_argument(const std::string& policy, const std::string& argument) {
  if (!argument.empty()) throw InputError("--policy " + policy + ":" + argument + ": this policy takes no argument");
}

std::unique_ptr<ChunkPolicy> make_chunk_policy(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  const MakeChunkPolicy make = find_policy(spec.substr(0, colon));
  if (!make) {
    std::string known;
    for (const std::string& name : chunk_policy_names()) known += (known.empty() ? "" : ", ") + name;
    throw InputError("--policy " + spec + ": no such policy; there are " + known);
  }
  return make(colon == std::string::npos ? "" : spec.substr(colon + 1));
}

void register_chunk_policy(const std::string& name, MakeChunkPolicy make) {
  const std::lock_guard lock(registry().mutex);
  if (!registry().policies.emplace(name, std::move(make)).second)
    throw InputError("policy " + name + " exists already");
}

std::vector<std::string> chunk_policy_names() {
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto& [name, make] : registry().policies) names.push_back(name);
  return names;
}

}  // namespace skua
