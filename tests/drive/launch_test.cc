// SPDX-License-Identifier: MIT
#include "scenarios/drive/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::scenarios::drive {
namespace {

using ::testing::ElementsAre;

TEST(LaunchTest, SeveralCommandsTakeTurns) {
  const std::vector<std::string> commands = {"python3", "a.py", "--and", "node", "b.js"};
  EXPECT_THAT(CommandOf(commands, 0), ElementsAre("python3", "a.py"));
  EXPECT_THAT(CommandOf(commands, 1), ElementsAre("node", "b.js"));
  EXPECT_THAT(CommandOf(commands, 2), ElementsAre("python3", "a.py"));
}

TEST(LaunchTest, OneIsEverybodys) {
  EXPECT_THAT(CommandOf({"a"}, 3), ElementsAre("a"));
  EXPECT_THAT(CommandOf({"--and", "a", "--and"}, 1), ElementsAre("a"));
}

}  // namespace
}  // namespace interlock::scenarios::drive
