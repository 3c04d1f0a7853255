// SPDX-License-Identifier: MIT
//
// A campaign shared by several processes is the campaign that one process runs: the same rows, the
// same hashes, the same exit code; and what is missing, double or foreign is refused.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json_writer.h"
#include "reports/shard_report.h"
#include "scenarios/search/plan.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

using testing::ChildResult;
using ::testing::HasSubstr;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;

// A sound lock that is a control and is explored, and a specimen that is stopped once convicted.
const std::vector<std::string> kCampaign = {
    "--lock", "mutex,broken/del-w*", "--scenario", "overstay,chaos,kleppmann.k1", "--jobs", "1"};

std::vector<std::string> Check(std::vector<std::string> more = {}) {
  std::vector<std::string> words = {INTERLOCK_PROGRAM, "check"};
  words.insert(words.end(), kCampaign.begin(), kCampaign.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ChildResult RunWith(std::vector<std::string> variables, const std::vector<std::string>& words) {
  variables.insert(variables.begin(), "/usr/bin/env");
  variables.insert(variables.end(), words.begin(), words.end());
  return RunChild(variables);
}

/// Runs the shards as an indexed job of Kubernetes would, and returns their files.
std::vector<std::string> RunShards(const std::string& folder, int total,
                                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> files;
  std::vector<std::string> words = Check({"--out", folder});
  words.insert(words.end(), more.begin(), more.end());
  for (int i = 0; i < total; ++i) {
    const ChildResult child = RunWith({"JOB_COMPLETION_INDEX=" + std::to_string(i),
                                       "INTERLOCK_SHARD_TOTAL=" + std::to_string(total)},
                                      words);
    EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
    EXPECT_THAT(child.err, HasSubstr("by JOB_COMPLETION_INDEX and INTERLOCK_SHARD_TOTAL"));
    EXPECT_THAT(child.out, HasSubstr("interlock report merge"));
    files.push_back(folder + "/run.shard-" + std::to_string(i + 1) + "-of-" +
                    std::to_string(total) + ".json");
  }
  return files;
}

ChildResult MergeFiles(std::vector<std::string> words) {
  words.insert(words.begin(), {INTERLOCK_PROGRAM, "report", "merge"});
  return RunChild(words);
}

TEST(ShardsTest, TheMergedShardsAreTheWholeCampaign) {
  const ChildResult whole = RunChild(Check({"--json"}));
  for (const int total : {2, 5}) {
    const ScratchFolder folder;
    std::vector<std::string> words = RunShards(folder.path(), total);
    std::reverse(words.begin(), words.end());  // the order of the files is nobody's business
    words.emplace_back("--json");
    const ChildResult merged = MergeFiles(words);
    EXPECT_EQ(merged.exit_code, whole.exit_code) << merged.err;
    EXPECT_EQ(merged.out, whole.out);
    EXPECT_THAT(merged.out, HasSubstr("broken/del-without-owner"));
  }
}

// Nothing is explored then, so nobody must miss it.
TEST(ShardsTest, SoAreThoseOfACampaignOfSoManyRuns) {
  const ScratchFolder folder;
  const std::vector<std::string> runs = {"--runs", "40"};
  std::vector<std::string> words = RunShards(folder.path(), 2, runs);
  words.emplace_back("--json");
  std::vector<std::string> undivided = Check({"--json"});
  undivided.insert(undivided.end(), runs.begin(), runs.end());
  const ChildResult whole = RunChild(undivided);
  const ChildResult merged = MergeFiles(words);
  EXPECT_EQ(merged.exit_code, whole.exit_code) << merged.err;
  EXPECT_EQ(merged.out, whole.out);
}

TEST(ShardsTest, EachShardTakesItsPart) {
  const ScratchFolder folder;
  std::size_t most = 0;
  std::size_t all = 0;
  for (const std::string& file : RunShards(folder.path(), 2)) {
    const auto read = reports::ReadShardReport(ReadFile(file));
    ASSERT_TRUE(read.value.has_value()) << read.error;
    EXPECT_FALSE(read.value->blocks.empty());
    most = std::max(most, read.value->blocks.size());
    all += read.value->blocks.size();
  }
  EXPECT_LT(most, all);
}

TEST(ShardsTest, WhatIsMissingDoubleOrDamagedIsRefused) {
  const ScratchFolder folder;
  const std::vector<std::string> files = RunShards(folder.path(), 2);
  EXPECT_EQ(MergeFiles({files[0]}).exit_code, 65);
  EXPECT_EQ(MergeFiles({files[0], files[0]}).exit_code, 65);
  EXPECT_EQ(MergeFiles({files[0], files[1], files[1]}).exit_code, 65);
  EXPECT_EQ(MergeFiles({files[0], folder.path() + "/none.json"}).exit_code, 65);
  EXPECT_EQ(MergeFiles({}).exit_code, 64);

  const auto good = reports::ReadShardReport(ReadFile(files[1]));
  ASSERT_TRUE(good.value.has_value());
  const std::string edited = folder.path() + "/edited.json";
  const auto refusal = [&](const std::function<void(reports::ShardReport&)>& edit) {
    reports::ShardReport report = *good.value;
    edit(report);
    std::ofstream(edited) << reports::ToJson(report);
    const ChildResult merged = MergeFiles({files[0], edited});
    EXPECT_EQ(merged.exit_code, 65) << merged.err;
    return merged.err;
  };
  using reports::ShardReport;
  EXPECT_THAT(refusal([](ShardReport& r) { r.blocks.pop_back(); }), HasSubstr("missing"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.blocks.push_back(r.blocks[0]); }), HasSubstr("twice"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.blocks[0].first += 50'000; }), HasSubstr("missing"));
  EXPECT_THAT(refusal([](ShardReport& r) { --r.blocks[0].runs; }), HasSubstr("instead of"));
  EXPECT_THAT(refusal([](ShardReport& r) {
                r.blocks.push_back(r.blocks[0]);
                r.blocks.back().first = 1'000'000;
              }),
              HasSubstr("in no plan"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.least_hunt = 300; }),
              HasSubstr("different campaigns"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.explores = false; }),
              HasSubstr("different campaigns"));
  reports::ShardExploration explored;
  explored.lock = "mutex";
  EXPECT_THAT(refusal([&](ShardReport& r) {
                r.explorations = {explored, explored};
              }),
              HasSubstr("the exploration of mutex is there twice"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.seed = 2; }), HasSubstr("different campaigns"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.tool.commit = "0000000"; }), HasSubstr("version"));
  EXPECT_THAT(refusal([](ShardReport& r) { r.status = reports::RunStatus::kPartial; }),
              HasSubstr("interrupted"));
}

// By default it is tried in some scenarios only.
TEST(ShardsTest, ALockAsItIsCompiledIsTriedAndMergedInTheScenariosThatAreNamed) {
  const ScratchFolder folder;
  std::vector<std::string> files;
  for (const std::string shard : {"1", "2"}) {
    const ChildResult half =
        RunChild({INTERLOCK_PROGRAM, "check", "--lock", "mutex.hiredis", "--scenario", "overstay",
                  "--runs", "50", "--jobs", "1", "--shard", shard + "/2", "--out", folder.path()});
    EXPECT_EQ(half.exit_code, 0) << half.out << half.err;
    files.push_back(folder.path() + "/run.shard-" + shard + "-of-2.json");
  }
  const ChildResult merged = MergeFiles(files);
  EXPECT_EQ(merged.exit_code, 0) << merged.out << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("50 runs"));
}

TEST(ShardsTest, AShardThatCannotBeOneIsAUsageError) {
  const ScratchFolder folder;
  EXPECT_EQ(RunChild(Check({"--shard", "1/2"})).exit_code, 64) << "without --out";
  EXPECT_EQ(RunChild(Check({"--shard", "3/2", "--out", folder.path()})).exit_code, 64);
  EXPECT_EQ(RunWith({"TEST_SHARD_INDEX=0"}, Check({"--out", folder.path()})).exit_code, 64);
  EXPECT_EQ(RunWith({"TEST_SHARD_INDEX=0", "TEST_TOTAL_SHARDS=2"},
                    {INTERLOCK_PROGRAM, "check", "--specimens"})
                .exit_code,
            64);
}

// A new lock or scenario must not move the blocks of all others to other shards.
TEST(ShardsTest, TheShardOfABlockDependsOnTheBlockAlone) {
  const Entry entry{testing::PlainSubject(), false, {}};
  const Unit unit{&entry, FindScenario("crash"), SynchronyClass::kNone};
  std::vector<int> counts(3);
  for (std::uint64_t first = 0; first < 30'000; first += kBlock) {
    int takers = 0;
    for (std::uint64_t index = 0; index < 3; ++index) {
      const bool taken = InShard(unit, {0, first, kBlock}, {index, 3});
      EXPECT_EQ(taken, InShard(unit, {7, first, kBlock}, {index, 3}));
      takers += taken ? 1 : 0;
      counts[index] += taken ? 1 : 0;
    }
    EXPECT_EQ(takers, 1);
  }
  for (const int count : counts) EXPECT_NEAR(count, 100, 40);
}

TEST(ShardsTest, AShardFileIsReadBackAsItWasWritten) {
  reports::ShardReport report;
  report.tool = {"1.2.3", "abc", "g++"};
  report.seed = ~std::uint64_t{0};
  report.runs = 7;
  report.strategy = "pos";
  report.lock = "m*";
  report.scenario = "*";
  report.index = 1;
  report.total = 3;
  reports::ShardBlock block;
  block.lock = "mutex";
  block.scenario = "pause";
  block.synchrony = reports::SynchronyClass::kArbitrary;
  block.hash = ~std::uint64_t{0};
  block.virtual_ns = 5;
  block.properties = {{"keys", 3, 2, {1, 9}}};
  block.goals = {{"contended", 4}};
  block.struck = {{"crash", 2}};
  block.stories = {{"C1 \"won\"", 1}};
  report.blocks = {block};
  const auto read = reports::ReadShardReport(reports::ToJson(report));
  ASSERT_TRUE(read.value.has_value()) << read.error;
  EXPECT_EQ(read.value->blocks, report.blocks);
  EXPECT_EQ(reports::ToJson(*read.value), reports::ToJson(report));
  for (const char* bad : {"", "{", "[]", "7", "{\"schema\": 3}", "{\"schema\": \"other/1\"}",
                          "{\"schema\": \"interlock.shard/1\"}"}) {
    const auto refused = reports::ReadShardReport(bad);
    EXPECT_FALSE(refused.value.has_value()) << bad;
    EXPECT_FALSE(refused.error.empty()) << bad;
  }
}

// Kubernetes does not say how many pods there are, so the manifest must say it twice, equally.
TEST(ShardsTest, TheExampleManifestNamesAsManyShardsAsItStarts) {
  const std::string manifest = ReadFile(INTERLOCK_CI_EXAMPLES "/kubernetes-job.yaml");
  std::smatch completions;
  std::smatch total;
  ASSERT_TRUE(std::regex_search(manifest, completions, std::regex("completions: ([0-9]+)")));
  ASSERT_TRUE(std::regex_search(manifest, total,
                                std::regex("INTERLOCK_SHARD_TOTAL\\s+value: \"([0-9]+)\"")));
  EXPECT_EQ(completions[1], total[1]);
  EXPECT_THAT(manifest, HasSubstr("completionMode: Indexed"));
}

TEST(ShardsTest, TheExampleWorkflowRunsEachShardOnce) {
  const std::string workflow = ReadFile(INTERLOCK_CI_EXAMPLES "/github-workflow.yml");
  std::smatch shards;
  std::smatch total;
  ASSERT_TRUE(std::regex_search(workflow, shards, std::regex("shard: \\[([0-9, ]+)\\]")));
  ASSERT_TRUE(std::regex_search(workflow, total, std::regex("matrix.shard \\}\\}/([0-9]+) ")));
  std::string expected;
  for (int i = 1; i <= std::stoi(total[1]); ++i) {
    expected += (i > 1 ? ", " : "") + std::to_string(i);
  }
  EXPECT_EQ(shards[1], expected);
}

// One job builds; those that check install what it has built.
TEST(ShardsTest, TheExampleWorkflowBuildsOnce) {
  const std::string workflow = ReadFile(INTERLOCK_CI_EXAMPLES "/github-workflow.yml");
  const auto count = [&workflow](const std::string& text) {
    const std::regex pattern(text);
    return std::distance(std::sregex_iterator(workflow.begin(), workflow.end(), pattern), {});
  };
  EXPECT_EQ(count("\\./interlock "), 1);
  EXPECT_EQ(count("run: \\./interlock package\n"), 1);
  EXPECT_EQ(count("path: build/package/interlock_\\*\\.deb\n"), 1) << "where it leaves the package";
  EXPECT_EQ(count("apt-get install [^\n]*\\./interlock_\\*\\.deb\n"), 2);
  EXPECT_EQ(count("(run: | {10})interlock (check|report) "), 4) << "the installed program";
}

}  // namespace
}  // namespace interlock::scenarios
