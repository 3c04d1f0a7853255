// SPDX-License-Identifier: MIT
//
// `interlock check` as a CI job meets it: what goes to which stream, what may be combined, and the
// corpus of saved counterexamples.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/run_report.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/stored_run.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadFile;
using testing::ReadReport;
using testing::RunChild;
using testing::ScratchFolder;

ChildResult Check(std::vector<std::string> words) {
  words.insert(words.begin(), {INTERLOCK_PROGRAM, "check"});
  return RunChild(words);
}

ChildResult Check(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return Check(std::move(words));
}

TEST(CheckCommandTest, JobsChangeNoByteOfTheOutput) {
  for (const bool json : {false, true}) {
    std::vector<std::string> words = {
        "--lock", "mutex,broken/del-w*", "--scenario", "overstay,chaos", "--runs", "150"};
    if (json) words.emplace_back("--json");
    const ChildResult one = Check(words, {"--jobs", "1"});
    const ChildResult three = Check(words, {"--jobs", "3"});
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_EQ(one.out, three.out);
    EXPECT_THAT(one.err, HasSubstr("done in "));
  }
}

TEST(CheckCommandTest, ASpecimenAloneBringsTheWitnessesOfItsConvictions) {
  const ScratchFolder folder;
  const ChildResult child = Check({"--lock", "broken/del-without-owner", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  const reports::RunReport report = ReadReport(ReadFile(folder.path() + "/run.json"));
  std::uint64_t runs = 0;
  int witnesses = 0;
  for (const reports::ResultRow& row : report.results) {
    EXPECT_EQ(row.witness, row.kind == reports::LockKind::kSound) << row.lock;
    witnesses += row.witness ? 1 : 0;
    if (!row.witness) runs = std::max(runs, row.runs);
  }
  EXPECT_GT(witnesses, 0);
  EXPECT_GE(report.totals.runs, runs);
}

TEST(CheckCommandTest, APassSaysWhatItIsWorth) {
  const ChildResult child = Check({"--lock", "mutex", "--scenario", "contention,kleppmann.k1"});
  EXPECT_EQ(child.exit_code, 0) << child.err;
  EXPECT_THAT(child.out, HasSubstr("all 44 placings"));
  EXPECT_THAT(child.out, ContainsRegex("rarer than 1 in [0-9]+ of the runs"));
  EXPECT_THAT(child.out, HasSubstr("weakest: mutex LK"));
}

TEST(CheckCommandTest, AThoroughCheckSaysItsOwnRuns) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--runs", "7"}, {"--budget", "1s"}, {"--redis", "spawn"}}) {
    const ChildResult child = Check({"--thorough"}, more);
    EXPECT_EQ(child.exit_code, 64) << more.front();
    EXPECT_THAT(child.out, IsEmpty());
    EXPECT_THAT(child.err, AllOf(HasSubstr("--thorough"), HasSubstr(more.front())));
  }
  const ChildResult thorough =
      Check({"--lock", "mutex", "--scenario", "contention", "--thorough", "--json"});
  EXPECT_EQ(thorough.exit_code, 0) << thorough.err;
  const reports::RunReport report = ReadReport(thorough.out);
  EXPECT_EQ(report.results.front().runs, 10'000U);
  const ChildResult asked =
      Check({"--lock", "mutex", "--scenario", "contention", "--runs", "10000", "--json"});
  EXPECT_EQ(thorough.out, asked.out) << "the same runs, and the same hash";
}

TEST(CheckCommandTest, AScenarioOfOtherServersSaysWhichItTakes) {
  const ChildResult child = Check({"--lock", "mutex", "--scenario", "cluster-slot-migration"});
  EXPECT_EQ(child.exit_code, 64);
  EXPECT_THAT(child.err, HasSubstr("does not happen to redis-7.0; expected --server valkey-9.1 or "
                                   "valkey-9.2"));
}

TEST(CheckCommandTest, AnUnknownWayOfExplainingIsAUsageError) {
  const ChildResult child = Check({"--explain", "some"});
  EXPECT_EQ(child.exit_code, 64);
  EXPECT_THAT(child.err, AllOf(HasSubstr("--explain"), HasSubstr("some"), HasSubstr("first")));
}

TEST(CheckCommandTest, ThoseThatAreNotExplainedKeepTheirTokenAndSize) {
  const ScratchFolder folder;
  const ChildResult child = Check({"--lock", "broken/del-without-owner", "--runs", "100",
                                   "--explain", "none", "--out", folder.path()});
  EXPECT_EQ(child.exit_code, 0) << child.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/counterexamples"));
  int violated = 0;
  for (const reports::ResultRow& row : ReadReport(ReadFile(folder.path() + "/run.json")).results) {
    if (row.verdict != reports::Verdict::kViolated) continue;
    ++violated;
    ASSERT_TRUE(row.replay && row.unshrunk) << row.property;
    EXPECT_GE(row.unshrunk->clients, 2U);
    EXPECT_EQ(RunChild({INTERLOCK_PROGRAM, "replay", *row.replay}).exit_code, 1) << row.property;
  }
  EXPECT_GT(violated, 0);
}

/// The counterexamples of a lock that is mended thereafter.
class SavedCasesTest : public ::testing::Test {
 protected:
  static constexpr const char* kPlain = "UNUSED=1";
  static constexpr const char* kMended = "MENDED=1";

  void SetUp() override {
    testing::LeaveFailingRun(folder_.path(), {"--scenario", "overstay", "--runs", "50"});
    for (const auto& file : std::filesystem::directory_iterator(cases_)) {
      names_.push_back(file.path().filename().string());
    }
    std::sort(names_.begin(), names_.end());
    ASSERT_GT(names_.size(), 1U);
  }

  static ChildResult CheckIt(const char* variable, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"/usr/bin/env", variable,        INTERLOCK_MENDABLE, "check",
                                      "--lock",       "test/mendable", "--runs",           "50"};
    words.insert(words.end(), more.begin(), more.end());
    return RunChild(words);
  }

  ChildResult Replay(const char* variable) {
    return CheckIt(variable, {"--scenario", "contention", "--cases", cases_, "--out", out_});
  }

  std::vector<reports::ResultRow> Rows() {
    return ReadReport(ReadFile(out_ + "/run.json")).results;
  }

  const ScratchFolder folder_;
  const std::string cases_ = folder_.path() + "/counterexamples";
  const std::string out_ = folder_.path() + "/out";
  std::vector<std::string> names_;
};

TEST_F(SavedCasesTest, ComeFirstAndFailAsTheyDid) {
  const ChildResult child = Replay(kPlain);
  EXPECT_EQ(child.exit_code, 1) << child.err;
  const std::vector<reports::ResultRow> rows = Rows();
  ASSERT_GT(rows.size(), names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    EXPECT_EQ(rows[i].saved_case, names_[i]);
    EXPECT_EQ(rows[i].verdict, reports::Verdict::kViolated);
    EXPECT_THAT(child.out, HasSubstr(names_[i]));
  }
  EXPECT_THAT(rows[names_.size()].saved_case, IsEmpty());
}

TEST_F(SavedCasesTest, OneThatNoLongerFailsIsSaid) {
  const ChildResult child = Replay(kMended);
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  EXPECT_THAT(child.out, AllOf(HasSubstr(names_.front()), HasSubstr("no longer")));
  EXPECT_EQ(Rows().front().verdict, reports::Verdict::kHolds);
}

TEST_F(SavedCasesTest, OneOfAnotherVersionIsSaidAndTheOthersAreReplayed) {
  const std::string path = cases_ + "/" + names_.front();
  std::string text = ReadFile(path);
  const std::string version = "interlock.counterexample/";
  const std::size_t at = text.find(version);
  ASSERT_NE(at, std::string::npos);
  text.replace(at + version.size(), 1, "9");
  std::ofstream(path) << text;
  const ChildResult child = Replay(kMended);
  EXPECT_EQ(child.exit_code, 65);
  EXPECT_THAT(child.err, AllOf(HasSubstr("saved case not replayed"), HasSubstr(names_.front())));
  EXPECT_EQ(Rows().front().saved_case, names_.at(1));
}

TEST_F(SavedCasesTest, ThoseOfLocksThatAreNotAskedForAreLeftOut) {
  const ChildResult child =
      RunChild({INTERLOCK_MENDABLE, "check", "--lock", "mutex", "--runs", "50", "--scenario",
                "contention", "--cases", cases_, "--out", out_});
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  EXPECT_THAT(child.err, HasSubstr(std::to_string(names_.size()) + " of other locks left out"));
  for (const reports::ResultRow& row : Rows()) EXPECT_THAT(row.saved_case, IsEmpty());
}

TEST_F(SavedCasesTest, AFolderWithoutCasesIsAUsageError) {
  const ChildResult missing = Check({"--cases", folder_.path() + "/none"});
  EXPECT_EQ(missing.exit_code, 64);
  EXPECT_THAT(missing.err, HasSubstr("/none"));
  std::filesystem::create_directory(folder_.path() + "/empty");
  EXPECT_EQ(Check({"--cases", folder_.path() + "/empty"}).exit_code, 64);
  EXPECT_EQ(Check({"--cases", cases_, "--shard", "1/2", "--out", out_}).exit_code, 64);
  EXPECT_EQ(Check({"--cases", cases_, "--specimens"}).exit_code, 64);
}

TEST(CheckCommandTest, HelpIsOneScreen) {
  const ChildResult help = Check({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_LE(std::count(help.out.begin(), help.out.end(), '\n'), 48);
  EXPECT_THAT(help.out, AllOf(HasSubstr("Examples:"), HasSubstr("--thorough")));
}

}  // namespace
}  // namespace interlock::scenarios
