// SPDX-License-Identifier: MIT
#include "src/retry.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "src/token.h"
#include "tests/support/manual_runtime.h"

namespace interlock::internal {
namespace {

using namespace std::chrono_literals;

constexpr MonotonicTime kBase{1000h};

TEST(ValidUntilTest, SubtractsTheDriftAllowanceFromTheLease) {
  EXPECT_EQ(ValidUntil(kBase, 10s, 10), kBase + 9900ms);
  EXPECT_EQ(ValidUntil(kBase, 10s, 0), kBase + 10s);
  EXPECT_EQ(ValidUntil(kBase, 1ms, 10), kBase + 990us);
}

TEST(ValidUntilTest, SurvivesTheLongestLease) {
  EXPECT_EQ(ValidUntil(kBase, kMaxLease, 500), kBase + 12h);
  EXPECT_EQ(ValidUntil(kBase, Duration::max(), 0), kNever);
}

TEST(PauseAfterTest, DoublesUpToTheMaximum) {
  const RetryOptions options{.first_pause = 50ms, .max_pause = 300ms};
  EXPECT_EQ(PauseAfter(1, options, 0), 50ms);
  EXPECT_EQ(PauseAfter(2, options, 0), 100ms);
  EXPECT_EQ(PauseAfter(3, options, 0), 200ms);
  EXPECT_EQ(PauseAfter(4, options, 0), 300ms);
  EXPECT_EQ(PauseAfter(2'000'000'000, options, 0), 300ms);
}

TEST(PauseAfterTest, IsShortenedByAtMostAHalf) {
  const RetryOptions options{.first_pause = 100ms, .max_pause = 100ms};
  for (std::uint32_t random = 0; random < 5000; ++random) {
    const Duration pause = PauseAfter(1, options, random);
    ASSERT_GT(pause, 50ms);
    ASSERT_LE(pause, 100ms);
  }
}

TEST(ShortPauseTest, SumsUpWhatABoundedSeriesPauses) {
  EXPECT_EQ(ShortPauses(1), 0ms);
  EXPECT_EQ(ShortPauses(3), ShortPause(1, 0) + ShortPause(2, 0));
  EXPECT_EQ(ShortPause(100, 0), 200ms);
}

TEST(ShortPauseTest, IsShortenedByAtMostAHalf) {
  for (std::uint32_t random = 0; random < 2000; ++random) {
    ASSERT_GT(ShortPause(1, random), 12ms);
    ASSERT_LE(ShortPause(1, random), 25ms);
  }
  EXPECT_NE(ShortPause(1, 1), ShortPause(1, 500));
}

TEST(LookAgainAtTest, IsOneMillisecondAfterTheOwnersLease) {
  EXPECT_EQ(LookAgainAt(kBase, 250ms, kNever, 30s), kBase + 251ms);
  EXPECT_EQ(LookAgainAt(kBase, 0ms, kNever, 30s), kBase + 1ms);
}

TEST(LookAgainAtTest, IsBoundedByTheDeadlineAndTheCap) {
  EXPECT_EQ(LookAgainAt(kBase, 250ms, kBase + 100ms, 30s), kBase + 100ms);
  EXPECT_EQ(LookAgainAt(kBase, 60s, kNever, 30s), kBase + 30s);
}

// A key without a TTL, or a nonsensical one, must not make a waiter sleep for ever.
TEST(LookAgainAtTest, UsesTheCapWhenTheLeaseIsUnknown) {
  EXPECT_EQ(LookAgainAt(kBase, -1ms, kNever, 30s), kBase + 30s);
  EXPECT_EQ(LookAgainAt(kBase, std::chrono::milliseconds::max(), kNever, 30s), kBase + 30s);
}

// BLPOP with a time-out of 0 waits for ever.
TEST(BlockForTest, IsNeverZero) {
  EXPECT_EQ(BlockFor(kBase, kBase), 1ms);
  EXPECT_EQ(BlockFor(kBase, kBase - 5s), 1ms);
  EXPECT_EQ(BlockFor(kBase, kBase + 1ns), 1ms);
}

TEST(BlockForTest, RoundsUpToTheServersUnit) {
  EXPECT_EQ(BlockFor(kBase, kBase + 1ms), 1ms);
  EXPECT_EQ(BlockFor(kBase, kBase + 1ms + 1ns), 2ms);
}

TEST(BlockingSecondsTest, WritesSecondsWithThreeDecimals) {
  EXPECT_EQ(BlockingSeconds(1ms), "0.001");
  EXPECT_EQ(BlockingSeconds(50ms), "0.050");
  EXPECT_EQ(BlockingSeconds(999ms), "0.999");
  EXPECT_EQ(BlockingSeconds(30s), "30.000");
  EXPECT_EQ(BlockingSeconds(1234567ms), "1234.567");
}

// A server that is silent may be asked for many leases before the turn of another's.
TEST(BackByTest, LeavesAHalfAfterAllVisitsBeforeATurn) {
  const MonotonicTime now(100s);
  EXPECT_EQ(BackBy(now, now, now + 8s, 1), now + 4s);
  EXPECT_EQ(BackBy(now, now + 2s, now + 8s, 1), now + 5s) << "it has until its turn, too";
  EXPECT_EQ(BackBy(now, now, now + 8s, 20), now + 200ms);
  EXPECT_EQ(BackBy(now, now, now + 8s, 80), now + 100ms) << "or nothing could be renewed";
  EXPECT_EQ(BackBy(now, now, now + 100ms, 80), now + 50ms);
  EXPECT_EQ(BackBy(now, now - 1s, now - 1ms, 3), now) << "it is over";
}

TEST(ErrorReplyTest, TellsRefusedFromUnknown) {
  const auto code = [](const char* reply) { return StatusOfErrorReply(reply, "p:{x}").code(); };
  EXPECT_EQ(code("READONLY You can't write"), StatusCode::kUnavailable);
  EXPECT_EQ(code("LOADING Redis is loading"), StatusCode::kUnavailable);
  EXPECT_EQ(code("OOM"), StatusCode::kUnavailable);
  EXPECT_EQ(code("NOAUTH Authentication required."), StatusCode::kInvalidArgument);
  EXPECT_EQ(code("NOPERM this user has no permissions to run the 'evalsha' command"),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("ERR The user executing the script can't run this command or subcommand script: "
                 "0e04, on @user_script:7."),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(code("WRONGTYPE Operation"), StatusCode::kProtocolError);
  EXPECT_EQ(code("ERR Error running script"), StatusCode::kProtocolError);
  EXPECT_EQ(code(""), StatusCode::kProtocolError);
}

// The key that it is cannot be known, but all of a lock begin alike.
TEST(ErrorReplyTest, AKeyOfAnotherTypeIsExplained) {
  const std::string expected =
      "protocol-error: a key that begins with p:{x} holds another type of value (WRONGTYPE): "
      "another kind of lock, or something else, uses this prefix and name";
  for (const char* reply :
       {"WRONGTYPE Operation against a key holding the wrong kind of value script: 0a1b, on @2.",
        "ERR Error running script (call to f_0a1b): @user_script:2: WRONGTYPE Operation"}) {
    EXPECT_EQ(StatusOfErrorReply(reply, "p:{x}:fence").ToString(), expected);
  }
}

TEST(RetryTest, AWaitInVainNamesTheLockAndWhatFailedLast) {
  EXPECT_EQ(NoGrant("p:{x}", false, Status()).ToString(),
            "timeout: no grant of p:{x} before the deadline");
  EXPECT_EQ(NoGrant("p:{x}", true, Status(StatusCode::kUnavailable, "away")).ToString(),
            "stopped: no grant of p:{x} before the stop; last: unavailable: away");
  EXPECT_EQ(StoppedBefore("p:{x}").ToString(),
            "stopped: p:{x}: stop was requested before the call; nothing was sent");
}

TEST(RetryTest, OnlyOutagesAreWorthAnotherTry) {
  EXPECT_TRUE(IsRetryable(StatusCode::kUnavailable));
  EXPECT_TRUE(IsRetryable(StatusCode::kUnknownOutcome));
  EXPECT_FALSE(IsRetryable(StatusCode::kCancelled));
  EXPECT_FALSE(IsRetryable(StatusCode::kInvalidArgument));
  EXPECT_FALSE(IsRetryable(StatusCode::kProtocolError));
}

TEST(TokenTest, Is128BitsInHexAndNeverTheSame) {
  testing::ManualRuntime runtime;
  std::set<std::string> tokens;
  for (int i = 0; i < 1000; ++i) {
    const std::string token = NewToken(runtime, "");
    ASSERT_EQ(token.size(), 32U);
    ASSERT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    ASSERT_TRUE(tokens.insert(token).second);
  }
}

}  // namespace
}  // namespace interlock::internal
