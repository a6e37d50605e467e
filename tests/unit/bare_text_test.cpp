// Descriptions out of terminals and logs: every format behind every kind of prefix.
#include <read/bare_text.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <skua/input.hpp>

#include <read/described.hpp>
#include "support/described_samples.hpp"

namespace skua {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string bare(const std::string& text) {
  TextNotes notes("log");
  return bare_text(text, notes);
}

Topology without_notes(Topology topology) {
  topology.notes.clear();
  return topology;
}

using PrefixOfLine = std::function<std::string(int)>;

std::string prefixed(const std::string& text, const PrefixOfLine& prefix) {
  std::string result;
  int number = 0;
  TextLines lines(text);
  while (const auto line = lines.next()) {
    result += prefix(number++);
    result += line->text;
    result += '\n';
  }
  return result;
}

std::vector<std::pair<std::string, PrefixOfLine>> prefixes() {
  const auto same = [](const std::string& prefix) { return [prefix](int) { return prefix; }; };
  return {{"Open MPI", same("[1,0]<stdout>:")},
          {"Open MPI with times",
           [](int number) { return fmt::format("Fri May  1 12:00:{:02} 2026[1,0]<stdout>:", number); }},
          {"PRRTE", same("[prterun-gpu01-77@1,0]<stdout>: ")},
          {"MPICH", same("[0] ")},
          {"srun", same("0: ")},
          {"srun of many", same(" 0: ")},
          {"torchrun", same("[rank0]: ")},
          {"kubectl", same("[pod/trainer-7f9c/main] ")},
          {"kubectl with times",
           [](int number) { return fmt::format("[pod/trainer-0/main] 2026-05-01T12:00:{:02}.5Z ", number); }},
          {"CRI", [](int number) { return fmt::format("2026-05-01T12:00:{:02}.5Z stdout F ", number); }},
          {"a log", [](int number) { return fmt::format("[2026-05-01 12:00:{:02},250] ", number); }},
          {"a system's log", [](int number) { return fmt::format("May  1 12:00:{:02} gpu01 launch[512]: ", number); }},
          {"the kernel's log", [](int number) { return fmt::format("[   12.{:06}] ", number); }},
          {"colours", same("\x1b[0;32m\x1b[K")},
          {"a title of a terminal", same("\x1b]0;a title\x07")}};
}

TEST(BareText, EveryFormatIsReadBehindEveryPrefix) {
  for (const auto& [name, text] : test::described_samples()) {
    const Topology expected = read_described(text, "log");
    for (const auto& [kind, prefix] : prefixes()) {
      SCOPED_TRACE(name + " behind " + kind);
      EXPECT_EQ(to_json(read_described(prefixed(text, prefix), "log")), to_json(expected));
    }
  }
}

// Of these the form is not known: XML and JSON tell where they begin, and tables pass over some words.
TEST(BareText, EveryFormatIsReadBehindPrefixesThatAreNotKnown) {
  const std::pair<std::string, PrefixOfLine> unknown[] = {
      {"pdsh", [](int) { return std::string("gpu01: "); }},
      {"compose", [](int) { return std::string("trainer-1  | "); }},
      {"seconds", [](int number) { return fmt::format("17777000{:02}.25 ", number); }},
      {"levels", [](int number) { return fmt::format("2026-05-01 12:00:{:02},250 INFO root: ", number); }},
      {"pdsh and srun", [](int) { return std::string("gpu01: 0: "); }},
      {"quoted", [](int) { return std::string("> "); }}};
  for (const auto& [name, text] : test::described_samples()) {
    const Topology expected = read_described(text, "log");
    for (const auto& [kind, prefix] : unknown) {
      SCOPED_TRACE(name + " behind " + kind);
      EXPECT_EQ(to_json(read_described(prefixed(text, prefix), "log")), to_json(expected));
    }
  }
}

TEST(BareText, EveryFormatIsReadBetweenPromptsAndCommands) {
  const std::string prompts[] = {"[admin@gpu01 ~]$ ",
                                 "[root@gpu01 /]# ",
                                 "admin@gpu01:~$ ",
                                 "$ ",
                                 "(base) admin@gpu01:/x# ",
                                 "[12:00:01] [admin@gpu01 ~]% ",
                                 "\x1b[32madmin@gpu01\x1b[0m:~$ "};
  for (const auto& [name, text] : test::described_samples()) {
    const Topology expected = without_notes(read_described(text, "log"));
    for (const std::string& prompt : prompts) {
      SCOPED_TRACE(name + " behind " + prompt);
      EXPECT_EQ(without_notes(read_described(prompt + "show it\n" + text + prompt, "log")), expected);
      EXPECT_EQ(
          without_notes(read_described("Last login: today\n" + prompt + "show it\n\n" + text + prompt + "\n", "log")),
          expected);
    }
  }
}

TEST(BareText, EveryFormatIsReadWithTheLineEndsOfWindows) {
  for (const auto& [name, text] : test::described_samples()) {
    std::string windows;
    for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(read_described("\xef\xbb\xbf" + windows, "log"), read_described(text, "log")) << name;
  }
}

TEST(BareText, OfSeveralRanksTheLinesOfOneAreRead) {
  const PrefixOfLine ranks[] = {[](int) { return std::string("0: "); }, [](int) { return std::string("1: "); }};
  for (const auto& [name, text] : test::described_samples()) {
    SCOPED_TRACE(name);
    std::string both;
    const std::string first = prefixed(text, ranks[0]);
    const std::string second = prefixed(text, ranks[1]);
    TextLines first_lines(first);
    TextLines second_lines(second);
    while (const auto line = first_lines.next()) {
      both += std::string(line->text) + '\n' + std::string(second_lines.next()->text) + '\n';
    }
    const Topology topology = read_described(both, "log");
    EXPECT_EQ(without_notes(topology).gpus, read_described(text, "log").gpus);
    EXPECT_THAT(topology.notes, ::testing::Contains(HasSubstr("log:2: lines of another rank, or of another place")));
  }
}

TEST(BareText, TheRankThatWroteMostIsRead) {
  EXPECT_EQ(bare("[1,0]<stdout>:hello\n[1,1]<stdout>:a\n[1,1]<stdout>:b\n[1,1]<stderr>:c\n"), "\na\nb\nc\n");
  EXPECT_EQ(bare("[pod/a-1/x] a\n[pod/b-2/x] b\n[pod/a-1/x] c\n[pod/a-1/x] d\n"), "a\n\nc\nd\n");
  EXPECT_EQ(bare("1: a\n0: b\n1: c\n0: d\n1: e\n0: f\n"), "a\n\nc\n\ne\n\n");
  EXPECT_EQ(bare("[INFO] a\n[INFO] b\n[INFO] c\n[WARN] d\n"), "a\nb\nc\nd\n");
}

TEST(BareText, TheLinesOfANumberedListAreNobodysInParticular) {
  EXPECT_EQ(bare("1: lo\n2: eth0\n3: ib0\nthe end\n"), "lo\neth0\nib0\nthe end\n");
}

TEST(BareText, LinesKeepTheirNumbers) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      read_described(text, "log");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(error_of("[a@b ~]$ cat x\n\n{\n\"gpus\": x\n"), HasSubstr("log:4: not JSON"));
  EXPECT_THAT(error_of("noise\n12:00:01 INFO {\n12:00:02 INFO \"gpus\": x\n"), HasSubstr("log:3: not JSON"));
#if SKUA_HAS_LIBXML2
  EXPECT_THAT(error_of("[a@b ~]$ cat x\n\n<system>\n</cpu>\n"), HasSubstr("log:4: not XML"));
  EXPECT_THAT(error_of("gpu01: <system>\ngpu01: </cpu>\n"), HasSubstr("log:2: not XML"));
#endif
}

TEST(BareText, WhatALogGoesOnWithBehindADocumentIsCutOff) {
  for (const auto& [name, text] : test::described_samples()) {
    SCOPED_TRACE(name);
    const Topology expected = read_described(text, "log");
    EXPECT_EQ(read_described(text + "\n12:00:01 \"done\" with } and ]\nbye\n", "log"), expected);
  }
}

TEST(BareText, WhatFollowsADocumentIsNotIgnoredWhenItIsAnother) {
  const std::string machine = "{\"gpus\": [{\"index\": 0, \"bdf\": \"0000:01:00.0\"}]}\n";
  EXPECT_THROW(read_described(machine + machine, "log"), InputError);
  EXPECT_THROW(read_described("{\"gpus\": [{\"index\": 0, \"bdf\": \"0000:01:00.0\"}]} x", "log"), InputError);
#if SKUA_HAS_LIBXML2
  EXPECT_THROW(read_described("<system><gpu/></system>\n<system><gpu/></system>\n", "log"), InputError);
#endif
}

TEST(BareText, TextThatHasNoneStaysAsItIs) {
  for (const auto& [name, text] : test::described_samples()) {
    TextNotes notes("log");
    EXPECT_EQ(bare_text(text, notes), text) << name;
    std::vector<std::string> said;
    notes.append_to(said);
    EXPECT_THAT(said, IsEmpty());
  }
  EXPECT_EQ(bare(""), "");
  EXPECT_EQ(bare("no end of line"), "no end of line");
  EXPECT_EQ(bare("\x1b"), "");
  EXPECT_EQ(bare("\x1b[\n\x1b]0;x\nb"), "\n\nb");
}

}  // namespace
}  // namespace skua
