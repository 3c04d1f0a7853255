// SPDX-License-Identifier: MIT
//
// Every JSON that the program writes is valid by its published schema (reports/schema), and the
// schemas are strict: whatever one thing is changed in such a document, it is refused. The judge is
// Debian's python3-jsonschema.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/stored_run.h"

namespace interlock::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;
using Paths = std::vector<std::string>;

ChildResult InterlockJson(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

ChildResult JudgeBySchema(const std::string& schema, const Paths& documents, bool mutate) {
  std::vector<std::string> words = {"/usr/bin/python3", INTERLOCK_CHECK_SCHEMA};
  if (mutate) words.emplace_back("--mutate");
  words.push_back(std::string(INTERLOCK_SCHEMAS "/") + schema + ".schema.json");
  words.insert(words.end(), documents.begin(), documents.end());
  return RunChild(words);
}

void ExpectStrictlyValid(const std::string& schema, const Paths& documents) {
  ASSERT_FALSE(documents.empty());
  for (const bool mutate : {false, true}) {
    const ChildResult judged = JudgeBySchema(schema, documents, mutate);
    EXPECT_EQ(judged.exit_code, 0) << schema << "\n" << judged.out << judged.err;
    EXPECT_THAT(judged.out, HasSubstr(" checked, 0 complaints"));
  }
}

class SchemasTest : public ::testing::Test {
 protected:
  /// A file with what the program prints.
  std::string Printed(const std::string& name, const std::vector<std::string>& words,
                      const std::set<int>& codes) {
    const ChildResult child = InterlockJson(words);
    EXPECT_TRUE(codes.contains(child.exit_code)) << child.exit_code << "\n" << child.err;
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << child.out;
    return path;
  }

  static Paths FilesIn(const std::string& folder) {
    Paths paths;
    for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
    return paths;
  }

  const ScratchFolder folder_;
  const std::string out_ = folder_.path() + "/out";
};

TEST_F(SchemasTest, TheLogOfAMeasurement) {
  const ChildResult measured = InterlockJson({"contend", "--lock", "fair-mutex", "--clients", "3",
                                              "--duration", "1s", "--faults", "pauses", "--lease",
                                              "100ms", "--hold", "20ms", "--trace", "--out", out_});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const std::string log = out_ + "/traces/fair-mutex.3.jsonl";
  const ChildResult judged = JudgeBySchema("log", {log}, false);
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
  // A change of any member of a line is seen: the longest line of each kind.
  std::map<std::string, std::string> longest;
  std::istringstream lines(ReadFile(log));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t kind = line.find("\"event\"");
    std::string& kept = longest[kind == std::string::npos ? "head" : line.substr(kind, 18)];
    if (line.size() > kept.size()) kept = line;
  }
  Paths documents;
  for (const auto& [kind, line] : longest) {
    documents.push_back(fmt::format("{}/line{}.json", folder_.path(), documents.size()));
    std::ofstream(documents.back()) << line;
  }
  EXPECT_GT(documents.size(), 8U);
  ExpectStrictlyValid("log", documents);
}

TEST_F(SchemasTest, AMeasurementOfContention) {
  const std::string gate = folder_.path() + "/gate.toml";
  std::ofstream(gate) << "[[threshold]]\nmetric = 'abandoned'\nmax = 0\n";
  const std::string run = Printed(
      "contention.json",
      {"contend", "--lock", "mutex,mutex.renewed", "--clients", "1,4", "--duration", "2s",
       "--faults", "pauses", "--lease", "100ms", "--hold", "200ms", "--gate", gate, "--json"},
      {0});
  ExpectStrictlyValid("contention", {run});
}

TEST_F(SchemasTest, ACheckItsCounterexamplesAndTheirReplay) {
  const std::string run =
      Printed("run.json",
              {"check", "--lock", "mutex,broken/del-without-owner", "--scenario", "overstay",
               "--runs", "300", "--json", "--out", out_},
              {0});
  ExpectStrictlyValid("run", {run, out_ + "/run.json"});
  const Paths cases = FilesIn(out_ + "/counterexamples");
  ExpectStrictlyValid("counterexample", cases);
  const std::string replay = Printed("replay.json", {"replay", cases.front(), "--json"}, {1});
  ExpectStrictlyValid("run", {replay});
}

TEST_F(SchemasTest, WhatIsNewAgainstAnEarlierRun) {
  const auto check = [this](const std::string& name, const std::string& scenario) {
    testing::LeaveFailingRun(out_ + name, {"--scenario", scenario, "--runs", "60"});
    return out_ + name;
  };
  const std::string old = check("old", "overstay");
  const std::string now = check("new", "kleppmann.*");
  const std::string diff = Printed("diff.json", {"report", "diff", old, now, "--json"}, {1});
  ExpectStrictlyValid("diff", {diff});
}

// Much that a quiet case has not: several servers, owners on each, faults of servers, readers.
TEST_F(SchemasTest, CounterexamplesOfManyKinds) {
  Paths cases;
  for (const auto& [lock, scenario] : {std::pair("broken/votes-half", "quorum-contention"),
                                       {"mutex", "failover"},
                                       {"broken/counted-readers", "chaos"},
                                       {"broken/multi-unordered", "nested"},
                                       {"broken/latch-counts-resends", "chaos"},
                                       {"broken/random-fence", "guarded"}}) {
    const std::string out = out_ + std::to_string(cases.size());
    const ChildResult run = InterlockJson(
        {"check", "--lock", lock, "--scenario", scenario, "--runs", "200", "--out", out});
    ASSERT_LT(run.exit_code, 3) << run.err;
    const Paths found = FilesIn(out + "/counterexamples");
    EXPECT_FALSE(found.empty()) << lock << " in " << scenario;
    cases.insert(cases.end(), found.begin(), found.end());
  }
  const ChildResult judged = JudgeBySchema("counterexample", cases, false);
  EXPECT_EQ(judged.exit_code, 0) << judged.out << judged.err;
}

TEST_F(SchemasTest, AShard) {
  const ChildResult run =
      InterlockJson({"check", "--lock", "mutex,broken/del-without-owner", "--scenario",
                     "kleppmann.*", "--runs", "60", "--shard", "1/2", "--out", out_});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ExpectStrictlyValid("shard", {out_ + "/run.shard-1-of-2.json"});
}

TEST_F(SchemasTest, AnExploration) {
  const std::string run = Printed("run.json",
                                  {"explore", "--lock", "broken/del-without-owner", "--clients",
                                   "2", "--attempts", "1", "--json", "--out", out_},
                                  {0, 1});
  ExpectStrictlyValid("run", {run});
  ExpectStrictlyValid("counterexample", FilesIn(out_ + "/counterexamples"));
}

TEST_F(SchemasTest, TheGuaranteesAndTheKills) {
  ExpectStrictlyValid(
      "guarantees", {Printed("guarantees.json",
                             {"guarantees", "--lock", "mutex", "--runs", "20", "--json"}, {0, 2})});
  ExpectStrictlyValid("kills", {Printed("kills.json",
                                        {"check", "--specimens", "--lock",
                                         "broken/del-without-owner", "--runs", "50", "--json"},
                                        {0, 1})});
}

TEST_F(SchemasTest, ARunThatWasInterrupted) {
  const ChildResult run =
      RunChild({INTERLOCK_PROGRAM, "check", "--lock", "mutex", "--runs", "1000000", "--out", out_},
               testing::LateSignal{std::chrono::milliseconds(500), SIGINT});
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_THAT(ReadFile(out_ + "/run.json"), HasSubstr("\"status\": \"partial\""));
  ExpectStrictlyValid("run", {out_ + "/run.json"});
}

#ifdef INTERLOCK_MISBEHAVING
TEST_F(SchemasTest, ARunThatALockHasEnded) {
  const ChildResult run = RunChild({INTERLOCK_MISBEHAVING, "check", "--lock", "test/aborting",
                                    "--scenario", "contention", "--runs", "10", "--out", out_});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  ExpectStrictlyValid("run", {out_ + "/run.json"});
}
#endif

TEST_F(SchemasTest, TheLists) {
  for (const char* what : {"locks", "scenarios", "faults", "properties", "commands"}) {
    ExpectStrictlyValid("list", {Printed(what, {"list", what, "--json"}, {0})});
  }
}

// The names of the published files are part of what users rely on.
TEST(SchemaFilesTest, EachIsNamedAfterWhatItDescribes) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(INTERLOCK_SCHEMAS)) {
    names.insert(entry.path().filename());
  }
  EXPECT_EQ(names, (std::set<std::string>{
                       "audit.schema.json", "contention.schema.json", "counterexample.schema.json",
                       "diff.schema.json", "forced.schema.json", "guarantees.schema.json",
                       "junit.xsd", "kills.schema.json", "list.schema.json", "log.schema.json",
                       "run.schema.json", "shard.schema.json"}));
}

}  // namespace
}  // namespace interlock::scenarios
