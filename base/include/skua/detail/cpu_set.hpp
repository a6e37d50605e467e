// A set of logical CPUs, by the operating system's numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skua {

/// Logical CPUs in ascending order, each once.
class CpuSet {
 public:
  CpuSet() = default;
  /// Takes CPUs in any order; repeats are dropped.
  explicit CpuSet(std::vector<unsigned> cpus);

  /// Reads the kernel's list form: "0-3,8,10-11"; the empty text is the empty set.
  /// Returns nullopt when the text is not such a list, or names a CPU above 1,048,575.
  static std::optional<CpuSet> from_list(std::string_view text);
  std::string to_list() const;

  bool empty() const noexcept { return cpus_.empty(); }
  std::size_t size() const noexcept { return cpus_.size(); }
  bool contains(unsigned cpu) const noexcept;
  const std::vector<unsigned>& cpus() const noexcept { return cpus_; }
  CpuSet intersection(const CpuSet& other) const;

  bool operator==(const CpuSet&) const = default;

 private:
  std::vector<unsigned> cpus_;
};

}  // namespace skua
