// SPDX-License-Identifier: MIT
#include "sim/machine/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::sim::machine {
namespace {

using ::testing::ElementsAre;

TEST(LaunchTest, SeveralCommandsTakeTurns) {
  const std::vector<std::string> commands = {"python3", "a.py", "--and", "node", "b.js"};
  EXPECT_THAT(sim::machine::CommandOf(commands, 0), ElementsAre("python3", "a.py"));
  EXPECT_THAT(sim::machine::CommandOf(commands, 1), ElementsAre("node", "b.js"));
  EXPECT_THAT(sim::machine::CommandOf(commands, 2), ElementsAre("python3", "a.py"));
}

TEST(LaunchTest, OneIsEverybodys) {
  EXPECT_THAT(sim::machine::CommandOf({"a"}, 3), ElementsAre("a"));
  EXPECT_THAT(sim::machine::CommandOf({"--and", "a", "--and"}, 1), ElementsAre("a"));
}

}  // namespace
}  // namespace interlock::sim::machine
