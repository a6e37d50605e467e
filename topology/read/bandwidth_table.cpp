// Reads the device list and the matrices over CPUs and GPUs.
#include "bandwidth_table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <graph/graph.hpp>
#include <text/numbers.hpp>
#include <text/pieces.hpp>
#include "amd_tables.hpp"

namespace skua {
namespace {

struct Device {
  std::string name;
  std::optional<PciAddress> pci;
  bool is_gpu = false;
};

bool is_label(std::string_view word) {
  return small_number(word).has_value();
}

std::optional<AmdTable> title_of(std::string_view line) {
  if (contains(line, "Inter-Device Access")) return AmdTable::access;
  if (contains(line, "Inter-Device Numa Distance")) return AmdTable::weight;
  if (!contains(line, "bandwidth GB/s")) return std::nullopt;
  return contains(line, "Unidirectional") ? AmdTable::copy_speed : AmdTable::other;
}

class BandwidthTestReader {
 public:
  BandwidthTestReader(std::string_view text, const std::string& source) : lines_(text), notes_(source) {}
  Topology read();

 private:
  bool read_device(const TextLine& line);
  void find_devices_in_tables();
  std::optional<NumaId> nearest_cpu(std::size_t gpu_place) const;
  void collect_distances();
  void leave_out_doubtful(AmdPairs& pairs);

  TextLines lines_;
  TextNotes notes_;
  AmdTables tables_{is_label, "D/D", notes_};
  std::map<std::uint32_t, Device> devices_;
  std::optional<std::uint32_t> listed_;  ///< the device that the lines of a long list are about
  std::vector<std::string> gpu_labels_;
  /// From each GPU, by its place, to each CPU, by its place among CPUs.
  std::vector<std::map<std::uint32_t, std::uint64_t>> cpu_distances_;
};

/// "Device: 1,  name,  id,  19:0.0"; or, in the long list, lines "Device Index: 1", "Device Type: GPU" and so on.
bool BandwidthTestReader::read_device(const TextLine& line) {
  const auto begin = line.text.find("Device");
  const auto colon = line.text.find(':');
  if (begin == std::string_view::npos || colon == std::string_view::npos || colon < begin) return false;
  const auto name = trimmed(line.text.substr(begin, colon - begin));
  std::string_view rest = trimmed(line.text.substr(colon + 1));
  if (name == "Device") {
    const auto number = small_number(trimmed(rest.substr(0, rest.find(','))));
    if (!number) return false;
    Device device;
    const auto last = trimmed(rest.substr(rest.rfind(',') + 1));
    device.pci = PciAddress::from_text(last);
    device.is_gpu = device.pci.has_value();
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
    if (device.is_gpu) device.name = shown(trimmed(rest.substr(0, rest.find(','))));
    if (!devices_.emplace(*number, std::move(device)).second) {
      notes_.add(line.number, "a device is listed twice; the first counts", std::to_string(*number));
    }
  } else if (name == "Device Index") {
    listed_ = small_number(rest);
    if (listed_) devices_[*listed_];
  } else if (listed_ && name == "Device Type") {
    devices_[*listed_].is_gpu = rest == "GPU";
  } else if (listed_ && name.starts_with("Device") && name.ends_with("BDF")) {
    devices_[*listed_].pci = PciAddress::from_text(rest);
  } else if (listed_ && name == "Device Name" && devices_[*listed_].is_gpu) {
    devices_[*listed_].name = shown(rest);
  } else {
    return false;
  }
  check_gpu_count(std::max<std::size_t>(devices_.size(), 1), line.number, notes_, "");
  return true;
}

/// The list was cut off: a copy within a device is measured for GPUs only.
void BandwidthTestReader::find_devices_in_tables() {
  const PastedTable* speeds = tables_.table(AmdTable::copy_speed);
  if (!devices_.empty() || speeds == nullptr) return;
  for (const PastedRow& row : speeds->rows) {
    const auto number = *small_number(row.label);
    Device& device = devices_[number];
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      if (speeds->columns[column] == row.label) device.is_gpu = row.cells[column] != "N/A";
    }
  }
  notes_.add(speeds->line, "there is no list of devices; those with a copy speed of their own are taken for GPUs");
}

void BandwidthTestReader::collect_distances() {
  std::map<std::string, std::size_t, std::less<>> gpus;
  std::map<std::string, std::uint32_t, std::less<>> cpus;
  for (const auto& [number, device] : devices_) {
    if (device.is_gpu) {
      gpus.emplace(std::to_string(number), gpus.size());
      gpu_labels_.push_back(std::to_string(number));
    } else {
      cpus.emplace(std::to_string(number), static_cast<std::uint32_t>(cpus.size()));
    }
  }
  cpu_distances_.resize(gpu_labels_.size());
  const PastedTable* distances = tables_.table(AmdTable::weight);
  if (distances == nullptr) return;
  for (const PastedRow& row : distances->rows) {
    const auto gpu = gpus.find(row.label);
    if (gpu == gpus.end()) continue;
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const auto cpu = cpus.find(distances->columns[column]);
      const auto distance = number_from<std::uint64_t>(row.cells[column]);
      if (cpu != cpus.end() && distance) cpu_distances_[gpu->second].emplace(cpu->second, *distance);
    }
  }
}

std::optional<NumaId> BandwidthTestReader::nearest_cpu(std::size_t gpu_place) const {
  const auto& distances = cpu_distances_[gpu_place];
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto nearest = std::min_element(distances.begin(), distances.end(), less);
  if (nearest == distances.end()) return std::nullopt;
  const auto is_as_near = [&](const auto& other) { return other.second == nearest->second; };
  if (std::count_if(distances.begin(), distances.end(), is_as_near) > 1) return std::nullopt;
  return NumaId{nearest->first};
}

void BandwidthTestReader::leave_out_doubtful(AmdPairs& pairs) {
  const PastedTable* table = tables_.table(AmdTable::copy_speed);
  if (table == nullptr) return;
  std::map<std::string_view, std::size_t> gpus;
  for (const std::string& label : gpu_labels_) gpus.emplace(label, gpus.size());
  MeasuredSpeeds speeds(gpu_labels_.size());
  std::vector<std::size_t> line_of_row(gpu_labels_.size(), table->line);
  for (const PastedRow& row : table->rows) {
    const auto gpu = gpus.find(row.label);
    std::vector<std::optional<double>> to_gpus(gpu_labels_.size());
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const auto to = gpus.find(table->columns[column]);
      if (to != gpus.end()) to_gpus[to->second] = copy_speed_from(row.cells[column]);
    }
    if (gpu == gpus.end()) {
      speeds.host_rows.push_back(std::move(to_gpus));
    } else {
      line_of_row[gpu->second] = row.line;
      speeds.at(gpu->second, gpu->second).gb_per_s = to_gpus[gpu->second];
    }
  }
  pairs.leave_out_doubtful(std::move(speeds), line_of_row, notes_);
}

Topology BandwidthTestReader::read() {
  while (const auto line = lines_.next()) {
    if (const auto title = title_of(line->text)) {
      tables_.begin(*title, line->number);
    } else if (!read_device(*line)) {
      tables_.add(*line);
    }
  }
  tables_.finish();
  find_devices_in_tables();
  collect_distances();
  check_gpu_count(gpu_labels_.size(), lines_.count(), notes_, "a GPU in the list of devices");

  Topology topology;
  for (const auto& [number, device] : devices_) {
    if (!device.is_gpu) continue;
    Gpu gpu;
    gpu.name = device.name;
    gpu.pci = device.pci;
    gpu.numa_node = nearest_cpu(topology.gpus.size());
    gpu.basis = Basis::file;
    topology.gpus.push_back(std::move(gpu));
  }
  const auto has_node = [](const Gpu& gpu) { return gpu.numa_node.has_value(); };
  if (std::any_of(topology.gpus.begin(), topology.gpus.end(), has_node)) {
    notes_.add(1, "NUMA nodes are the places of the nearest CPUs in the list of devices");
  }
  AmdPairs pairs({gpu_labels_.begin(), gpu_labels_.end()});
  tables_.add_to(pairs);
  leave_out_doubtful(pairs);
  pairs.link(topology, notes_);
  notes_.append_to(topology.notes);
  return topology;
}

}  // namespace

bool is_rocm_bandwidth_test(const std::string& content) {
  return contains(content, "Inter-Device ") || contains(content, "RocmBandwidthTest") ||
         contains(content, "directional copy peak bandwidth GB/s");
}

Topology read_bandwidth_table(const std::string& content, const std::string& source) {
  const std::string text = plain_text(content);
  return BandwidthTestReader(text, source).read();
}

}  // namespace skua
