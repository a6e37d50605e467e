// What stands before lines, and what only looks like it.
#include <read/line_prefix.hpp>

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace skua {
namespace {

std::string rest_of(const std::string& line) {
  return line.substr(prefix_of(line).length);
}

TEST(LinePrefix, KnowsPromptsRanksPodsAndTimes) {
  const std::string prefixes[] = {"[admin@gpu01 ~]$ ",
                                  "[root@gpu01 /]# ",
                                  "[1,0]<stdout>:",
                                  "[1,0]<stderr>: ",
                                  "[prterun-gpu01-77@1,3]<stdout>: ",
                                  "[0] ",
                                  "[rank0]: ",
                                  "[pod/trainer-7f9c/main] ",
                                  "0: ",
                                  "  12: ",
                                  "12:00:01 ",
                                  "[12:00:01] ",
                                  "[   12.345678] ",
                                  "2026-05-01T12:00:01.123456789Z ",
                                  "2026-05-01T12:00:01Z stdout F ",
                                  "2026-05-01 12:00:01,250 ",
                                  "2026/05/01 12:00:01+02:00 ",
                                  "May  1 12:00:01 ",
                                  "May 11 12:00:01 gpu01 launch[512]: ",
                                  "Fri May  1 12:00:01 2026[1,0]<stdout>:",
                                  "[2026-05-01 12:00:01] 3: ",
                                  "[pod/trainer-0/main] 2026-05-01T12:00:01Z [1,0]<stdout>:"};
  for (const std::string& prefix : prefixes) {
    EXPECT_EQ(rest_of(prefix + "GPU0  X"), "GPU0  X") << prefix;
    EXPECT_EQ(rest_of(prefix + "<system>"), "<system>") << prefix;
  }
}

TEST(LinePrefix, WhatADescriptionBeginsItsLinesWithIsNone) {
  const std::string lines[] = {"",
                               "   ",
                               "GPU[0]\t\t: (Topology) Numa Node: 0",
                               "GPU 0: name",
                               "0000:0c:00.0 SELF XGMI",
                               "01:00.0 SELF XGMI",
                               "Device: 0,  Some CPU",
                               "1         20        0",
                               "\tGPU0\tGPU1",
                               "[",
                               "[]",
                               "[ {",
                               "[1, 2],",
                               "[\"a\"] ",
                               "  [0, 1]",
                               "[0mGPU[0] X",
                               "[12:00:01",
                               "12:00:0",
                               "12:00:01.0.0",
                               "100 101 102 103 ",
                               "Mayor  1 12:00:01 ",
                               "12345678: x"};
  for (const std::string& line : lines) EXPECT_EQ(rest_of(line), line);
}

TEST(LinePrefix, TellsWhoPrintedALine) {
  const std::pair<std::string, std::string> cases[] = {{"[1,2]<stdout>:x", "1,2"},
                                                       {"[1,2]<stderr>:x", "1,2"},
                                                       {" 3: x", "3"},
                                                       {"[pod/a/b] 12:00:01 x", "pod/a/b"},
                                                       {"12:00:01 [rank4]: x", "rank4"},
                                                       {"[12:00:01] x", ""},
                                                       {"[me@here ~]$ x", ""},
                                                       {"x", ""}};
  for (const auto& [line, origin] : cases) EXPECT_EQ(prefix_of(line).origin, origin) << line;
}

// Columns are told by blanks and tabs behind a label.
TEST(LinePrefix, LeavesTheBlanksOfATableBehindIt) {
  EXPECT_EQ(rest_of("0: \tGPU0\tGPU1"), "\tGPU0\tGPU1");
  EXPECT_EQ(rest_of("0:   GPU0 GPU1"), "  GPU0 GPU1");
}

}  // namespace
}  // namespace skua
