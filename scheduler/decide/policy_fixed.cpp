// fixed[:ITEMS]: all chunks of one size; by default N / (64 P).
#include <skua/input.hpp>

#include "policies.hpp"

namespace skua {
namespace {

class FixedPolicy final : public ChunkPolicy {
 public:
  explicit FixedPolicy(std::uint64_t items) : items_(items) {}
  std::uint64_t next_items(const ChunkQuestion& question) const override {
    return items_ != 0 ? items_ : question.job_items / (64 * std::uint64_t{question.devices});
  }

 private:
  std::uint64_t items_;
};

}  // namespace

std::unique_ptr<ChunkPolicy> make_fixed(const std::string& argument) {
  if (argument.empty()) return std::make_unique<FixedPolicy>(0);
  const std::uint64_t items = parse_count(argument, "policy fixed:" + argument);
  if (items == 0) throw InputError("policy fixed:" + argument + ": a chunk has at least one item");
  return std::make_unique<FixedPolicy>(items);
}

}  // namespace skua
