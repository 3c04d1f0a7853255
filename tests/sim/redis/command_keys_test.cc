// SPDX-License-Identifier: MIT
//
// Which arguments of a command are keys. That they are those of a real server is the business of
// the comparison with one; here is what only the table's users see.
#include "sim/redis/command_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/redis/command_table.h"

namespace interlock::sim::redis {
namespace {

const Command& Known(std::string_view name) {
  const auto known = KnownCommands(DefaultDialect());
  const auto at = std::find_if(known.begin(), known.end(),
                               [&](const Command& command) { return command.name == name; });
  EXPECT_NE(at, known.end()) << name;
  return *at;
}

using Indices = std::vector<std::size_t>;

Indices Positions(std::string_view name, const std::vector<std::string_view>& args) {
  return KeyPositions(Known(name), args);
}

TEST(CommandKeysTest, KeysComeInTheOrderOfTheSpecifications) {
  EXPECT_EQ(Positions("get", {"get", "k"}), (Indices{1}));
  EXPECT_EQ(Positions("mset", {"mset", "a", "1", "b", "2"}), (Indices{1, 3}));
  EXPECT_EQ(Positions("blpop", {"blpop", "a", "b", "0"}), (Indices{1, 2}));
  EXPECT_EQ(Positions("zunionstore", {"zunionstore", "d", "2", "a", "b"}), (Indices{1, 3, 4}));
  EXPECT_EQ(Positions("evalsha", {"evalsha", "sha", "2", "a", "b", "arg"}), (Indices{3, 4}));
  EXPECT_EQ(Positions("object|freq", {"object", "freq", "k"}), (Indices{2}));
}

TEST(CommandKeysTest, CommandsWithoutKeysHaveNone) {
  EXPECT_EQ(Positions("ping", {"ping"}), Indices());
  EXPECT_EQ(Positions("publish", {"publish", "channel", "text"}), Indices());
  EXPECT_EQ(Positions("eval", {"eval", "return 1", "0", "arg"}), Indices());
  EXPECT_EQ(Positions("eval", {"eval", "return 1", "3", "arg"}), Indices());
}

TEST(CommandKeysTest, ShardChannelsDecideTheNodeThoughTheyAreNoKeys) {
  EXPECT_EQ(Positions("ssubscribe", {"ssubscribe", "a", "b"}), (Indices{1, 2}));
  EXPECT_EQ(Positions("spublish", {"spublish", "a", "text"}), (Indices{1}));
  EXPECT_EQ(Positions("sunsubscribe", {"sunsubscribe"}), Indices());
  const std::vector<std::string_view> args = {"ssubscribe", "a"};
  EXPECT_TRUE(FindKeys(Known("ssubscribe"), args).empty());
}

TEST(CommandKeysTest, OptionsMoveKeys) {
  EXPECT_EQ(Positions("sort", {"sort", "k", "by", "x", "store", "d"}), (Indices{1, 5}));
  EXPECT_EQ(Positions("migrate", {"migrate", "h", "1", "", "0", "9", "keys", "a", "b"}),
            (Indices{7, 8}));
  const std::vector<std::string_view> args = {"set", "k", "v", "get"};
  EXPECT_EQ(FindKeys(Known("set"), args),
            (std::vector<KeyPosition>{{1, kKeyRw | kKeyAccess | kKeyUpdate}}));
}

TEST(CommandKeysTest, KnownCommandsComeByNameWithSubcommandsBehindTheirContainer) {
  const auto known = KnownCommands(DefaultDialect());
  EXPECT_EQ(known.size(), 366U);
  std::string_view container;
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_TRUE(i == 0 || known[i - 1].name < known[i].name) << known[i].name;
    const std::size_t bar = known[i].name.find('|');
    EXPECT_TRUE(bar == std::string_view::npos || known[i].name.substr(0, bar) == container);
    if ((known[i].flags & kContainer) != 0) container = known[i].name;
  }
}

TEST(CommandKeysTest, TheRangeSaysWhatOldClientsCanUse) {
  const Command& mset = Known("mset");
  EXPECT_EQ(mset.range.first, 1);
  EXPECT_EQ(mset.range.last, -1);
  EXPECT_EQ(mset.range.step, 2);
  EXPECT_EQ(mset.flags & kMovableKeys, 0U);
  EXPECT_EQ(Known("eval").range.first, 0);
  EXPECT_NE(Known("eval").flags & kMovableKeys, 0U);
}

}  // namespace
}  // namespace interlock::sim::redis
