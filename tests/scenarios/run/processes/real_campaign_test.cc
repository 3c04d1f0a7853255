// SPDX-License-Identifier: MIT
//
// Campaigns on servers of their own: sound locks hold what they promise under real faults,
// specimens are convicted or named with the reason, and whatever was started ends with the program,
// however that ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "reports/exit_code.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/real/lanes.h"
#include "scenarios/search/real/real_check.h"
#include "sim/machine/folder_guard.h"

namespace interlock::scenarios {
namespace {

using reports::Verdict;
using std::chrono::milliseconds;
using std::chrono::seconds;

class RealCampaignTest : public ::testing::Test {
 protected:
  RealCampaignTest() {
    options_.url = "spawn";
    options_.jobs = 4;
  }

  void ChooseSound(std::string_view name) {
    for (const auto& subject : SoundSubjects()) {
      if (subject->name() == name) options_.entries.push_back({subject, false, {}});
    }
  }
  void ChooseSpecimen(std::string_view name) {
    for (const Specimen& specimen : Specimens()) {
      if (specimen.subject->name() != name) continue;
      options_.entries.push_back({specimen.subject, true, specimen.expected});
    }
  }
  void ChooseScenarios(const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) options_.scenarios.push_back(FindScenario(name));
  }

  reports::RunReport MustRun() {
    auto report = RunRealCheck(options_);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? std::move(report).value() : reports::RunReport{};
  }

  static void ExpectNoFalseAlarm(const reports::RunReport& report) {
    for (const reports::ResultRow& row : report.results) {
      EXPECT_NE(reports::ExitCodeOf(row), reports::ExitCode::kViolated)
          << row.lock << " " << row.scenario << " " << row.property << ": " << row.reason;
    }
  }

  static std::uint64_t Struck(const reports::RunReport& report, std::string_view fault) {
    for (const reports::GoalCount& goal : report.goals) {
      if (goal.name == "fault " + std::string(fault)) return goal.count;
    }
    return 0;
  }

  RealCheckOptions options_;
};

/// Of each scenario four runs, and as many again, at most thrice, while a promise was not put to
/// the test: no run is left out, or counted twice.
void ExpectRounds(const reports::RunReport& report, std::size_t scenarios) {
  std::map<std::string, std::uint64_t> runs;
  for (const reports::ResultRow& row : report.results) {
    const auto known = runs.emplace(row.scenario, row.runs);
    EXPECT_EQ(known.first->second, row.runs) << row.scenario;
  }
  EXPECT_EQ(runs.size(), scenarios);
  std::uint64_t all = 0;
  for (const auto& [scenario, count] : runs) {
    EXPECT_THAT(count, ::testing::AnyOf(4U, 8U, 12U, 16U)) << scenario;
    all += count;
  }
  EXPECT_EQ(report.totals.runs, all);
}

TEST_F(RealCampaignTest, SoundLocksHoldUnderFaultsOfClientsAndLinks) {
  ChooseSound("mutex");
  ChooseScenarios({"pause", "lossy", "restart"});
  const reports::RunReport report = MustRun();
  ExpectNoFalseAlarm(report);
  ExpectRounds(report, 3);
  EXPECT_GE(report.totals.runs_with_faults, 6U);
  EXPECT_GT(Struck(report, "pause"), 0U);
  EXPECT_GT(Struck(report, "crash"), 0U);
}

TEST_F(RealCampaignTest, SoundLocksHoldUnderFaultsOfServers) {
  ChooseSound("fair-mutex");
  ChooseScenarios({"server-restart", "server-errors", "data-loss", "failover"});
  const reports::RunReport report = MustRun();
  ExpectNoFalseAlarm(report);
  ExpectRounds(report, 4);
  EXPECT_GT(Struck(report, "server-kill"), 0U);
  for (const reports::ResultRow& row : report.results) {
    // As in a simulation: what a server forgets nobody on that server can hold.
    const bool promised = row.scenario != "data-loss" && row.scenario != "failover";
    if (row.property != "server-exclusion") continue;
    EXPECT_EQ(row.expected == reports::Expectation::kHolds, promised) << row.scenario;
  }
}

TEST_F(RealCampaignTest, ALockOverSeveralMastersHoldsThoughOneIsRestarted) {
  ChooseSound("redlock");
  ChooseScenarios({"quorum-server-restart"});
  const reports::RunReport report = MustRun();
  ExpectNoFalseAlarm(report);
  ExpectRounds(report, 1);
}

TEST_F(RealCampaignTest, SpecimensAreConvictedOfWhatRealityCanShow) {
  ChooseSound("mutex");
  for (const char* name : {"broken/random-fence", "broken/left-signals", "broken/gives-up-early",
                           "broken/del-without-owner"}) {
    ChooseSpecimen(name);
  }
  ChooseScenarios({"contention", "overstay"});
  const reports::RunReport report = MustRun();
  ExpectNoFalseAlarm(report);
  std::size_t convicted = 0;
  for (const reports::ResultRow& row : report.results) {
    if (row.kind != reports::LockKind::kSpecimen) continue;
    // Where the machine stands still now and then, nobody can say when a lease has ended.
    const bool undecided = row.reason.find("could not be judged") != std::string::npos;
    EXPECT_TRUE(row.verdict == Verdict::kViolated || undecided)
        << row.lock << " " << row.property << ": " << row.reason;
    convicted += row.verdict == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_GE(convicted, 3U);
}

TEST_F(RealCampaignTest, ASpecimenThatRealityCannotConvictIsNamedWithTheReason) {
  ChooseSound("mutex");
  ChooseSpecimen("broken/short-token");
  ChooseScenarios({"alike-tokens", "contention"});
  const reports::RunReport report = MustRun();
  const auto row =
      std::find_if(report.results.begin(), report.results.end(),
                   [](const reports::ResultRow& one) { return one.lock == "broken/short-token"; });
  ASSERT_NE(row, report.results.end());
  EXPECT_EQ(row->expected, reports::Expectation::kEither);
  EXPECT_EQ(row->runs, 0U);
  EXPECT_TRUE(row->pass);
  EXPECT_NE(row->reason.find("random bytes do not repeat"), std::string::npos) << row->reason;
}

TEST_F(RealCampaignTest, WithoutAServerToStartThereIsNothingToReport) {
  ChooseSound("mutex");
  ChooseScenarios({"contention"});
  setenv("INTERLOCK_REDIS_SERVER", "/nonexistent", 1);
  EXPECT_EQ(RunRealCheck(options_).code(), StatusCode::kUnavailable);
  unsetenv("INTERLOCK_REDIS_SERVER");
}

TEST(LanesTest, EachGivesItsReportAndAFailureIsTold) {
  const auto work = [](std::size_t index, const std::atomic<bool>&) {
    reports::RunReport report;
    report.totals.runs = index + 1;
    return Result<reports::RunReport>(report);
  };
  const auto reports = real::RunInLanes(3, work, nullptr);
  ASSERT_TRUE(reports.ok()) << reports.status().ToString();
  ASSERT_EQ(reports->size(), 3U);
  EXPECT_EQ((*reports)[2].totals.runs, 3U);
  const auto fails = [](std::size_t, const std::atomic<bool>&) {
    return Result<reports::RunReport>(Status(StatusCode::kUnavailable, "no server"));
  };
  EXPECT_EQ(real::RunInLanes(2, fails, nullptr).status().message(), "no server");
  const auto dies = [](std::size_t, const std::atomic<bool>&) -> Result<reports::RunReport> {
    _exit(3);
  };
  EXPECT_EQ(real::RunInLanes(1, dies, nullptr).code(), StatusCode::kUnavailable);
}

TEST(LanesTest, WhatTheOthersFoundOutlivesOneThatDies) {
  const auto work = [](std::size_t index, const std::atomic<bool>&) {
    if (index == 0) _exit(3);
    reports::RunReport report;
    report.totals.runs = index;
    return Result<reports::RunReport>(report);
  };
  const auto reports = real::RunInLanes(3, work, nullptr);
  ASSERT_TRUE(reports.ok()) << reports.status().ToString();
  ASSERT_EQ(reports->size(), 2U);
  EXPECT_EQ((*reports)[0].totals.runs, 1U);
  EXPECT_EQ((*reports)[0].status, reports::RunStatus::kPartial);
  ASSERT_EQ((*reports)[0].notes.size(), 1U);
  EXPECT_NE((*reports)[0].notes[0].find("ended early"), std::string::npos);
}

TEST(LanesTest, AllAreToldToStop) {
  const std::atomic<bool> stop = true;
  const auto waits = [](std::size_t, const std::atomic<bool>& told) {
    while (!told) std::this_thread::sleep_for(milliseconds(1));
    return Result<reports::RunReport>(reports::RunReport{});
  };
  EXPECT_TRUE(real::RunInLanes(2, waits, &stop).ok());
}

/// The program in the middle of a campaign. Whatever it leaves behind becomes a child of the test,
/// and its folders stand in one of the test's.
class EndedProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    auto folder = sim::machine::FolderGuard::Make("interlock-test");
    ASSERT_TRUE(folder.ok()) << folder.status().ToString();
    folder_ = std::move(folder).value();
    program_ = fork();
    if (program_ == 0) {
      setenv("TMPDIR", folder_->path().c_str(), 1);
      if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
      execl(INTERLOCK_PROGRAM, "interlock", "check", "--redis", "spawn", "--processes", "--lock",
            "mutex", "--scenario", "c*", "--jobs", "2", static_cast<char*>(nullptr));
      _exit(1);
    }
    ASSERT_TRUE(Until([&] { return Folders() >= 2; })) << "no server was started";
    std::this_thread::sleep_for(milliseconds(500));  // so that clients are there, too
  }

  std::ptrdiff_t Folders() const {
    return std::distance(std::filesystem::directory_iterator(folder_->path()),
                         std::filesystem::directory_iterator());
  }

  static bool Until(const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + seconds(30);
    while (std::chrono::steady_clock::now() < limit) {
      if (done()) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }

  /// Every process of the program has ended, those that others had started included.
  void ExpectNothingIsLeft() {
    EXPECT_TRUE(Until([&] {
      const pid_t ended = waitpid(-1, nullptr, WNOHANG);
      // The folder's own guard is the one child that stays.
      return ended == 0 && Children() == 1;
    })) << Children();
    EXPECT_TRUE(Until([&] { return Folders() == 0; }));
  }

  static std::size_t Children() {
    const std::string file = "/proc/self/task/" + std::to_string(getpid()) + "/children";
    std::ifstream in(file);
    return static_cast<std::size_t>(
        std::distance(std::istream_iterator<int>(in), std::istream_iterator<int>()));
  }

  std::unique_ptr<sim::machine::FolderGuard> folder_;
  pid_t program_ = -1;
};

TEST_F(EndedProgramTest, NothingIsLeftAfterASigkill) {
  kill(program_, SIGKILL);
  ASSERT_EQ(waitpid(program_, nullptr, 0), program_);
  ExpectNothingIsLeft();
}

TEST_F(EndedProgramTest, NothingIsLeftAfterASigtermWhichHasAnExitCodeOfItsOwn) {
  kill(program_, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(program_, &status, 0), program_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 143) << status;
  ExpectNothingIsLeft();
}

TEST_F(EndedProgramTest, NothingIsLeftAfterCtrlC) {
  kill(program_, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(program_, &status, 0), program_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
  ExpectNothingIsLeft();
}

}  // namespace
}  // namespace interlock::scenarios
