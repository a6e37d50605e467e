// The rules of the house that a program can check.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct File {
  std::string path;  ///< from the root of the sources
  std::string text;

  bool ends_with(const std::string& suffix) const { return path.ends_with(suffix); }
  bool is_in(const std::string& folder) const { return path.starts_with(folder + "/"); }
  bool is_code() const { return ends_with(".cpp") || ends_with(".hpp"); }
  long lines() const { return std::count(text.begin(), text.end(), '\n'); }
};

const std::vector<File>& files() {
  static const std::vector<File> all = [] {
    std::vector<File> found;
    const fs::path root = SKUA_SOURCE_DIR;
    for (const char* folder : {"base", "topology", "runtime", "scheduler", "simulation", "tools", "samples", "bench",
                               "tests", "scripts", "cmake", "docs"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream stream(entry.path());
        found.push_back({fs::relative(entry.path(), root).string(), {std::istreambuf_iterator<char>(stream), {}}});
      }
    }
    return found;
  }();
  return all;
}

std::vector<std::string> includes_of(const File& file) {
  static const std::regex include("#include [<\"]([^>\"]+)[>\"]");
  std::vector<std::string> names;
  for (auto at = std::sregex_iterator(file.text.begin(), file.text.end(), include); at != std::sregex_iterator();
       ++at) {
    names.push_back((*at)[1]);
  }
  return names;
}

TEST(Tidy, FindsTheSources) {
  EXPECT_GT(files().size(), 100u);
}

TEST(Tidy, KeepsFilesShort) {
  for (const File& file : files()) {
    if (file.ends_with(".hpp")) {
      EXPECT_LE(file.lines(), 200) << file.path;
    }
    if (file.ends_with(".cpp")) {
      EXPECT_LE(file.lines(), 400) << file.path;
    }
    if (file.path == "base/README.md" || file.path == "topology/README.md" || file.path == "runtime/README.md" ||
        file.path == "scheduler/README.md" || file.path == "simulation/README.md") {
      EXPECT_LE(file.lines(), 60) << file.path;
    }
  }
}

TEST(Tidy, GuardsEveryHeader) {
  for (const File& file : files()) {
    if (file.ends_with(".hpp")) {
      EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
    }
  }
}

/// The modules, each above those before it. What programs are made of is above them all and includes any.
const std::vector<std::string>& modules() {
  static const std::vector<std::string> all = {"base", "topology", "runtime", "scheduler", "simulation", "tools"};
  return all;
}

/// The place in modules() of what lies in that folder; one more than the last for samples, benches and tests.
std::size_t floor_of(const std::string& path) {
  const auto found = std::find(modules().begin(), modules().end(), path.substr(0, path.find('/')));
  return static_cast<std::size_t>(found - modules().begin());
}

/// From the root of the sources, the header that <name> is; empty for headers of others. Within its folder a name that
/// is in quotes comes first.
std::string header_of(const File& file, const std::string& name) {
  const fs::path root = SKUA_SOURCE_DIR;
  std::vector<fs::path> places = {fs::path(file.path).parent_path() / name};
  for (const std::string& module : modules()) {
    if (name.starts_with("skua/")) places.push_back(fs::path(module) / "include" / name);
    if (name.find('/') != std::string::npos) places.push_back(fs::path(module) / name);
  }
  for (const fs::path& place : places) {
    if (fs::exists(root / place)) return place.lexically_normal().string();
  }
  return "";
}

bool is_promised(const std::string& header) {
  return header.find("/include/skua/") != std::string::npos;
}

TEST(Tidy, IncludesDownwardsOnly) {
  std::size_t over_borders = 0;
  for (const File& file : files()) {
    if (!file.is_code()) continue;
    for (const std::string& name : includes_of(file)) {
      const std::string header = header_of(file, name);
      if (header.empty()) continue;
      EXPECT_LE(floor_of(header), floor_of(file.path)) << file.path << " includes " << header << " from above";
      over_borders += floor_of(header) < floor_of(file.path) ? 1 : 0;
    }
  }
  EXPECT_GT(over_borders, 100u);
}

TEST(Tidy, PromisesNoHeaderThatNeedsAnotherOne) {
  for (const File& file : files()) {
    if (!is_promised(file.path)) continue;
    for (const std::string& name : includes_of(file)) {
      const std::string header = header_of(file, name);
      EXPECT_TRUE(header.empty() || is_promised(header)) << file.path << " includes " << header;
    }
  }
}

TEST(Tidy, GivesEachFolderOfTheModulesANameOfItsOwn) {
  std::map<std::string, std::string> module_of;
  for (const File& file : files()) {
    if (floor_of(file.path) >= floor_of("simulation/") || std::count(file.path.begin(), file.path.end(), '/') < 2)
      continue;
    const std::string module = file.path.substr(0, file.path.find('/'));
    const std::string folder =
        file.path.substr(module.size() + 1, file.path.find('/', module.size() + 1) - module.size());
    if (folder == "include/") continue;
    EXPECT_EQ(module_of.emplace(folder, module).first->second, module) << folder;
  }
}

TEST(Tidy, IncludesInQuotesWithinAFolderOnly) {
  static const std::regex quoted("#include \"([^\"]+)\"");
  for (const File& file : files()) {
    if (!file.is_code() || floor_of(file.path) >= floor_of("simulation/")) continue;
    for (auto at = std::sregex_iterator(file.text.begin(), file.text.end(), quoted); at != std::sregex_iterator(); ++at)
      EXPECT_EQ((*at)[1].str().find('/'), std::string::npos) << file.path << ": " << (*at)[1];
  }
}

TEST(Tidy, KeepsVendorsOutOfHeadersAndOfTheScheduler) {
  static const std::regex vendor("^(hip/|cuda|tbb/|oneapi/|hwloc|numa|rocm_smi|nvml|simgrid).*");
  // The one header that maps the names of one vendor's runtime to the other's, for sources with bodies for GPUs.
  const std::string mapping = "runtime/include/skua/detail/hip_names.hpp";
  for (const File& file : files()) {
    const bool forbidden = file.is_in("scheduler") || file.path.find("/include/skua/") != std::string::npos;
    if (!forbidden || file.path == mapping) continue;
    for (const std::string& name : includes_of(file))
      EXPECT_FALSE(std::regex_match(name, vendor)) << file.path << ": " << name;
  }
}

TEST(Tidy, LeavesNothingOpenAndNoTabs) {
  static const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  for (const File& file : files()) {
    if (!file.is_code()) continue;
    for (const std::string& mark : marks)
      EXPECT_EQ(file.text.find(mark), std::string::npos) << file.path << ": " << mark;
    EXPECT_EQ(file.text.find('\t'), std::string::npos) << file.path;
  }
}

TEST(Tidy, ListsEveryTest) {
  std::string lists;
  for (const File& file : files()) {
    if (file.ends_with(".cmake") || file.ends_with("CMakeLists.txt")) lists += file.text;
  }
  for (const File& file : files()) {
    if (file.is_in("tests") && file.ends_with("_test.cpp")) {
      EXPECT_NE(lists.find(fs::path(file.path).filename().string()), std::string::npos) << file.path;
    }
  }
}

/// x_test.cpp tests some x.cpp or x.hpp, or, where x would not say enough, FOLDER_x_test.cpp tests FOLDER/x.
TEST(Tidy, NamesEveryTestSourceAfterWhatItTests) {
  std::set<std::string> tested;
  for (const File& file : files()) {
    if (!file.is_code() || file.is_in("tests")) continue;
    const fs::path path = file.path;
    tested.insert(path.stem().string());
    tested.insert(path.parent_path().filename().string() + "_" + path.stem().string());
  }
  for (const File& file : files()) {
    if (!file.is_in("tests") || !file.ends_with(".cpp") || file.is_in("tests/support")) continue;
    if (file.is_in("tests/install")) continue;  // programs of users
    const std::string suffix = file.is_in("tests/fuzz") ? "_fuzz" : "_test";
    const std::string name = fs::path(file.path).stem().string();
    ASSERT_TRUE(name.ends_with(suffix)) << file.path;
    // All other folders are named after what their tests have in common.
    if (!file.is_in("tests/unit")) continue;
    EXPECT_TRUE(tested.contains(name.substr(0, name.size() - suffix.size()))) << file.path << " tests no such file";
  }
}

/// What stands beside one another knows nothing of one another.
TEST(Tidy, KeepsBenchesSamplesAndToolsFreeOfTests) {
  for (const File& file : files()) {
    if (file.is_in("tests")) continue;
    if (file.is_code()) {
      for (const std::string& name : includes_of(file))
        EXPECT_FALSE(name.starts_with("support/") || name.starts_with("tests/")) << file.path << ": " << name;
    }
    if (file.ends_with("CMakeLists.txt") || file.ends_with(".cmake")) {
      EXPECT_EQ(file.text.find("/tests/support"), std::string::npos) << file.path;
    }
  }
}

TEST(Tidy, KeepsVendorsInTheSourcesOfThreeModules) {
  static const std::regex vendor("^(hip/|cuda|tbb/|oneapi/|hwloc\\.h|numa\\.h|rocm_smi/|nvml\\.h|simgrid).*");
  for (const File& file : files()) {
    if (file.is_in("bench") || file.is_in("tests"))
      continue;  // benches compare with rivals, recorded tests call vendors
    const bool is_private = file.path.find("/include/") == std::string::npos;
    if ((file.is_in("base") || file.is_in("topology") || file.is_in("runtime")) && is_private) continue;
    if (file.path == "runtime/include/skua/detail/hip_names.hpp") continue;
    for (const std::string& name : includes_of(file))
      EXPECT_FALSE(std::regex_match(name, vendor)) << file.path << ": " << name;
  }
}

/// Tests run beside one another: a name that two of them write to would fail one of them now and then.
TEST(Tidy, LetsTestsWriteIntoFoldersOfTheirOwnOnly) {
  const std::string shared = std::string("Temp") + "Dir()";
  for (const File& file : files()) {
    if (!file.is_in("tests")) continue;
    EXPECT_EQ(file.text.find(shared), std::string::npos) << file.path << " writes beside others: TemporaryFolder";
  }
}

TEST(Tidy, NamesNoFolderOfOneMachine) {
  // In two pieces each, so that this file passes.
  static const std::vector<std::string> folders = {std::string("/wo") + "rk/", std::string("/ho") + "me/",
                                                   std::string("/tm") + "p/", std::string("/ro") + "ot/"};
  for (const File& file : files()) {
    if (file.is_in("tests/fixtures")) continue;
    for (const std::string& folder : folders)
      EXPECT_EQ(file.text.find(folder), std::string::npos) << file.path << ": " << folder;
  }
}

/// Where a fixture is listed.
struct TableRow {
  std::string table;  ///< the README that it is in
  std::string name;
};

TableRow table_row_of(const fs::path& fixture) {
  const fs::path recorded = "tests/fixtures/recorded";
  const fs::path within = fixture.lexically_relative(recorded);
  // FORMAT/NAME.ending, FORMAT/NAME/..., and expected/ before either: one machine has many files there, and one row.
  std::vector<fs::path> parts(within.begin(), within.end());
  if (!parts.empty() && parts.front() == "expected") parts.erase(parts.begin());
  if (parts.size() < 2 || parts.front() == "..") {
    return {(fixture.parent_path() / "README.md").string(), fixture.stem().string()};
  }
  const fs::path& machine = parts[1];
  return {(recorded / "README.md").string(), (parts.size() == 2 ? machine.stem() : machine).string()};
}

TEST(Tidy, ListsEveryFixtureInTheTableOfItsFolder) {
  std::size_t fixtures = 0;
  for (const File& file : files()) {
    if (!file.is_in("tests/fixtures") || file.ends_with("README.md")) continue;
    ++fixtures;
    const TableRow row = table_row_of(file.path);
    const auto readme =
        std::find_if(files().begin(), files().end(), [&](const File& f) { return f.path == row.table; });
    ASSERT_NE(readme, files().end()) << row.table;
    EXPECT_NE(readme->text.find("| " + row.name + " |"), std::string::npos) << file.path;
  }
  EXPECT_GT(fixtures, 0u);
}

}  // namespace
