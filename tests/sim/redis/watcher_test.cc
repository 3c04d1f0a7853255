// SPDX-License-Identifier: MIT
#include "sim/redis/watcher.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class WatcherTest : public FakeTest {
 protected:
  WatcherTest() {
    SetWatcher(server_, [this](ClientId /*client*/, const Argv& argv, const Value& reply) {
      seen_ += (seen_.empty() ? "" : "; ") + ToText(argv) + " = " + ToText(reply);
    });
  }

  std::string seen_;
};

TEST_F(WatcherTest, AScriptIsSeenByWhatItCalls) {
  Eval("redis.call('SET', KEYS[1], 'v') return redis.call('DEL', KEYS[1])", {"k"});
  EXPECT_TRUE(seen_.starts_with("SET k v = OK; DEL k = (integer) 1; EVAL ")) << seen_;
}

TEST_F(WatcherTest, ATransactionIsSeenWhenItIsRun) {
  Run({"MULTI"});
  Run({"SET", "k", "v"});
  EXPECT_EQ(seen_, "MULTI = OK");
  seen_.clear();
  Run({"EXEC"});
  EXPECT_TRUE(seen_.starts_with("SET k v = OK; EXEC = ")) << seen_;
}

TEST_F(WatcherTest, WhatIsRefusedIsNotRun) {
  Run({"GET"});
  EXPECT_EQ(seen_, "");
}

}  // namespace
}  // namespace interlock::sim::redis
