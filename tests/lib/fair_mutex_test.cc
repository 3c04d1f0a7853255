// SPDX-License-Identifier: MIT
#include <interlock/fair_mutex.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/scripts/fair_scripts.h"
#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using testing::Answer;
using testing::Array;
using ::testing::HasSubstr;
using testing::Text;

class FairMutexTest : public LockTest {
 protected:
  FairMutex NewFairMutex() {
    return FairMutex::Create(client_, "res", {.key_prefix = "f:", .lease = 10s}).value();
  }
  /// What lies in the list of the waiter whose token stands in the first command.
  static Answer Turn(std::string element) {
    return Answer::With(Array({Text("f:{res}:turn:t"), Text(std::move(element))}));
  }
  /// The script's name; of an ask, what it asks for.
  std::string What(std::size_t command) {
    for (const internal::Script* script : internal::FairScripts::All()) {
      if (Sent(command).argv.at(1) != script->sha()) continue;
      return script->name == "fair-ask" ? Argument(command, 2) : std::string(script->name);
    }
    return "";
  }
  std::string Token(std::size_t command) { return Argument(command, 0); }
  /// Of the first one nothing was heard.
  Lease AcquiredInTwoRequests(FairMutex& mutex) {
    Script(Answer::Lost());
    Script(Grant(7));
    return mutex.AcquireFor(60s).value();
  }
};

TEST_F(FairMutexTest, CreateRefusesAGraceOutOfRange) {
  const Result<FairMutex> made = FairMutex::Create(client_, "res", {.grace = 0s});
  ASSERT_EQ(made.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(made.status().message(), HasSubstr("grace is 0 ms"));
}

TEST_F(FairMutexTest, ATryNeverStandsInLine) {
  Script(Refuse(8s));
  FairMutex mutex = NewFairMutex();
  EXPECT_EQ(mutex.TryAcquire().status().ToString(),
            "not-acquired: f:{res} is held by somebody else, or others stand in line for it");
  EXPECT_EQ(What(0), "try");
  Script(Refuse(8s));
  EXPECT_EQ(mutex.AcquireFor(0s).code(), StatusCode::kTimeout);
  EXPECT_EQ(What(1), "try");
}

TEST_F(FairMutexTest, WhatAWaiterFindsInItsListIsItsGrant) {
  Script(Refuse(8s));
  Pop(Turn("42 10000").After(2s));
  FairMutex mutex = NewFairMutex();
  Result<Lease> lease = mutex.AcquireFor(5s);
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(What(0), "queue");
  EXPECT_EQ(Sent(1).argv.at(1), "f:{res}:turn:" + Token(0));
  EXPECT_EQ(lease->token(), Token(0));
  EXPECT_EQ(lease->fencing_token(), 42U);
  EXPECT_EQ(connector_.sent().size(), 2U);
  // Nobody can tell when it was granted: not before the waiter was refused.
  EXPECT_EQ(lease->remaining(), 10s - 2s - 100ms);
  lease->Forget();
}

TEST_F(FairMutexTest, AsksOnceMoreIfLittleOfTheLeaseMayBeLeft) {
  Script(Refuse(8s));
  Pop(Turn("42 10000").After(6s));
  Script(Grant(42));
  FairMutex mutex = NewFairMutex();
  Result<Lease> lease = mutex.Acquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Token(2), Token(0));
  EXPECT_EQ(lease->remaining(), 10s - 100ms);
  lease->Forget();
}

TEST_F(FairMutexTest, KeepsItsPlaceWhenItLooksAgainAndOverALostConnection) {
  Script(Refuse(3s));
  Pop(Answer::TimesOut());
  Script(Refuse(3s));
  Pop(Answer::Reset());
  Script(Grant(7));
  FairMutex mutex = NewFairMutex();
  Result<Lease> lease = mutex.Acquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(Token(2), Token(0));
  EXPECT_EQ(Token(4), Token(0));
  lease->Forget();
}

TEST_F(FairMutexTest, LeavesTheLineAtTheDeadline) {
  Script(Refuse(30s));
  Pop(Answer::TimesOut());
  Script(Number(0));
  FairMutex mutex = NewFairMutex();
  EXPECT_EQ(mutex.AcquireFor(4s).status().ToString(),
            "timeout: no grant of f:{res} before the deadline");
  EXPECT_EQ(What(2), "fair-leave");
  EXPECT_EQ(Token(2), Token(0));
  EXPECT_EQ(connector_.sent().size(), 3U);
}

TEST_F(FairMutexTest, IsUnknownWhereLeavingTheLineIsNotConfirmed) {
  Script(Refuse(30s));
  Pop(Answer::TimesOut());
  for (int i = 0; i < client_.options().cleanup_attempts; ++i) Script(Answer::Lost());
  FairMutex mutex = NewFairMutex();
  EXPECT_EQ(mutex.AcquireFor(4s).code(), StatusCode::kUnknownOutcome);
}

TEST_F(FairMutexTest, NobodyHasToLeaveWhoNeverGotIntoTheLine) {
  connector_.FailEveryConnect(Status(StatusCode::kUnavailable, "away"));
  FairMutex mutex = NewFairMutex();
  EXPECT_EQ(mutex.AcquireFor(1s).code(), StatusCode::kTimeout);
  EXPECT_TRUE(connector_.sent().empty());
}

// A request whose reply was lost may be executed after everything else: it must find the token
// barred, or it would stand in line for nobody.
TEST_F(FairMutexTest, ReleaseBarsARequestThatMayStillBeOnItsWay) {
  FairMutex mutex = NewFairMutex();
  Lease lease = AcquiredInTwoRequests(mutex);
  Script(Number(1));
  Script(Number(0));
  EXPECT_TRUE(lease.Release().ok());
  EXPECT_EQ(What(2), "fair-release");
  EXPECT_EQ(What(3), "fair-leave");
}

TEST_F(FairMutexTest, ALeaseThatIsHandedOverTakesAlongThatItHasToBarOne) {
  FairMutex mutex = NewFairMutex();
  Lease lease = AcquiredInTwoRequests(mutex);
  const Result<std::string> text = lease.HandOver();
  ASSERT_TRUE(text.ok());
  Script(Number(1));
  Result<Lease> adopted = mutex.Adopt(*text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  Script(Number(1));
  Script(Number(0));
  EXPECT_TRUE(adopted->Release().ok());
  EXPECT_EQ(What(3), "fair-release");
  EXPECT_EQ(What(4), "fair-leave");
}

TEST_F(FairMutexTest, AGrantInAnUnknownFormIsAProtocolError) {
  for (const char* element : {"", "x", "7", "-1 5"}) {
    const std::size_t first = connector_.sent().size();
    Script(Refuse(8s));
    Pop(Turn(element));
    Script(Number(1));
    FairMutex mutex = NewFairMutex();
    EXPECT_EQ(mutex.AcquireFor(5s).code(), StatusCode::kProtocolError) << element;
    EXPECT_EQ(What(first + 2), "fair-leave");
  }
}

}  // namespace
}  // namespace interlock
