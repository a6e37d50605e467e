// Measured speeds that are hardly those of the links they are measured over.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

/// What a program measured between the GPUs of one machine. Units: GB/s, one direction.
class MeasuredSpeeds {
 public:
  explicit MeasuredSpeeds(std::size_t gpu_count) : count_(gpu_count), pairs_(gpu_count * gpu_count) {}

  struct Pair {
    std::optional<double> gb_per_s;  ///< of a GPU with itself: copies within it
    LinkKind kind = LinkKind::unknown;
  };

  std::size_t count() const { return count_; }
  Pair& at(std::size_t from, std::size_t to) { return pairs_[from * count_ + to]; }
  const Pair& at(std::size_t from, std::size_t to) const { return pairs_[from * count_ + to]; }

  /// Copies from the host to each GPU: one row for each part of the host that was measured.
  std::vector<std::vector<std::optional<double>>> host_rows;

 private:
  std::size_t count_;
  std::vector<Pair> pairs_;
};

struct Doubt {
  GpuId from;
  std::optional<GpuId> to;  ///< nullopt: to all others
  std::string why;
};

/// Rows that repeat one of the host's although links join the GPU with others, or although its copies within itself do
/// so too; pairs of which one direction has ten times the speed of the other; joined pairs with less than a tenth of
/// what the host reaches; pairs that are as fast as copies within a GPU. In the order of the GPUs.
std::vector<Doubt> doubtful_speeds(const MeasuredSpeeds& speeds);

}  // namespace skua
