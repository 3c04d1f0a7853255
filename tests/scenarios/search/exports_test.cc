// SPDX-License-Identifier: MIT
//
// Files for other people's viewers, as the program writes them: where they lie, what goes to
// standard output, and what is said where nothing can be written.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/formats.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

namespace fs = std::filesystem;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadFile;
using testing::RunChild;
using testing::ScratchFolder;
using ::testing::StartsWith;

ChildResult InterlockExport(std::vector<std::string> words) {
  words.insert(words.begin(), INTERLOCK_PROGRAM);
  return RunChild(words);
}

/// A run of a specimen, with its counterexamples.
class ExportsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const ChildResult run =
        InterlockExport({"check", "--lock", "broken/del-without-owner", "--scenario", "overstay",
                         "--runs", "300", "--out", run_});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    for (const auto& entry : fs::directory_iterator(run_ + "/counterexamples")) {
      cases_.insert(entry.path());
    }
    ASSERT_GT(cases_.size(), 1U);
  }

  /// Of the run's counterexamples only one is left.
  void KeepOne() {
    while (cases_.size() > 1) {
      fs::remove(*cases_.begin());
      cases_.erase(cases_.begin());
    }
  }

  /// A measurement of one point.
  std::string Measured() const {
    const std::string folder = folder_.path() + "/measured";
    const ChildResult child = InterlockExport(
        {"contend", "--lock", "mutex", "--clients", "2", "--duration", "100ms", "--out", folder});
    EXPECT_EQ(child.exit_code, 0) << child.err;
    return folder;
  }

  const ScratchFolder folder_;
  const std::string run_ = folder_.path() + "/run";
  std::set<fs::path> cases_;
};

TEST_F(ExportsTest, EachCounterexampleHasItsFilesBesideIt) {
  const ChildResult report =
      InterlockExport({"report", run_, "--format", "perfetto,shiviz", "--out", run_});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  for (fs::path path : cases_) {
    EXPECT_THAT(ReadFile(path.replace_extension(".pftrace")), Not(IsEmpty())) << path;
    EXPECT_THAT(ReadFile(path.replace_extension(".shiviz.log")), StartsWith("(?<event>")) << path;
  }
}

TEST_F(ExportsTest, ToStandardOutputGoesOneFileAndNotSeveral) {
  const ChildResult several = InterlockExport({"report", run_, "--format", "shiviz"});
  EXPECT_EQ(several.exit_code, 64);
  EXPECT_THAT(several.err, HasSubstr("files as shiviz need --out DIR"));
  EXPECT_THAT(several.out, IsEmpty());
  KeepOne();
  const ChildResult one = InterlockExport({"report", run_, "--format", "shiviz"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(InterlockExport({"report", run_, "--format", "shiviz", "--out", run_}).exit_code, 0);
  fs::path file = *cases_.begin();
  EXPECT_EQ(one.out, ReadFile(file.replace_extension(".shiviz.log")));
}

TEST_F(ExportsTest, ARunWithoutCounterexamplesSaysSo) {
  for (const fs::path& path : cases_) fs::remove(path);
  const ChildResult report = InterlockExport({"report", run_, "--format", "perfetto"});
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_THAT(report.out, IsEmpty());
  EXPECT_THAT(report.err, HasSubstr("perfetto: this run has nothing to show in this format"));
}

/// Has nothing to say of verdicts.
bool OfMeasurements(const reports::Format& format) {
  return format.render == nullptr && format.render_case == nullptr;
}

TEST_F(ExportsTest, AFullDiskIsAnErrorInEveryFormat) {
  KeepOne();
  const std::string measured = Measured();
  for (const reports::Format& format : reports::Formats()) {
    const std::string& run = OfMeasurements(format) ? measured : run_;
    const std::string command = std::string(INTERLOCK_PROGRAM) + " report '" + run + "' --format " +
                                std::string(format.name) + " > /dev/full";
    const ChildResult report = RunChild({"/bin/sh", "-c", command});
    // Annotations of what passes are none at all, so that nothing is to be written.
    if (format.name == "github" && report.exit_code == 0) continue;
    EXPECT_EQ(report.exit_code, 70) << format.name;
    EXPECT_THAT(report.err, HasSubstr("cannot write to standard output")) << format.name;
  }
}

TEST_F(ExportsTest, AFolderThatCannotBeWrittenIsAnErrorInEveryFormat) {
  const std::string blocked = folder_.path() + "/blocked";
  fs::create_directory(blocked);
  const std::string measured = Measured();
  for (const reports::Format& format : reports::Formats()) {
    // Root may write anywhere, but not where something else has the name.
    const bool of_measurements = OfMeasurements(format);
    const bool in_a_folder = format.render == nullptr;
    const std::string name = of_measurements ? "waits"
                             : in_a_folder   ? "counterexamples"
                                             : std::string(format.file_name);
    const fs::path taken = fs::path(blocked) / name;
    if (in_a_folder) {
      std::ofstream(taken) << "a file";
    } else {
      fs::create_directory(taken);
    }
    const ChildResult report =
        InterlockExport({"report", of_measurements ? measured : run_, "--format",
                         std::string(format.name), "--out", blocked});
    EXPECT_EQ(report.exit_code, 70) << format.name;
    EXPECT_THAT(report.err, HasSubstr("cannot write " + blocked)) << format.name;
    fs::remove(taken);
  }
}

}  // namespace
}  // namespace interlock::scenarios
