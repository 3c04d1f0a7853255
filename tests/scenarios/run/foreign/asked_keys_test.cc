// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/asked_keys.h"

#include <gtest/gtest.h>

namespace interlock::scenarios::drive {
namespace {

TEST(AskedKeysTest, AKeyThatItsOwnerReleasesIsALock) {
  AskedKeys keys;
  keys.Ask("k", 0, false);
  keys.Grant("k", 0);
  EXPECT_FALSE(keys.IsLock("k"));
  keys.Release("k");
  EXPECT_TRUE(keys.IsLock("k"));
  EXPECT_FALSE(keys.IsLock("another"));
}

TEST(AskedKeysTest, SoIsOneThatIsAskedForAgain) {
  AskedKeys keys;
  keys.Ask("k", 0, false);
  keys.Grant("k", 0);
  keys.Ask("k", 1, true);
  EXPECT_FALSE(keys.IsLock("k"));
  EXPECT_TRUE(keys.IsRefused(1));
  EXPECT_TRUE(keys.any_refused());
  keys.Send(1, {"SETNX", "k", "1"});
  keys.Ask("k", 1, true);
  EXPECT_TRUE(keys.IsLock("k"));
  keys.Free("k");
  EXPECT_FALSE(keys.IsRefused(1));
}

TEST(AskedKeysTest, WhoeverGoesOnWasNotKeptOut) {
  AskedKeys keys;
  keys.Ask("prepared", 0, false);
  keys.Grant("prepared", 0);
  for (int i = 0; i < 2; ++i) {
    keys.Ask("prepared", 1, true);
    keys.Send(1, {"BLPOP", "tokens", "0"});
    keys.Enter(1, {});
    keys.Send(1, {"SETNX", "prepared", "1"});
  }
  EXPECT_FALSE(keys.IsLock("prepared"));
  EXPECT_TRUE(keys.IsPassedBy("prepared"));
}

TEST(AskedKeysTest, WhoeverEndsAtItWasKeptOutIfItGuardsASection) {
  for (const bool guards : {true, false}) {
    AskedKeys keys;
    keys.Ask("k", 0, false);
    keys.Grant("k", 0);
    if (guards) keys.Enter(0, {"k"});
    keys.Ask("k", 1, true);
    keys.End(1);
    EXPECT_EQ(keys.IsLock("k"), guards);
  }
}

TEST(AskedKeysTest, OfSeveralKeysOneIsEnough) {
  AskedKeys keys;
  keys.Ask("permit:1", 0, false);
  keys.Grant("permit:1", 0);
  keys.Release("permit:1");
  keys.Ask("permit:1", 0, false);
  keys.Ask("permit:1", 1, true);
  keys.Ask("permit:2", 1, false);
  keys.Grant("permit:2", 1);
  keys.Enter(1, {"permit:2"});
  EXPECT_TRUE(keys.IsLock("permit:1"));
}

}  // namespace
}  // namespace interlock::scenarios::drive
