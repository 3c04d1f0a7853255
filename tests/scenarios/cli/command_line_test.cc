// SPDX-License-Identifier: MIT
//
// The program as a shell sees it: exit codes, what goes to which stream, and JSON that can be read.
#include <csignal>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/json_writer.h"
#include "reports/run_report.h"
#include "scenarios/cases/replay_token.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/stored_run.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::ReadReport;
using testing::RunChild;
using testing::ScratchFolder;
using testing::TokenIn;

ChildResult Interlock(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

TEST(CommandLineTest, AnUnknownOptionIsAUsageError) {
  const ChildResult child = Interlock({"check", "--no-such-option"});
  EXPECT_EQ(child.exit_code, 64);
  EXPECT_TRUE(child.out.empty()) << child.out;
  EXPECT_THAT(child.err, HasSubstr("no-such-option"));
}

TEST(CommandLineTest, NoCommandOrAnUnknownOneIsAUsageError) {
  const ChildResult bare = Interlock({});
  EXPECT_EQ(bare.exit_code, 64);
  EXPECT_THAT(bare.err, AllOf(HasSubstr("which command?"), HasSubstr("guarantees")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"chek"}, {"chek", "--lock", "mutex"}, {"help", "chek"}}) {
    const ChildResult child = Interlock(words);
    EXPECT_EQ(child.exit_code, 64);
    EXPECT_THAT(child.err, HasSubstr("unknown command \"chek\"; did you mean \"check\"?"));
  }
}

TEST(CommandLineTest, ANamedCaseIsCheckedByItsName) {
  const ChildResult child = Interlock(
      {"check", "--lock", "mutex", "--scenario", "kleppmann.k1", "--runs", "1", "--json"});
  EXPECT_EQ(child.exit_code, 0) << child.err;
  const reports::RunReport report = ReadReport(child.out);
  ASSERT_FALSE(report.results.empty());
  for (const reports::ResultRow& row : report.results) EXPECT_EQ(row.scenario, "kleppmann.k1");
}

TEST(CommandLineTest, SeveralLocksAreCheckedTogetherHoweverTheyAreGiven) {
  const auto checked = [](std::vector<std::string> locks) {
    locks.insert(locks.begin(), "check");
    for (const char* word : {"--scenario", "overstay", "--runs", "300", "--json"}) {
      locks.emplace_back(word);
    }
    const ChildResult child = Interlock(locks);
    EXPECT_EQ(child.exit_code, 0) << child.err;
    std::set<std::string> names;
    for (const reports::ResultRow& row : ReadReport(child.out).results) names.insert(row.lock);
    return names;
  };
  const std::set<std::string> both{"broken/del-without-owner", "mutex"};
  EXPECT_EQ(checked({"--lock", "mutex,broken/del-w*"}), both);
  EXPECT_EQ(checked({"--lock", "mutex", "--lock", "broken/del-w*"}), both);
}

// What is rendered later is what the run itself wrote, with the run's exit code.
TEST(CommandLineTest, AStoredRunIsRenderedAsTheRunDidIt) {
  const ScratchFolder folder;
  const std::string out = folder.path() + "/run";
  const ChildResult run = Interlock({"check", "--lock", "broken/del-without-owner", "--scenario",
                                     "overstay", "--runs", "300", "--out", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string rendered = folder.path() + "/rendered";
  const ChildResult report =
      Interlock({"report", out, "--format", "junit,markdown", "--out", rendered});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_EQ(ReadFile(rendered + "/junit.xml"), ReadFile(out + "/junit.xml"));
  EXPECT_THAT(ReadFile(rendered + "/report.md"), HasSubstr("# PASS"));
  EXPECT_THAT(Interlock({"report", out + "/run.json", "--format", "csv"}).out,
              HasSubstr("\"foreign-release\""));
}

TEST(CommandLineTest, AReportOfWhatIsNotThereSaysSo) {
  const ScratchFolder folder;
  EXPECT_EQ(Interlock({"report"}).exit_code, 64);
  EXPECT_EQ(Interlock({"report", folder.path() + "/x"}).exit_code, 64);
  EXPECT_EQ(Interlock({"report", folder.path() + "/x", "--format", "csv"}).exit_code, 65);
  const ChildResult unknown = Interlock({"report", folder.path() + "/x", "--format", "markdwn"});
  EXPECT_EQ(unknown.exit_code, 64);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"markdown\"?"));
  EXPECT_EQ(Interlock({"report", folder.path() + "/x", "--format", "csv,junit"}).exit_code, 64);
}

TEST(CommandLineTest, HelpListsTheCommandsAndOneCommandsOptions) {
  const ChildResult all = Interlock({"help"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  for (const char* command : {"check", "replay", "list", "explain", "help"}) {
    EXPECT_THAT(all.out, HasSubstr(command));
  }
  const ChildResult one = Interlock({"help", "check"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("--scenario"));
}

// A seed that is cut, wrapped or negated would be a campaign that nobody asked for.
TEST(CommandLineTest, ASeedIsTakenAsItStandsOrRefused) {
  for (const char* bad : {"-1", "18446744073709551616", "0x10000000000000000", "1.5", "1e3", "",
                          " 1", "+1", "0x", "12ab"}) {
    EXPECT_EQ(Interlock({"check", "--runs", "1", "--seed", bad}).exit_code, 64) << bad;
  }
  for (const auto& [good, seed] :
       {std::pair<std::string, std::uint64_t>("18446744073709551615", ~std::uint64_t{0}),
        {"0xfF", 255},
        {"0", 0}}) {
    const ChildResult child = Interlock({"check", "--lock", "mutex", "--scenario", "contention",
                                         "--runs", "2", "--json", "--seed", good});
    EXPECT_EQ(ReadReport(child.out).seed, seed);
  }
}

TEST(CommandLineTest, AnEmptyOutFolderIsAUsageError) {
  EXPECT_EQ(Interlock({"check", "--out", ""}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--redis", ""}).exit_code, 64);
}

// Without --runs this campaign takes minutes: the place must be found wanting before it.
TEST(CommandLineTest, AnOutFolderThatCannotBeIsFoundOutAtOnce) {
  for (const char* place : {"/proc/x", "/dev/full", "/proc"}) {
    const ChildResult child = Interlock({"check", "--out", place});
    EXPECT_EQ(child.exit_code, 65) << child.err;
    EXPECT_THAT(child.err, HasSubstr(place));
    EXPECT_TRUE(child.out.empty()) << child.out;
  }
}

TEST(CommandLineTest, OptionsOfTheSimulationAreRefusedForARealServer) {
  for (const char* option : {"--runs", "--watchdog"}) {
    const ChildResult child = Interlock({"check", "--redis", "redis://127.0.0.1:1/0", option, "5"});
    EXPECT_EQ(child.exit_code, 64) << option << child.err;
    EXPECT_THAT(child.err, HasSubstr(option));
  }
}

TEST(CommandLineTest, BadValuesAreUsageErrors) {
  EXPECT_EQ(Interlock({"check", "--runs", "0"}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--runs", "many"}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--budget", "soon"}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--redis", "spawn", "--budget", "soon"}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--budget", "1s", "--runs", "5"}).exit_code, 64);
  EXPECT_EQ(Interlock({"check", "--lock", "mutex", "--scenario", "permits"}).exit_code, 64);
  EXPECT_EQ(Interlock({"explore", "--lock", "mutex", "--checkpoint", ""}).exit_code, 64);
  EXPECT_EQ(Interlock({"explore", "--lock", "mutex", "--out", ""}).exit_code, 64);
  EXPECT_EQ(Interlock({"explore", "--lock", "mutex", "--scenario", "kleppmann.k1"}).exit_code, 64);
  EXPECT_EQ(Interlock({"explore", "--lock", "mutex", "--scenario", "failover"}).exit_code, 64);
  EXPECT_EQ(Interlock({"explore", "--lock", "mutex", "--scenario", "cluster"}).exit_code, 64);
  const ChildResult writes = Interlock({"explore", "--lock", "mutex", "--writes", "fencd"});
  EXPECT_EQ(writes.exit_code, 64);
  EXPECT_EQ(writes.err,
            "interlock: --writes: fencd not in {unfenced,fenced,checked}\n"
            "--help lists the options.\n");
}

TEST(CommandLineTest, AnUnknownNameGivesTheNearest) {
  const ChildResult lock = Interlock({"check", "--lock", "mutx"});
  EXPECT_EQ(lock.exit_code, 64);
  EXPECT_THAT(lock.err, HasSubstr("did you mean \"mutex\"?"));
  const ChildResult scenario = Interlock({"check", "--scenario", "kaos"});
  EXPECT_EQ(scenario.exit_code, 64);
  EXPECT_THAT(scenario.err, HasSubstr("did you mean \"chaos\"?"));
  const std::pair<std::string, std::string> kServers[] = {
      {"valkey", "valkey-9.1"}, {"redis-9.0", "redis-8.0"}, {"7.0", "redis-7.0"}};
  for (const auto& [given, nearest] : kServers) {
    const ChildResult server = Interlock({"check", "--server", given});
    EXPECT_EQ(server.exit_code, 64);
    EXPECT_THAT(server.err, HasSubstr("did you mean \"" + nearest + "\"?"));
  }
}

// A replay has no sound lock beside it, and yet must show what the campaign showed.
TEST(CommandLineTest, AConvictionReplaysAsAViolation) {
  const ChildResult replay = Interlock(
      {"replay",
       "v2:broken/exists-set-expire:crash:none:pgKjWuQcBAeSadwABAAIAAAAAAAAAAAAAAA:532d315f"});
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_THAT(replay.out, HasSubstr("LK011 A KEY WAS LEFT BEHIND"));
}

TEST(CommandLineTest, ABadTokenIsBadInput) {
  EXPECT_EQ(Interlock({"replay", "nonsense"}).exit_code, 65);
  const ChildResult damaged = Interlock({"replay", "v2:mutex:chaos:none:r1:00000000"});
  EXPECT_EQ(damaged.exit_code, 65);
  EXPECT_THAT(damaged.err, HasSubstr("check sum"));
  const ChildResult other = Interlock({"replay", "v1:mutex:chaos:none:r1:00000000"});
  EXPECT_EQ(other.exit_code, 65);
  EXPECT_THAT(other.err, HasSubstr("version v1"));
  const ChildResult unknown = Interlock(
      {"replay", Encode({"mutx", "chaos", SynchronyClass::kArbitrary, std::uint64_t{1}})});
  EXPECT_EQ(unknown.exit_code, 65);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean \"mutex\"?"));
}

TEST(CommandLineTest, ABadFileIsBadInput) {
  const ScratchFolder folder;
  const ChildResult none = Interlock({"replay", folder.path() + "/none.json"});
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_THAT(none.err, HasSubstr("neither a replay token"));
  const ChildResult directory = Interlock({"replay", folder.path()});
  EXPECT_EQ(directory.exit_code, 65);
  EXPECT_THAT(directory.err, HasSubstr("is a directory"));
  const ChildResult endless = Interlock({"replay", "/dev/zero"});
  EXPECT_EQ(endless.exit_code, 65);
  EXPECT_THAT(endless.err, HasSubstr("larger than 64 MiB"));
}

TEST(CommandLineTest, ASoundLockPassesTheGate) {
  const ChildResult child =
      Interlock({"check", "--lock", "mutex", "--scenario", "contention", "--runs", "100"});
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  EXPECT_THAT(child.out, HasSubstr("mutex"));
}

TEST(CommandLineTest, JsonIsReadableAndDoesNotDependOnJobs) {
  std::vector<std::string> words = {"check",  "--lock", "mutex",  "--scenario", "contention",
                                    "--runs", "150",    "--json", "--jobs",     "1"};
  const reports::RunReport one = ReadReport(Interlock(words).out);
  words.back() = "3";
  const reports::RunReport three = ReadReport(Interlock(words).out);
  EXPECT_EQ(one.status, reports::RunStatus::kComplete);
  EXPECT_EQ(one.seed, 1U);
  EXPECT_EQ(one.trace_hash, three.trace_hash);
  EXPECT_EQ(one.totals.divergences, 0U);
  EXPECT_GT(one.totals.double_runs, 20U);  // some of them in a second process
  EXPECT_TRUE(one.notes.empty()) << one.notes.front();
  EXPECT_EQ(one.results.size(), three.results.size());
}

TEST(CommandLineTest, ASpecimenWithItsControlLeavesACounterexampleThatReplays) {
  const ScratchFolder folder;
  const ChildResult child = Interlock({"check", "--lock", "*[xr]", "--scenario", "overstay",
                                       "--runs", "300", "--out", folder.path()});
  EXPECT_THAT(child.err, ::testing::Not(HasSubstr("interlock:")));
  const reports::RunReport report = ReadReport(ReadFile(folder.path() + "/run.json"));
  EXPECT_THAT(ReadFile(folder.path() + "/junit.xml"), HasSubstr("<testsuite"));
  int convicted = 0;
  for (const reports::ResultRow& row : report.results) {
    if (row.lock != "broken/del-without-owner" || row.property != "foreign-release") continue;
    ++convicted;
    EXPECT_TRUE(row.pass) << row.reason;
    ASSERT_TRUE(row.counterexample.has_value());
    ASSERT_TRUE(row.replay.has_value());
    const std::string file = folder.path() + "/" + *row.counterexample;
    const auto read = reports::ReadCounterexample(ReadFile(file));
    ASSERT_TRUE(read.value.has_value()) << read.error;
    const ChildResult from_file = Interlock({"replay", file});
    const ChildResult from_token = Interlock({"replay", *row.replay});
    EXPECT_EQ(from_file.exit_code, 1) << from_file.err;
    EXPECT_EQ(from_token.exit_code, 1) << from_token.err;
    EXPECT_EQ(from_file.out, from_token.out);
    EXPECT_THAT(from_token.out, HasSubstr("trace hash 0x"));
    EXPECT_THAT(from_token.out, HasSubstr("LK005"));
  }
  EXPECT_EQ(convicted, 1);
}

TEST(CommandLineTest, ReplayingACalmRunPasses) {
  const std::string token =
      Encode({"mutex", "contention", SynchronyClass::kNone, std::uint64_t{12345}});
  const ChildResult child = Interlock({"replay", token});
  EXPECT_EQ(child.exit_code, 0) << child.out << child.err;
  EXPECT_EQ(Interlock({"replay", token}).out, child.out);
  const reports::RunReport report = ReadReport(Interlock({"replay", token, "--json"}).out);
  EXPECT_EQ(report.seed, 12345U);
}

TEST(CommandLineTest, ListsAreReadableJson) {
  for (const char* what : {"locks", "scenarios", "faults", "properties", "commands"}) {
    const ChildResult child = Interlock({"list", what, "--json"});
    EXPECT_EQ(child.exit_code, 0) << what;
    const auto json = nlohmann::json::parse(child.out, nullptr, false);
    ASSERT_TRUE(json.is_array()) << child.out;
    EXPECT_GT(json.size(), 4U) << what;
    for (const auto& line : json) EXPECT_TRUE(line.contains("name"));
    EXPECT_EQ(Interlock({"list", what}).exit_code, 0);
  }
  EXPECT_EQ(Interlock({"list", "everything"}).exit_code, 64);
}

TEST(CommandLineTest, ListedFaultsHaveAFamilyAMeaningAndAnIncident) {
  const auto json = nlohmann::json::parse(Interlock({"list", "faults", "--json"}).out);
  EXPECT_EQ(json.size(), sim::KnownFaults().size());
  for (const auto& fault : json) {
    for (const char* key : {"name", "family", "summary", "incident"}) {
      EXPECT_FALSE(fault.value(key, "").empty()) << key << " of " << fault.dump();
    }
  }
  const std::string text = Interlock({"list", "faults"}).out;
  EXPECT_THAT(text, HasSubstr("lost-reply                   link"));
  EXPECT_THAT(text, HasSubstr("seen: rueidislock #926"));
}

TEST(CommandLineTest, ListedCommandsSayWhetherTheyAreModelled) {
  const std::string text = Interlock({"list", "commands"}).out;
  EXPECT_THAT(text, HasSubstr("arity -3           modelled"));
  EXPECT_THAT(text, HasSubstr("arity -2           not modelled"));
  const auto json = nlohmann::json::parse(Interlock({"list", "commands", "--json"}).out);
  std::size_t modelled = 0;
  for (const auto& command : json) {
    if (command["modelled"].get<bool>()) ++modelled;
    EXPECT_TRUE(command["name"] != "set" || command["arity"] == -3);
  }
  EXPECT_THAT(text, HasSubstr(std::to_string(modelled) + " of the " + std::to_string(json.size())));
}

TEST(CommandLineTest, ExplainKnowsEveryCodeWithItsStoryAndItsFixes) {
  std::vector<std::string> codes = {"foreign-release", "lk005"};
  for (int number = 1; number <= 16; ++number) {
    codes.push_back((number < 10 ? "LK00" : "LK0") + std::to_string(number));
  }
  for (const std::string& code : codes) {
    const ChildResult child = Interlock({"explain", code});
    EXPECT_EQ(child.exit_code, 0) << code << child.err;
    EXPECT_THAT(child.out, HasSubstr("Violated when ")) << code;
    EXPECT_THAT(child.out, HasSubstr("A story")) << code;
    EXPECT_THAT(child.out, ::testing::ContainsRegex("Usual fixes:\n- .+\n- .+\n- .+\n")) << code;
  }
  EXPECT_EQ(Interlock({"explain", "LK099"}).exit_code, 64);
}

TEST(CommandLineTest, HelpAndVersionPass) {
  EXPECT_EQ(Interlock({"--help"}).exit_code, 0);
  EXPECT_THAT(Interlock({"--version"}).out, HasSubstr("interlock "));
}

// Ctrl-C in the middle of a campaign leaves what was found so far, marked as partial.
TEST(CommandLineTest, AnInterruptedCheckLeavesAPartialReport) {
  const ScratchFolder folder;
  for (const auto& [signal, code] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143)}) {
    const ChildResult child = RunChild(
        {INTERLOCK_PROGRAM, "check", "--lock", "mutex", "--runs", "100000", "--out", folder.path()},
        testing::LateSignal{std::chrono::milliseconds(700), signal});
    EXPECT_EQ(child.exit_code, code) << child.err;
    const reports::RunReport report = ReadReport(ReadFile(folder.path() + "/run.json"));
    EXPECT_EQ(report.status, reports::RunStatus::kPartial);
  }
}

}  // namespace
}  // namespace interlock::scenarios
