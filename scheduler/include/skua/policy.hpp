// How large the next chunk of a device shall be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace skua {

/// What a policy is told before each chunk.  Units: items, of the mean cost where costs are known, unless said.
struct ChunkQuestion {
  std::uint64_t job_items = 0;       ///< N: the whole Job
  std::uint32_t devices = 1;         ///< P
  std::uint64_t items_left = 0;      ///< R: in all Shares
  std::uint64_t share_items = 0;     ///< in this device's Share
  double weight = 1.0;               ///< w: this device's rate over the mean rate
  std::uint64_t smallest_items = 1;  ///< what fills the device and hides a launch
  std::uint32_t launches = 1;        ///< that make up one chunk; the answer is the size of one of them
  std::uint64_t largest_items = 0;   ///< no chunk is to have more; 0: max(1024, N / (8 P))
};

/// A chunk-size rule. Small, without threads or clocks: plain calls test it.
/// Threads: one object serves all Workers at once.
class ChunkPolicy {
 public:
  virtual ~ChunkPolicy() = default;

  /// Items of the next chunk, before it is rounded up to granules and cut to what the Share holds; any value is legal.
  virtual std::uint64_t next_items(const ChunkQuestion& question) const = 0;

  /// Whether what is learnt of the loop may change what it asks for: small chunks of a loop that nobody knows, chunks
  /// that end where costs change, or that fill a device whose filling had to be measured.
  virtual bool adapts() const { return false; }

  /// Whether idle devices may take from others under this policy.
  virtual bool steals() const { return true; }
};

/// Makes a policy from what stands behind its name and a colon ("65536" of "fixed:65536"; empty when there is no
/// colon). Fails: InputError that names the text.
using MakeChunkPolicy = std::function<std::unique_ptr<ChunkPolicy>(const std::string& argument)>;

/// The policy of this name: static, fixed[:ITEMS], formula, guided, factoring (the default), or a registered one.
/// Fails: InputError that names the text and the policies that exist.
std::unique_ptr<ChunkPolicy> make_chunk_policy(const std::string& spec);

/// Adds a policy under a new name. Threads: any.
/// Fails: InputError when the name is taken.
void register_chunk_policy(const std::string& name, MakeChunkPolicy make);

std::vector<std::string> chunk_policy_names();

}  // namespace skua
