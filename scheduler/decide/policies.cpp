// The one list of chunk policies.
#include "policies.hpp"

#include <skua/input.hpp>

#include <text/registry.hpp>

namespace skua {
namespace {

Registry<MakeChunkPolicy>& registry() {
  // Never destroyed: a Job may run in a destructor after main().
  static auto& one = *new Registry<MakeChunkPolicy>({{"static", make_static},
                                                     {"fixed", make_fixed},
                                                     {"formula", make_formula},
                                                     {"guided", make_guided},
                                                     {"factoring", make_factoring}});
  return one;
}

}  // namespace

void expect_no_argument(const std::string& policy, const std::string& argument) {
  if (!argument.empty()) throw InputError("policy " + policy + ":" + argument + ": this policy takes no argument");
}

std::unique_ptr<ChunkPolicy> make_chunk_policy(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  const MakeChunkPolicy make = registry().find(spec.substr(0, colon));
  if (!make) {
    std::string known;
    for (const std::string& name : chunk_policy_names()) known += (known.empty() ? "" : ", ") + name;
    throw InputError("policy " + spec + ": no such policy; there are " + known);
  }
  return make(colon == std::string::npos ? "" : spec.substr(colon + 1));
}

void register_chunk_policy(const std::string& name, MakeChunkPolicy make) {
  if (!registry().add(name, std::move(make))) throw InputError("policy " + name + " exists already");
}

std::vector<std::string> chunk_policy_names() {
  return registry().names();
}

}  // namespace skua
