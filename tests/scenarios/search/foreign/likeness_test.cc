// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/likeness.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::scenarios::drive {
namespace {

DriveRun RunOf(const std::vector<std::string>& commands, int exit_code = 0) {
  DriveRun run;
  for (const std::string& command : commands) {
    run.events.push_back({{}, {}, 0, 0, EventKind::kSend, SendDetails{.command = command}});
    run.events.push_back({{}, {}, 0, 0, EventKind::kReply, ReplyDetails{.text = "OK"}});
  }
  run.events.push_back({{}, {}, 0, 0, EventKind::kEnded, EndDetails{.exit_code = exit_code}});
  return run;
}

TEST(LikenessTest, RunsWithTheSameCommandsAnswersAndEndsAreAlike) {
  const DriveRun run = RunOf({"SET k v NX", "DEL k"});
  EXPECT_EQ(DifferenceOf(run, run, run), std::nullopt);
}

TEST(LikenessTest, AnotherCommandIsADifference) {
  const DriveRun one = RunOf({"SET k v NX", "DEL k"});
  EXPECT_EQ(DifferenceOf(RunOf({"SET k v NX", "GET k"}), one, one),
            "\"C1 GET k\" instead of \"C1 DEL k\"");
}

TEST(LikenessTest, ACommandMoreOrLessIsADifference) {
  const DriveRun one = RunOf({"SET k v NX"});
  const DriveRun more = RunOf({"SET k v NX", "DEL k"});
  EXPECT_NE(DifferenceOf(more, one, one), std::nullopt);
  EXPECT_NE(DifferenceOf(one, more, more), std::nullopt);
}

TEST(LikenessTest, AnotherExitCodeIsADifference) {
  const DriveRun one = RunOf({"DEL k"});
  EXPECT_EQ(DifferenceOf(RunOf({"DEL k"}, 1), one, one),
            "\"C1 ends with exit code 1\" instead of \"C1 ends with exit code 0\"");
}

TEST(LikenessTest, WordsThatDifferBetweenTwoStartsMayDifferInACopy) {
  const DriveRun one = RunOf({"SET k pid-17 NX", "DEL k"});
  const DriveRun again = RunOf({"SET k pid-18 NX", "DEL k"});
  EXPECT_EQ(DifferenceOf(RunOf({"SET k pid-19 NX", "DEL k"}), one, again), std::nullopt);
  EXPECT_NE(DifferenceOf(RunOf({"SET j pid-19 NX", "DEL k"}), one, again), std::nullopt);
}

}  // namespace
}  // namespace interlock::scenarios::drive
