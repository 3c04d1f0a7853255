// SPDX-License-Identifier: MIT
//
// A case comes back exactly, or not at all: whatever was damaged, cut, edited or recorded of
// another run is refused, with exit code 65, or 70 where the run itself went another way.
#include <csignal>

#include <cstdio>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/harness/replay.h>

#include "reports/json_writer.h"
#include "scenarios/cases/generators.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/search/shrink/explain.h"
#include "scenarios/search/shrink/trial.h"
#include "scenarios/search/to_report.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;
using testing::ScratchFolder;

std::string TraceHashLine(const reports::Record& record) {
  char line[40];
  std::snprintf(line, sizeof line, "trace hash 0x%016llx",
                static_cast<unsigned long long>(record.trace_hash));
  return line;
}

/// A violation of LK005 that a lock shows in "overstay", found among the campaign's runs.
Found FindCase(const Entry& entry) {
  Found found;
  found.unit = {&entry, FindScenario("overstay"), SynchronyClass::kNone};
  found.property = Judged::kForeignRelease;
  const RunCase run_case{entry.subject.get(), found.unit.scenario, found.unit.synchrony};
  const Generator generator(*found.unit.scenario);
  sim::Universe universe;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    found.workload = generator.Draw(seed);
    sim::Choices choices = sim::Choices::FromSeed(seed);
    const RunResult run = RunOnce(universe, run_case, found.workload, choices);
    const Violation* naming = NamingViolation(run, run_case, found.property);
    if (naming == nullptr || naming->property != found.property) continue;
    found.tape = choices.TakeTape();
    found.token = Encode({std::string(entry.subject->name()), "overstay", SynchronyClass::kNone,
                          PackedRun{found.workload, found.tape}});
    return found;
  }
  ADD_FAILURE() << "no run violates LK005";
  return found;
}

const Entry& Broken() {
  static const Entry entry = [] {
    const auto registry = cli::Registry::Make({});
    return *registry->Find("broken/del-without-owner");
  }();
  return entry;
}

struct Recorded {
  Recorded() : found(FindCase(Broken())) {
    example = Explain(found, "./interlock", Effort::kShow).counterexample;
  }
  /// Writes what `text` is to a file of its own and replays it.
  ChildResult Replay(const std::string& text, std::vector<std::string> options = {}) const {
    const std::string file = folder.path() + "/counterexample.json";
    std::ofstream(file, std::ios::binary) << text;
    std::vector<std::string> words = {INTERLOCK_PROGRAM, "replay", file};
    words.insert(words.end(), options.begin(), options.end());
    return RunChild(words);
  }
  Result<cli::ReplayCase> Read(const std::string& text) const {
    const std::string file = folder.path() + "/read.json";
    std::ofstream(file, std::ios::binary) << text;
    return cli::ReadReplayCase(file, *cli::Registry::Make({}));
  }

  const ScratchFolder folder;
  const Found found;
  reports::Counterexample example;
};

TEST(ReplayTest, AFileReplaysAsItWasRecorded) {
  const Recorded recorded;
  const ChildResult child = recorded.Replay(ToJson(recorded.example));
  EXPECT_EQ(child.exit_code, 1) << child.err;
  EXPECT_THAT(child.out, HasSubstr("LK005 RELEASED SOMEBODY ELSE'S LOCK"));
  EXPECT_THAT(child.out, HasSubstr("Does not matter: "));
  ASSERT_TRUE(recorded.example.record.has_value());
  EXPECT_THAT(child.out, HasSubstr(TraceHashLine(*recorded.example.record)));
}

TEST(ReplayTest, EveryCutFileIsRefused) {
  const Recorded recorded;
  const std::string text = ToJson(recorded.example);
  for (std::size_t size = 0; size + 2 < text.size(); size += 97) {
    EXPECT_FALSE(recorded.Read(text.substr(0, size)).ok()) << size;
  }
  const ChildResult child = recorded.Replay(text.substr(0, text.size() / 2));
  EXPECT_EQ(child.exit_code, 65);
  EXPECT_THAT(child.err, HasSubstr("not JSON"));
}

TEST(ReplayTest, EveryEditedCharacterOfTheTokenInAFileIsRefused) {
  const Recorded recorded;
  const std::string text = ToJson(recorded.example);
  const std::size_t line = text.find("\"replay\"");
  const std::size_t at = text.find(recorded.found.token, line);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 0; i < recorded.found.token.size(); ++i) {
    std::string edited = text;
    edited[at + i] = edited[at + i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(recorded.Read(edited).ok()) << i;
  }
}

TEST(ReplayTest, AnEditedTraceHashIsRefused) {
  const Recorded recorded;
  std::string text = ToJson(recorded.example);
  const std::size_t at = text.find("\"trace_hash\": \"0x") + 17;
  text[at] = text[at] == '1' ? '2' : '1';
  const ChildResult child = recorded.Replay(text);
  EXPECT_EQ(child.exit_code, 65);
  EXPECT_THAT(child.err, HasSubstr("edited or cut"));
}

TEST(ReplayTest, AnotherVersionInAFileIsRefused) {
  Recorded recorded;
  recorded.example.replay = "./interlock replay 'v9:whatever:comes:then'";
  const ChildResult child = recorded.Replay(ToJson(recorded.example));
  EXPECT_EQ(child.exit_code, 65);
  EXPECT_THAT(child.err, HasSubstr("version v9"));
}

// The record is sound, but of another run: as if the lock or the harness had changed since.
TEST(ReplayTest, AnotherRunIsADivergenceThatNamesItsFirstStep) {
  Recorded recorded;
  reports::Record& record = *recorded.example.record;
  ASSERT_EQ(record.stride, 1U);
  constexpr std::size_t kStep = 12;
  record.trace_hash ^= 1;
  for (std::size_t i = (kStep - 1) * 8; i < record.digests.size(); i += 8) {
    record.digests[i] = record.digests[i] == '0' ? '1' : '0';
  }
  const ChildResult child = recorded.Replay(ToJson(recorded.example));
  EXPECT_EQ(child.exit_code, 70);
  EXPECT_THAT(child.err, HasSubstr("the first difference to the recorded run is at step 12"));
  EXPECT_THAT(child.err, HasSubstr(recorded.found.token));
}

TEST(ReplayTest, ARunOfAnotherLengthIsADivergence) {
  Recorded recorded;
  reports::Record& record = *recorded.example.record;
  record.trace_hash ^= 1;
  record.digests += "00000000";
  ++record.steps;
  EXPECT_THAT(recorded.Replay(ToJson(recorded.example)).err, HasSubstr("this run ends after"));
  record.digests.resize(80);
  record.steps = 10;
  EXPECT_THAT(recorded.Replay(ToJson(recorded.example)).err, HasSubstr("ended at step 10"));
}

TEST(ReplayTest, BreakRaisesTheSignalAtTheViolatingStep) {
  const Recorded recorded;
  EXPECT_EQ(recorded.Replay(ToJson(recorded.example)).signal, 0) << "only if asked";
  EXPECT_EQ(recorded.Replay(ToJson(recorded.example), {"--break"}).signal, SIGTRAP);
  const RunCase run_case{Broken().subject.get(), recorded.found.unit.scenario,
                         SynchronyClass::kNone};
  sim::Universe universe;
  int stops = 0;
  StepWatch watch{recorded.example.record->violating_step, [&] { ++stops; }};
  sim::Choices choices = sim::Choices::FromTape(recorded.found.tape);
  const RunResult run = RunOnce(universe, run_case, recorded.found.workload, choices, true, &watch);
  EXPECT_EQ(stops, 1);
  const Violation* violation = run.Find(Judged::kForeignRelease);
  for (const sim::TraceEvent& event : run.events) {
    if (event.step == watch.step) {
      EXPECT_EQ(event.time, violation->at);
    }
  }
}

TEST(ReplayTest, OnlyWhatTheRunPutToTheTestIsCounted) {
  const Recorded recorded;
  const std::string text = ToJson(recorded.example);
  const ChildResult told = recorded.Replay(text);
  EXPECT_EQ(told.exit_code, 1) << told.err;
  EXPECT_THAT(told.out, HasSubstr("not put to the test by this run: LK"));
  EXPECT_THAT(told.out, Not(HasSubstr("as expected")));
  const auto read = reports::ReadRunReport(recorded.Replay(text, {"--json"}).out);
  ASSERT_TRUE(read.value.has_value()) << read.error;
  for (const reports::ResultRow& row : read.value->results) {
    EXPECT_NE(row.verdict, reports::Verdict::kInconclusive) << row.code;
    EXPECT_EQ(row.pass, row.verdict == reports::Verdict::kHolds) << row.code;
  }
}

TEST(ReplayTest, APrefixIsContinuedWithOtherChoices) {
  const Recorded recorded;
  const std::string text = ToJson(recorded.example);
  const std::string last = std::to_string(recorded.example.record->steps);
  const ChildResult whole = recorded.Replay(text, {"--until", last});
  EXPECT_THAT(whole.out, HasSubstr(TraceHashLine(*recorded.example.record)));
  std::set<std::string> outs;
  for (const std::string then : {"random", "pct"}) {
    const std::vector<std::string> early = {"--until", "1", "--then", then, "--seed", "3"};
    const ChildResult first = recorded.Replay(text, early);
    EXPECT_LE(first.exit_code, 2) << first.err;
    EXPECT_EQ(first.out, recorded.Replay(text, early).out);
    outs.insert(first.out);
  }
  EXPECT_EQ(outs.size(), 2U) << "priorities choose as chance does";
  const ChildResult beyond = recorded.Replay(text, {"--until", "1000000"});
  EXPECT_EQ(beyond.exit_code, 64);
  EXPECT_THAT(beyond.err, HasSubstr("the run has " + last + " steps"));
  EXPECT_EQ(recorded.Replay(text, {"--then", "random"}).exit_code, 64);
  EXPECT_EQ(recorded.Replay(text, {"--until", "1", "--then", "luck"}).exit_code, 64);
}

TEST(ReplayTest, AsTestPrintsACaseThatCallsTheFunction) {
  const Recorded recorded;
  const ChildResult child = recorded.Replay(ToJson(recorded.example), {"--as-test"});
  EXPECT_EQ(child.exit_code, 0) << child.err;
  EXPECT_THAT(child.out, HasSubstr("TEST(BrokenDelWithoutOwnerRegression, LK005ForeignRelease)"));
  EXPECT_THAT(child.out, HasSubstr("#include <interlock/harness/replay.h>"));
  EXPECT_THAT(child.out, HasSubstr('"' + recorded.found.token + '"'));
  EXPECT_THAT(child.out, ::testing::Not(HasSubstr("SubjectUnderTest"))) << "a shipped lock";
  EXPECT_THAT(child.out, ::testing::Not(HasSubstr("documents")));
  const ChildResult documented =
      recorded.Replay(ToJson(recorded.example), {"--as-test", "--server", "valkey-9.2"});
  EXPECT_THAT(documented.out, HasSubstr("// valkey-9.2 is known from documents only"));
}

TEST(ReplayFunctionTest, ItJudgesTheLockThatItIsGiven) {
  const auto broken = testing::PlainSubject({.release_blindly = true});
  const Entry entry{broken, false, {}};
  const std::string token = FindCase(entry).token;
  const harness::ReplayVerdict before = harness::Replay(broken, token);
  EXPECT_TRUE(before.replayed) << before.text;
  EXPECT_TRUE(before.Violates("LK005")) << before.text;
  const harness::ReplayVerdict mended = harness::Replay(testing::PlainSubject(), token);
  EXPECT_TRUE(mended.replayed) << mended.text;
  EXPECT_FALSE(mended.Violates("LK005")) << mended.text;
}

TEST(ReplayFunctionTest, WhatIsNotThatLocksTokenIsRefused) {
  const Recorded recorded;
  EXPECT_TRUE(harness::Replay(recorded.found.token).Violates("LK005"));
  const auto plain = testing::PlainSubject();
  EXPECT_THAT(harness::Replay(plain, recorded.found.token).text, HasSubstr("not of test/plain"));
  EXPECT_THAT(harness::Replay(nullptr, recorded.found.token).text, HasSubstr("null"));
  EXPECT_FALSE(harness::Replay(recorded.found.token + "0").replayed);
  EXPECT_THAT(harness::Replay("v9:x:y").text, HasSubstr("version v9"));
}

}  // namespace
}  // namespace interlock::scenarios
