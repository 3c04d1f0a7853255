// SPDX-License-Identifier: MIT
#include <chrono>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/client_core.h"
#include "src/scripts/mutex_scripts.h"
#include "tests/lib/lib_test.h"

namespace interlock::internal {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using ::testing::ElementsAre;
using testing::Integer;

class ClientCoreTest : public LockTest {
 protected:
  const ScriptCall call_{MutexScripts::All().front(), {"k1", "k2"}, {"a"}};
  ClientCore& core() { return client_.core(); }
};

TEST_F(ClientCoreTest, ConnectsOnlyWhenNeededAndReusesTheConnection) {
  EXPECT_EQ(connector_.connects(), 0);
  Script(Number(1));
  Script(Number(2));
  EXPECT_EQ(core().Run(call_, Use::kPooled)->reply.integer, 1);
  EXPECT_EQ(core().Run(call_, Use::kPooled)->reply.integer, 2);
  EXPECT_EQ(connector_.connects(), 1);
  EXPECT_THAT(Sent(0).argv, ElementsAre("EVALSHA", call_.script->sha(), "2", "k1", "k2", "a"));
}

TEST_F(ClientCoreTest, SendsTheTextOfAScriptThatTheServerDoesNotKnow) {
  Script(Error("NOSCRIPT No matching script. Please use EVAL."));
  connector_.Expect("EVAL", Answer::With(Integer(5)).After(10ms));
  const auto reply = core().Run(call_, Use::kPooled);
  EXPECT_EQ(reply->reply.integer, 5);
  EXPECT_THAT(Sent(1).argv, ElementsAre("EVAL", call_.script->source, "2", "k1", "k2", "a"));
  EXPECT_EQ(connector_.connects(), 1);
}

// A lease counts from the command that was executed, which is the second one here.
TEST_F(ClientCoreTest, ReportsWhenTheAnsweredCommandWasSent) {
  const MonotonicTime start = runtime_.Now();
  Script(Answer::With(testing::ErrorReply("NOSCRIPT ")).After(30ms));
  connector_.Expect("EVAL", Answer::With(Integer(5)).After(10ms));
  EXPECT_EQ(core().Run(call_, Use::kPooled)->sent, start + 30ms);
}

TEST_F(ClientCoreTest, BothFormsShareOneCommandTimeout) {
  const MonotonicTime start = runtime_.Now();
  Script(Answer::With(testing::ErrorReply("NOSCRIPT ")).After(900ms));
  connector_.Expect("EVAL", Answer::Lost());
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(runtime_.Now(), start + 1s);
}

TEST_F(ClientCoreTest, NeverReusesAConnectionThatFailed) {
  Script(Answer::Lost());
  Script(Number(1));
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(connector_.open_connections(), 0);
  EXPECT_TRUE(core().Run(call_, Use::kPooled).ok());
  EXPECT_EQ(Sent(1).connection, 1);
}

// The server closed it while it was idle: definitely nothing was sent, so this is not the caller's
// business.
TEST_F(ClientCoreTest, ReplacesAnIdleConnectionThatTurnsOutDead) {
  Script(Number(1));
  Script(Answer::NotSent());
  Script(Number(2));
  (void)core().Run(call_, Use::kPooled);
  EXPECT_EQ(core().Run(call_, Use::kPooled)->reply.integer, 2);
  EXPECT_EQ(connector_.connects(), 2);
}

TEST_F(ClientCoreTest, DoesNotResendOnAFreshConnection) {
  Script(Answer::NotSent());
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kUnavailable);
}

TEST_F(ClientCoreTest, DoesNotResendWhatMayHaveArrived) {
  Script(Number(1));
  Script(Answer::SentInPart());
  (void)core().Run(call_, Use::kPooled);
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kUnknownOutcome);
}

// After a failover the old master answers READONLY: pinned connections would talk to it for ever.
TEST_F(ClientCoreTest, DropsAllConnectionsToADemotedMaster) {
  Script(Error("READONLY You can't write against a read only replica."));
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kUnavailable);
  EXPECT_EQ(connector_.open_connections(), 0);
}

TEST_F(ClientCoreTest, FreshMeansANewConnection) {
  Script(Number(1));
  Script(Number(1));
  (void)core().Run(call_, Use::kPooled);
  (void)core().Run(call_, Use::kFresh);
  EXPECT_EQ(Sent(1).connection, 1);
  EXPECT_EQ(connector_.open_connections(), 2);
}

TEST_F(ClientCoreTest, KeepsAtMostTheConfiguredNumberIdle) {
  Client client(runtime_, connector_, {.max_idle_connections = 2});
  for (int i = 0; i < 5; ++i) {
    Script(Number(1));
    (void)client.core().Run(call_, Use::kFresh);
  }
  EXPECT_EQ(connector_.open_connections(), 2);
}

TEST_F(ClientCoreTest, KeepsNoneIdleIfToldSo) {
  Client client(runtime_, connector_, {.max_idle_connections = 0});
  Script(Number(1));
  (void)client.core().Run(call_, Use::kPooled);
  EXPECT_EQ(connector_.open_connections(), 0);
}

TEST_F(ClientCoreTest, PassesOnWhyItCouldNotConnect) {
  connector_.FailConnect(Status(StatusCode::kInvalidArgument, "bad password"));
  EXPECT_EQ(core().Run(call_, Use::kPooled).code(), StatusCode::kInvalidArgument);
}

TEST_F(ClientCoreTest, PopTellsAHintFromATimeOut) {
  Pop(Hint());
  Pop(Answer::TimesOut());
  EXPECT_EQ(core().Pop("s", runtime_.Now() + 5s).value(), "1");
  EXPECT_FALSE(core().Pop("s", runtime_.Now() + 250ms)->has_value());
  EXPECT_THAT(Sent(0).argv, ElementsAre("BLPOP", "s", "5.000"));
  EXPECT_THAT(Sent(1).argv, ElementsAre("BLPOP", "s", "0.250"));
  EXPECT_EQ(runtime_.elapsed(), 250ms);
  EXPECT_EQ(connector_.connects(), 1);
}

// The server gets its own time-out plus one command time-out before it is called silent.
TEST_F(ClientCoreTest, PopGivesUpOnASilentServer) {
  Pop(Answer::Lost());
  EXPECT_EQ(core().Pop("s", runtime_.Now() + 5s).code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(runtime_.elapsed(), 6s);
  EXPECT_EQ(connector_.open_connections(), 0);
}

TEST_F(ClientCoreTest, PopSurvivesADemotion) {
  Pop(Error("UNBLOCKED force unblock from blocking operation"));
  EXPECT_EQ(core().Pop("s", runtime_.Now() + 5s).code(), StatusCode::kUnavailable);
  Pop(Error("WRONGTYPE Operation against a key"));
  EXPECT_EQ(core().Pop("s", runtime_.Now() + 5s).code(), StatusCode::kProtocolError);
}

}  // namespace
}  // namespace interlock::internal
