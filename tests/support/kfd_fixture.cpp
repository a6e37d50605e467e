// Writes the files of a described KFD machine.
#include "support/kfd_fixture.hpp"

#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <skua/detail/pci_address.hpp>

namespace skua::test {
namespace {

/// Properties in the order of writing.
class Properties {
 public:
  explicit Properties(std::vector<std::pair<std::string, std::string>> defaults) : values_(std::move(defaults)) {}

  void change(const std::string& word) {
    if (word.starts_with('-')) {
      std::erase_if(values_, [&](const auto& value) { return value.first == word.substr(1); });
      return;
    }
    const auto equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error("not a property: " + word);
    set(word.substr(0, equals), word.substr(equals + 1));
  }

  void set(const std::string& name, const std::string& value) {
    for (auto& [known, content] : values_) {
      if (known != name) continue;
      content = value;
      return;
    }
    values_.emplace_back(name, value);
  }

  std::string to_text() const {
    std::string text;
    for (const auto& [name, value] : values_) text += name + ' ' + value + '\n';
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

class Expander {
 public:
  explicit Expander(const TemporaryFolder& folder) : folder_(folder) {}

  void expand(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::string word;
      if (!(words >> word)) continue;
      if (word == "cpu") {
        add_cpu(words);
      } else if (word == "gpu") {
        add_gpu(words);
      } else if (word == "file") {
        add_file(words);
      } else {
        add_links(word, words);
      }
    }
  }

 private:
  static std::string next(std::istringstream& words) {
    std::string word;
    words >> word;
    return word;
  }

  void write_node(const std::string& number, const Properties& properties, const std::string& gpu_id) {
    folder_.write("nodes/" + number + "/properties", properties.to_text());
    folder_.write("nodes/" + number + "/gpu_id", gpu_id + "\n");
    folder_.write("nodes/" + number + "/name", "\n");
    std::filesystem::create_directories(folder_.path() / "nodes" / number / "io_links");
  }

  void write_link(const std::string& kind, const std::string& from, const std::string& to, Properties properties) {
    properties.set("node_from", from);
    properties.set("node_to", to);
    const std::string number = std::to_string(links_[from + kind]++);
    folder_.write("nodes/" + from + "/" + kind + "/" + number + "/properties", properties.to_text());
  }

  static Properties link_properties(const char* type, const char* weight, const char* bandwidth) {
    return Properties({{"type", type},
                       {"node_from", ""},
                       {"node_to", ""},
                       {"weight", weight},
                       {"min_bandwidth", bandwidth},
                       {"max_bandwidth", bandwidth},
                       {"flags", "1"}});
  }

  void add_cpu(std::istringstream& words) {
    write_node(next(words), Properties({{"cpu_cores_count", "64"}, {"simd_count", "0"}}), "0");
  }

  void add_gpu(std::istringstream& words) {
    const std::string number = next(words);
    next(words);
    const auto address = PciAddress::from_text(next(words));
    if (!address) throw std::runtime_error("gpu " + number + " has no address");
    next(words);
    const std::string cpu = next(words);
    const unsigned location = static_cast<unsigned>(address->bus << 8 | address->device << 3 | address->function);
    Properties properties({{"cpu_cores_count", "0"},
                           {"simd_count", "416"},
                           {"simd_per_cu", "4"},
                           {"gfx_target_version", "90010"},
                           {"vendor_id", "4098"},
                           {"device_id", "29711"},
                           {"location_id", std::to_string(location)},
                           {"domain", std::to_string(address->domain)},
                           {"hive_id", "0"},
                           {"unique_id", std::to_string(1000 + location + 70'000 * address->domain)}});
    for (std::string word; words >> word;) properties.change(word);
    write_node(number, properties, "1" + number);
    write_link("io_links", number, cpu, link_properties("2", "20", "32000"));
    write_link("io_links", cpu, number, link_properties("2", "20", "32000"));
  }

  void add_links(const std::string& word, std::istringstream& words) {
    const std::string from = next(words);
    const std::string to = next(words);
    const bool is_p2p = word == "p2p";
    if (!is_p2p && word != "link" && word != "links") throw std::runtime_error("not a word of a machine: " + word);
    Properties properties = is_p2p ? link_properties("2", "72", "0") : link_properties("11", "15", "50000");
    for (std::string change; words >> change;) properties.change(change);
    const char* kind = is_p2p ? "p2p_links" : "io_links";
    write_link(kind, from, to, properties);
    if (word != "link") write_link(kind, to, from, properties);
  }

  void add_file(std::istringstream& words) {
    const std::string path = next(words);
    std::string content;
    std::getline(words >> std::ws, content);
    folder_.write("nodes/" + path, content.empty() ? "" : content + "\n");
  }

  const TemporaryFolder& folder_;
  std::map<std::string, int> links_;
};

}  // namespace

KfdFixture KfdFixture::from_text(const std::string& text) {
  KfdFixture fixture;
  Expander(fixture.folder()).expand(text);
  return fixture;
}

KfdFixture KfdFixture::from_file(const std::string& name) {
  const std::string path = std::string(SKUA_SOURCE_DIR) + "/tests/fixtures/kfd/" + name + ".kfd";
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be opened");
  return from_text(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace skua::test
