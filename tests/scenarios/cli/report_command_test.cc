// SPDX-License-Identifier: MIT
//
// `interlock report` with several runs, against an earlier run, and for a browser.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/stored_run.h"

namespace interlock::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;

ChildResult RunInterlock(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

class ReportCommandTest : public ::testing::Test {
 protected:
  std::string Failing(const std::string& name, const std::string& seed) {
    std::string out = folder_.path() + "/" + name;
    testing::LeaveFailingRun(out, {"--scenario", "overstay", "--runs", "200", "--seed", seed});
    return out;
  }

  std::string Measured(const std::string& name) {
    std::string out = folder_.path() + "/" + name;
    const ChildResult run = RunInterlock(
        {"contend", "--lock", "mutex", "--clients", "1,2", "--duration", "1s", "--out", out});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return out;
  }

  const ScratchFolder folder_;
};

TEST_F(ReportCommandTest, AFindingIsTheSameUnderAnotherSeed) {
  const std::string before = Failing("before", "1");
  const std::string now = Failing("now", "2");
  const ChildResult same = RunInterlock({"report", "diff", before, now});
  EXPECT_EQ(same.exit_code, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("STILL   LK005 foreign-release"));
  EXPECT_THAT(same.out, HasSubstr("PASS  0 new"));
}

TEST_F(ReportCommandTest, DiffRefusesWhatCannotBeCompared) {
  const std::string check = Failing("check", "1");
  const std::string measured = Measured("measured");
  const ChildResult mixed = RunInterlock({"report", "diff", check, measured});
  EXPECT_EQ(mixed.exit_code, 65);
  EXPECT_THAT(mixed.err, HasSubstr("cannot compare a check with a measurement"));
  EXPECT_EQ(RunInterlock({"report", "diff", check, folder_.path() + "/none"}).exit_code, 65);
  EXPECT_EQ(RunInterlock({"report", "diff", check}).exit_code, 64);
  EXPECT_EQ(RunInterlock({"report", "diff", check, check, "--format", "html"}).exit_code, 64);
  const ChildResult twice = RunInterlock({"report", "diff", measured, measured, "--json"});
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_THAT(twice.out, HasSubstr("\"identical to the earlier measurement\""));
}

TEST_F(ReportCommandTest, SeveralRunsAreRenderedSideBySide) {
  const std::string check = Failing("check", "1");
  const std::string measured = Measured("measured");
  fs::create_directory(folder_.path() + "/again");
  fs::create_directory_symlink(measured, folder_.path() + "/again/measured");
  const std::string out = folder_.path() + "/out";
  const std::vector<std::string> runs = {"report", measured, check + "/run.json",
                                         folder_.path() + "/again/measured/"};
  std::vector<std::string> words = runs;
  words.insert(words.end(), {"--format", "html,csv", "--out", out});
  const ChildResult rendered = RunInterlock(words);
  EXPECT_EQ(rendered.exit_code, RunInterlock({"report", check, "--format", "csv"}).exit_code)
      << "the worst of the runs'";
  const std::string index = ReadFile(out + "/index.html");
  for (const char* file : {"measured/report.html", "check/verdicts.csv", "measured-2/figures.csv",
                           "measurements.html"}) {
    EXPECT_THAT(index, HasSubstr("href=\"" + std::string(file) + "\""));
    EXPECT_TRUE(fs::exists(out + "/" + file)) << file;
  }
  const std::string together = ReadFile(out + "/measurements.html");
  EXPECT_THAT(together, HasSubstr("mutex (virtual, measured)"));
  EXPECT_THAT(together, HasSubstr("mutex (virtual, measured-2)"));
  words = runs;
  words.insert(words.end(), {"--format", "html"});
  EXPECT_EQ(RunInterlock(words).exit_code, 64) << "several files need a folder";
}

TEST_F(ReportCommandTest, AFolderIsShownToABrowserUntilCtrlC) {
  const std::string measured = Measured("measured");
  ASSERT_EQ(RunInterlock({"report", measured, "--format", "html", "--out", measured}).exit_code, 0);
  const ChildResult client =
      RunChild({"/usr/bin/env", "python3", INTERLOCK_VIEW_CLIENT, INTERLOCK_PROGRAM, measured});
  EXPECT_EQ(client.exit_code, 0) << client.err;
  EXPECT_EQ(client.out,
            "/ 200 text/html; charset=utf-8 True\n"
            "/report.html 200 text/html; charset=utf-8 True\n"
            "/none 404 text/plain; charset=utf-8 False\n"
            "traversal HTTP/1.1 400 Bad Request\n"
            "endless HTTP/1.1 431 Request Header Fields Too Large\n"
            "taken 69 True\n"
            "loopback alone\n"
            "ended 0 interlock: stopped\n");
  EXPECT_EQ(RunInterlock({"report", "--view", measured + "/none"}).exit_code, 65);
  EXPECT_EQ(RunInterlock({"report", "--view", measured, measured}).exit_code, 64);
  EXPECT_EQ(RunInterlock({"report", "--view", measured, "--port", "65536"}).exit_code, 64);
  EXPECT_EQ(RunInterlock({"report"}).exit_code, 64);
}

// The verdict is the stored run's, whatever becomes of the output.
TEST_F(ReportCommandTest, AFullDiskOrAClosedFolderIsAnErrorWithItsReason) {
  const std::string check = Failing("check", "1");
  const std::string before = ReadFile(check + "/run.json");
  const std::string command = std::string(INTERLOCK_PROGRAM) + " report " + check;
  for (const std::string format : {"html", "text", "github", "junit"}) {
    const ChildResult full =
        RunChild({"/bin/sh", "-c", command + " --format " + format + " > /dev/full"});
    EXPECT_EQ(full.exit_code, 70) << full.err;
    EXPECT_THAT(full.err, HasSubstr("cannot write to standard output"));
  }
  const ChildResult diff = RunChild(
      {"/bin/sh", "-c",
       std::string(INTERLOCK_PROGRAM) + " report diff " + check + " " + check + " > /dev/full"});
  EXPECT_EQ(diff.exit_code, 70);
  EXPECT_THAT(diff.err, HasSubstr("cannot write to standard output"));
  const std::string gate = folder_.path() + "/gate.toml";
  std::ofstream(gate) << "[[threshold]]\nmetric = 'wait_max_ns'\nmax = 1\n";
  const std::string out = folder_.path() + "/measured";
  const ChildResult measured =
      RunChild({"/bin/sh", "-c",
                std::string(INTERLOCK_PROGRAM) + " contend --lock mutex --clients 2 " +
                    "--duration 1s --gate " + gate + " --out " + out + " > /dev/full"});
  EXPECT_EQ(measured.exit_code, 70);
  EXPECT_EQ(RunInterlock({"report", out, "--format", "text"}).exit_code, 3) << "its own verdict";
  // A file that stands where a folder should, as root may write to any.
  const ChildResult closed =
      RunInterlock({"report", check, "--format", "html", "--out", check + "/run.json"});
  EXPECT_EQ(closed.exit_code, 65);
  EXPECT_THAT(closed.err, HasSubstr("run.json"));
  const ChildResult taken = RunInterlock({"report", "diff", check, check, "--out", "/dev/null/x"});
  EXPECT_EQ(taken.exit_code, 65);
  fs::create_directories(folder_.path() + "/out/report.html/x");
  const ChildResult blocked =
      RunInterlock({"report", check, "--format", "html,csv", "--out", folder_.path() + "/out"});
  EXPECT_EQ(blocked.exit_code, 70);
  EXPECT_THAT(blocked.err, HasSubstr("report.html: Is a directory"));
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/verdicts.csv")) << "the others are written";
  EXPECT_EQ(ReadFile(check + "/run.json"), before);
}

}  // namespace
}  // namespace interlock::scenarios
