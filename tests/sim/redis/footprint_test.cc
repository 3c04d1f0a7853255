// SPDX-License-Identifier: MIT
//
// What commands are seen to touch: what they did, not what they are called.
#include "sim/redis/footprint.h"

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class FootprintTest : public FakeTest {
 protected:
  Footprint Of(const Argv& argv) {
    Footprint footprint;
    SetFootprint(server_, &footprint);
    Run(argv);
    SetFootprint(server_, nullptr);
    return footprint;
  }
  bool Commute(const Argv& one, const Argv& other) { return Independent(Of(one), Of(other)); }
};

TEST_F(FootprintTest, CommandsOnDifferentKeysAreIndependent) {
  EXPECT_TRUE(Commute({"SET", "a", "1"}, {"SET", "b", "1"}));
  EXPECT_FALSE(Commute({"SET", "a", "1"}, {"SET", "a", "2"}));
  EXPECT_FALSE(Commute({"SET", "a", "1"}, {"GET", "a"}));
}

TEST_F(FootprintTest, WhatChangedNothingHasOnlyRead) {
  Run({"SET", "a", "mine"});
  EXPECT_TRUE(Commute({"SET", "a", "1", "NX"}, {"SET", "a", "2", "NX"}));
  EXPECT_TRUE(Commute({"SET", "a", "1", "NX"}, {"GET", "a"}));
  EXPECT_TRUE(Of({"DEL", "b"}).writes().empty());
}

TEST_F(FootprintTest, AScriptTouchesWhatItsCommandsTouch) {
  const std::string release =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end";
  Run({"SET", "a", "mine"});
  EXPECT_TRUE(Of({"EVAL", release, "1", "a", "other"}).global()) << "the script is new";
  EXPECT_TRUE(Commute({"EVAL", release, "1", "a", "other"}, {"GET", "a"}));
  EXPECT_FALSE(Commute({"EVAL", release, "1", "a", "mine"}, {"GET", "a"}));
}

TEST_F(FootprintTest, TheDeletionOfAnExpiredKeyIsAWrite) {
  Run({"SET", "a", "1", "PX", "10"});
  Advance(11);
  EXPECT_FALSE(Of({"GET", "a"}).writes().empty());
}

TEST_F(FootprintTest, AMessageThatSomebodyHearsConcernsAll) {
  EXPECT_TRUE(Commute({"PUBLISH", "news", "1"}, {"PUBLISH", "news", "2"}));
  const ClientId listener = server_.Connect();
  Footprint subscribing;
  SetFootprint(server_, &subscribing);
  Sent(listener, {"SUBSCRIBE", "news"});
  SetFootprint(server_, nullptr);
  EXPECT_FALSE(subscribing.global());
  Footprint published;
  SetFootprint(server_, &published);
  Sent(client_, {"PUBLISH", "news", "1"});
  SetFootprint(server_, nullptr);
  EXPECT_TRUE(published.global());
}

TEST_F(FootprintTest, WhatCannotBeToldIsEverything) {
  EXPECT_TRUE(Of({"KEYS", "*"}).global());
  EXPECT_TRUE(Of({"CLIENT", "ID"}).global());
  EXPECT_TRUE(Of({"MULTI"}).global());
  EXPECT_TRUE(Of({"DISCARD"}).global());
  EXPECT_TRUE(Of({"BLPOP", "queue", "1"}).global());
}

}  // namespace
}  // namespace interlock::sim::redis
