// Reads nvidia-smi's matrix of relations, whose columns go on with network cards, CPUs and NUMA nodes.
#include "nvidia_smi.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <graph/graph.hpp>
#include "nvidia_relation.hpp"
#include "pasted_text.hpp"

namespace skua {
namespace {

constexpr std::size_t words_max = 4 * gpu_count_max;
constexpr std::size_t prefix_max = 4;

struct Row {
  std::size_t line = 0;
  std::uint32_t gpu = 0;
  std::string_view text;  ///< of its first line, behind the label
  std::vector<std::string_view> words;
  bool is_wrapped = false;
  bool is_cut = false;
};

struct Header {
  std::size_t line = 0;
  std::vector<std::string_view> columns;  ///< of the matrix: GPUs, then network cards
  bool has_cpus = false;
  bool has_numa_nodes = false;
  bool has_gpu_nodes = false;
};

/// Where the label of a line stands; a prompt or the time of a log may come first.
std::optional<std::size_t> label_place(const std::vector<std::string_view>& words) {
  for (std::size_t at = 0; at < std::min(words.size(), prefix_max + 1); ++at) {
    if (gpu_number(words[at])) return at;
  }
  return std::nullopt;
}

bool is_row(const std::vector<std::string_view>& words, std::size_t label) {
  const bool is_prose = label + 1 < words.size() && words[label + 1][0] >= 'a' && words[label + 1][0] <= 'z';
  return !is_prose && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(label) + 1, words.end(),
                                  [](auto word) { return !relations_in(word).empty(); });
}

bool is_header_word(std::string_view word) {
  constexpr std::array<std::string_view, 5> names = {"CPU", "NUMA", "GPU", "ID", "Affinity"};
  return std::find(names.begin(), names.end(), word) != names.end() || gpu_number(word) ||
         word.find_first_of("0123456789_") != std::string_view::npos;
}

bool is_header(const std::vector<std::string_view>& words, std::size_t label) {
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(label);
  const bool is_wide = words.size() > label + 1 && gpu_number(words[label + 1]);
  const bool has_names = std::find(begin, words.end(), "Affinity") != words.end();
  // Behind the matrix there may be columns of any name.
  const auto matrix_end = std::find_if(begin, words.end(), [](auto word) { return word == "CPU" || word == "NUMA"; });
  return (is_wide || has_names || words.size() == 1) && std::all_of(begin, matrix_end, is_header_word);
}

class NvidiaSmiReader {
 public:
  NvidiaSmiReader(std::string_view text, const std::string& source) : lines_(text), notes_(source) {}
  Topology read();

 private:
  void read_line(const TextLine& line);
  void add_to_header(const TextLine& line, const std::vector<std::string_view>& words, std::size_t from);
  void add_row(const TextLine& line, std::vector<std::string_view> words, std::size_t label);
  void settle_columns();
  void add_gpus(Topology& topology);
  void read_row(const Row& row, Topology& topology);
  void read_cells(const Row& row, std::size_t from, const std::vector<std::string_view>& cells);
  void read_affinity(const Row& row, std::vector<std::string_view> words, Gpu& gpu);
  void compare_directions(const Topology& topology);
  std::optional<Relation>& at(std::size_t from, std::size_t to) { return relations_[from * places_.size() + to]; }

  TextLines lines_;
  TextNotes notes_;
  Header header_;
  std::vector<Row> rows_;
  std::unordered_map<std::uint32_t, std::size_t> row_of_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  ///< of GPUs by their number
  std::vector<std::optional<Relation>> relations_;
  enum class Open { nothing, header, row, passed_row } open_ = Open::nothing;
};

void NvidiaSmiReader::read_line(const TextLine& line) {
  auto words = words_of(line.text, words_max);
  const auto label = label_place(words);
  if (contains(line.text, "Unable to determine the device handle")) {
    notes_.add(line.number, "the driver does not answer for a GPU, which may be missing here", shown(line.text));
  } else if (words.empty()) {
    open_ = Open::nothing;
  } else if (label && is_row(words, *label)) {
    add_row(line, std::move(words), *label);
  } else if (label && rows_.empty() && (open_ == Open::header || header_.columns.empty()) && is_header(words, *label)) {
    if (header_.line == 0) header_.line = line.number;
    add_to_header(line, words, *label);
    open_ = Open::header;
  } else if (open_ == Open::header && std::all_of(words.begin(), words.end(), is_header_word)) {
    add_to_header(line, words, 0);
  } else if (open_ == Open::row && continues_row(words)) {
    Row& row = rows_.back();
    if (row.words.size() < words_max) row.words.insert(row.words.end(), words.begin(), words.end());
    row.is_wrapped = true;
    row.is_cut = line.is_cut;
  } else {
    open_ = Open::nothing;
  }
}

void NvidiaSmiReader::add_to_header(const TextLine& line, const std::vector<std::string_view>& words,
                                    std::size_t from) {
  bool is_matrix = !header_.has_cpus && !header_.has_numa_nodes && !header_.has_gpu_nodes;
  for (std::size_t at = from; at < words.size(); ++at) {
    const auto word = words[at];
    if (word == "CPU") header_.has_cpus = true;
    // "GPU NUMA ID" is told from "NUMA Affinity" by its last word.
    if (word == "NUMA" && (at == 0 || words[at - 1] != "GPU")) header_.has_numa_nodes = true;
    if (word == "GPU" || word == "ID") header_.has_gpu_nodes = true;
    is_matrix = is_matrix && word != "CPU" && word != "NUMA" && word != "GPU" && word != "ID" && word != "Affinity";
    if (is_matrix) header_.columns.push_back(word);
  }
  if (header_.columns.size() > words_max) check_gpu_count(header_.columns.size(), line.number, notes_, "");
}

void NvidiaSmiReader::add_row(const TextLine& line, std::vector<std::string_view> words, std::size_t label) {
  Row row;
  row.line = line.number;
  row.gpu = *gpu_number(words[label]);
  const char* behind = words[label].data() + words[label].size();
  row.text = line.text.substr(static_cast<std::size_t>(behind - line.text.data()));
  row.is_cut = line.is_cut;
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(label) + 1);
  row.words = std::move(words);
  open_ = Open::passed_row;
  if (!row_of_.emplace(row.gpu, rows_.size()).second) {
    notes_.add(line.number, "a GPU has a second row; the first counts", fmt::format("GPU{}", row.gpu));
    return;
  }
  rows_.push_back(std::move(row));
  check_gpu_count(rows_.size(), line.number, notes_, "");
  open_ = Open::row;
}

/// Where the header does not name the GPUs of all rows, the rows themselves tell the columns, if their X agree.
void NvidiaSmiReader::settle_columns() {
  if (rows_.empty()) return;
  std::unordered_map<std::uint32_t, std::size_t> columns;
  for (const auto column : header_.columns) {
    if (const auto number = gpu_number(column)) columns.emplace(*number, columns.size());
  }
  const auto has_column = [&](const Row& row) { return columns.contains(row.gpu); };
  if (std::all_of(rows_.begin(), rows_.end(), has_column)) return;
  std::size_t place = 0;
  const auto is_self = [&](const Row& row) {
    const std::size_t self = place++;
    return self < row.words.size() && row.words[self] == "X";
  };
  if (!std::all_of(rows_.begin(), rows_.end(), is_self)) return;
  notes_.add(header_.line == 0 ? rows_.front().line : header_.line,
             "the header does not name the GPUs of all rows; columns are taken to stand in the order of rows");
  header_ = Header{rows_.front().line, {}, header_.has_cpus, header_.has_numa_nodes, header_.has_gpu_nodes};
  for (const Row& row : rows_) {
    const char* behind = row.text.data();
    const std::size_t length = fmt::format("GPU{}", row.gpu).size();
    header_.columns.emplace_back(behind - length, length);
  }
}

void NvidiaSmiReader::add_gpus(Topology& topology) {
  std::vector<std::uint32_t> numbers;
  for (const auto column : header_.columns) {
    if (const auto number = gpu_number(column)) numbers.push_back(*number);
  }
  for (const Row& row : rows_) numbers.push_back(row.gpu);
  for (const std::uint32_t number : numbers) {
    if (!places_.emplace(number, places_.size()).second) continue;
    Gpu gpu;
    gpu.name = fmt::format("GPU{}", number);
    gpu.basis = Basis::file;
    topology.gpus.push_back(std::move(gpu));
  }
}

void NvidiaSmiReader::read_row(const Row& row, Topology& topology) {
  std::vector<std::string_view> cells;
  auto word = row.words.begin();
  for (; word != row.words.end() && cells.size() < header_.columns.size(); ++word) {
    const auto glued = relations_in(*word);
    if (glued.empty()) {
      cells.push_back(*word);
    } else {
      cells.insert(cells.end(), glued.begin(), glued.end());
    }
  }
  const std::size_t from = places_.at(row.gpu);
  if (cells.size() > header_.columns.size()) {
    notes_.add(row.line, "a row is longer than the header; what is behind the last column is passed over",
               topology.gpus[from].name);
    cells.resize(header_.columns.size());
  }
  const bool has_more = header_.has_cpus || header_.has_numa_nodes || header_.has_gpu_nodes;
  const bool ends_in_matrix = cells.size() < header_.columns.size() || (has_more && word == row.words.end());
  if (row.is_cut && ends_in_matrix && !cells.empty()) cells.pop_back();
  const bool is_short = cells.size() < header_.columns.size();
  if (is_short) {
    notes_.add(row.line, "a row is cut off",
               fmt::format("{} has {} of {} cells", topology.gpus[from].name, cells.size(), header_.columns.size()));
  }
  read_cells(row, from, cells);
  if (!is_short) read_affinity(row, {word, row.words.end()}, topology.gpus[from]);
}

void NvidiaSmiReader::read_cells(const Row& row, std::size_t from, const std::vector<std::string_view>& cells) {
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const auto number = gpu_number(header_.columns[column]);
    if (!number) continue;
    const std::size_t to = places_.at(*number);
    const bool is_self = cells[column] == "X";
    if (is_self != (to == from)) {
      notes_.add(row.line, "the X of a row does not stand in its own column", fmt::format("GPU{}", row.gpu));
    }
    if (is_self || to == from || at(from, to)) continue;
    at(from, to) = relation_from(cells[column]);
    if (!at(from, to)) {
      notes_.add(row.line, "a relation is not understood; the pair stays unknown", shown(cells[column]));
    }
  }
}

void NvidiaSmiReader::read_affinity(const Row& row, std::vector<std::string_view> words, Gpu& gpu) {
  const std::size_t count = std::size_t{header_.has_cpus} + header_.has_numa_nodes + header_.has_gpu_nodes;
  if (row.is_cut && words.size() < count && !words.empty()) words.pop_back();
  auto word = words.begin();
  // A machine may tell no CPUs: the column is then empty, and what comes first is the NUMA node.
  const bool has_all = words.size() >= count || row.is_cut;
  if (header_.has_cpus && word != words.end() &&
      (has_all || begins_with_cpus(row.text, header_.columns.size(), *word))) {
    gpu.cpus = cpus_from(*word);
    if (!gpu.cpus && *word != "N/A") notes_.add(row.line, "a CPU list is not understood", shown(*word));
    ++word;
  }
  if (!header_.has_numa_nodes || word == words.end() || *word == "N/A") return;
  if (const auto node = small_number(*word)) {
    gpu.numa_node = NumaId{*node};
  } else {
    notes_.add(row.line, "the NUMA affinity is not one node; it stays unknown", shown(*word));
  }
}

void NvidiaSmiReader::compare_directions(const Topology& topology) {
  for (std::size_t to = 0; to < topology.gpus.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      auto& there = at(from, to);
      auto& back = at(to, from);
      const auto names = [&] { return fmt::format("{} and {}", topology.gpus[from].name, topology.gpus[to].name); };
      if (there.has_value() != back.has_value()) {
        (there ? back : there) = there ? there : back;
        notes_.add(header_.line, "a pair stands in one direction only; the other is taken to be like it", names());
      } else if (there != back) {
        notes_.add(header_.line, "the directions of a pair differ; each is kept as printed", names());
      } else if (!there) {
        notes_.add(header_.line, "the relation of a pair is not told", names());
      }
    }
  }
}

Topology NvidiaSmiReader::read() {
  while (const auto line = lines_.next()) read_line(*line);
  settle_columns();
  Topology topology;
  add_gpus(topology);
  check_gpu_count(topology.gpus.size(), lines_.count(), notes_, "a table of GPUs; `nvidia-smi topo -m` prints one");
  relations_.resize(places_.size() * places_.size());
  for (const Row& row : rows_) read_row(row, topology);
  compare_directions(topology);
  std::vector<Link> known;
  for (std::size_t from = 0; from < places_.size(); ++from) {
    for (std::size_t to = 0; to < places_.size(); ++to) {
      if (from == to || !at(from, to)) continue;
      Link link = link_from(*at(from, to));
      link.from = GpuId{static_cast<std::uint32_t>(from)};
      link.to = GpuId{static_cast<std::uint32_t>(to)};
      known.push_back(link);
    }
  }
  complete_links(topology, known, LinkKind::unknown, Basis::file);
  number_hives_by_links(topology);
  notes_.append_to(topology.notes);
  return topology;
}

}  // namespace

bool is_nvidia_smi(const std::string& content) {
  if (!contains(content, "GPU")) return false;
  TextLines lines(content);
  while (const auto line = lines.next()) {
    if (!contains(line->text, "GPU")) continue;
    const std::string text = plain_text(line->text.substr(0, 4096));
    const auto words = words_of(text, prefix_max + 3);
    const auto label = label_place(words);
    if (label && is_row(words, *label)) return true;
    if (label && contains(line->text, "CPU Affinity")) return true;
  }
  return false;
}

Topology read_nvidia_smi(const std::string& content, const std::string& source) {
  const std::string text = plain_text(content);
  return NvidiaSmiReader(text, source).read();
}

}  // namespace skua
