// SPDX-License-Identifier: MIT
//
// What a relay sees of a client becomes requests, grants and releases.
#include "scenarios/run/foreign/real/load_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/thread_runtime.h>

#include "sim/redis/reply.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using ::testing::ElementsAre;

class LoadLogTest : public ::testing::Test {
 protected:
  void Send(const Argv& argv) { log_.OnPassed({0, 0, 1, 1, &argv}); }
  void Answer(const sim::redis::Value& value) { log_.OnReply({0, 0, 1, 1, nullptr}, value, true); }
  void Say(const Argv& argv) {
    Send(argv);
    Answer(sim::redis::StatusValue("OK"));
  }
  /// But for commands and replies.
  std::vector<EventKind> Kinds() {
    std::vector<EventKind> kinds;
    for (const LogEvent& event : log_.TakeFrom(MonotonicTime{})) {
      if (event.kind == EventKind::kSend || event.kind == EventKind::kReply) continue;
      kinds.push_back(event.kind);
    }
    return kinds;
  }

  ThreadRuntime runtime_;
  LoadLog log_{1, runtime_};
};

TEST_F(LoadLogTest, ARequestBeginsAfterTheReleaseOfTheOneBefore) {
  Say({"SET", "lock", "1", "NX"});
  Say({"SET", "lock", "1", "NX"});
  Send({"INTERLOCK.ENTER", "stock"});
  Say({"GET", "stock"});
  Send({"INTERLOCK.LEAVE", "stock"});
  Say({"DEL", "lock"});
  Say({"SET", "lock", "1", "NX"});
  EXPECT_EQ(log_.entries(), 1U);
  EXPECT_THAT(Kinds(), ElementsAre(EventKind::kAsk, EventKind::kGranted, EventKind::kEnter,
                                   EventKind::kLeave, EventKind::kRelease, EventKind::kReleased,
                                   EventKind::kAsk));
}

TEST_F(LoadLogTest, AReleaseByAScriptThatTheServerDoesNotKnowHasTwoCommands) {
  Say({"SET", "lock", "1", "NX"});
  Send({"INTERLOCK.ENTER", "stock"});
  Send({"INTERLOCK.LEAVE", "stock"});
  Send({"EVALSHA", "abc", "1", "lock"});
  Answer(sim::redis::ErrorValue("NOSCRIPT No matching script."));
  Say({"EVAL", "return 1", "1", "lock"});
  EXPECT_THAT(Kinds(), ElementsAre(EventKind::kAsk, EventKind::kGranted, EventKind::kEnter,
                                   EventKind::kLeave, EventKind::kRelease, EventKind::kReleased));
}

TEST_F(LoadLogTest, OnlyTheOuterOfTwoSectionsCountsAndSleepersThatAreWokenDo) {
  Say({"BLPOP", "queue", "0"});
  log_.OnMessage(0);
  Send({"INTERLOCK.ENTER", "stock"});
  Send({"INTERLOCK.ENTER", "shelf"});
  Send({"INTERLOCK.LEAVE", "shelf"});
  Send({"INTERLOCK.LEAVE", "stock"});
  EXPECT_EQ(log_.sections(), 1);
  EXPECT_THAT(Kinds(), ElementsAre(EventKind::kAsk, EventKind::kWoken, EventKind::kWoken,
                                   EventKind::kGranted, EventKind::kEnter, EventKind::kLeave,
                                   EventKind::kRelease));
}

}  // namespace
}  // namespace interlock::scenarios::drive
