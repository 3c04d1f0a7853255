// SPDX-License-Identifier: MIT
//
// The figures of logs that are short enough to be worked out by hand; times are nanoseconds.
#include "scenarios/run/load/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace interlock::scenarios::contend {
namespace {

class MeasureTest : public ::testing::Test {
 protected:
  void Ask(std::int64_t at, int client) { Add(at, EventKind::kAsk, client, AskDetails{}); }
  void Granted(std::int64_t at, int client, const std::string& token) {
    Add(at, EventKind::kGranted, client, GrantDetails{.token = token});
    Add(at, EventKind::kEnter, client);
  }
  void Refused(std::int64_t at, int client) {
    Add(at, EventKind::kRefused, client, AnswerDetails{StatusCode::kTimeout});
  }
  void Release(std::int64_t at, std::int64_t returned, int client, bool lost = false) {
    Add(at, EventKind::kLeave, client);
    Add(at, EventKind::kRelease, client);
    Add(returned, EventKind::kReleased, client,
        AnswerDetails{lost ? StatusCode::kNotOwner : StatusCode::kOk});
  }
  void Send(std::int64_t at, int client, int connection = 0) {
    Add(at, EventKind::kSend, client, SendDetails{connection, "EVALSHA", 10});
  }
  void Sent(std::int64_t at, std::int64_t answered, int connection,
            ReplyKind reply = ReplyKind::kReply) {
    Send(at, 0, connection);
    Add(answered, EventKind::kReply, 0, ReplyDetails{connection, reply});
  }
  void Woken(std::int64_t at, int client) {
    Add(at, EventKind::kWoken, client, WokenDetails{"BLPOP"});
  }
  void Access(std::int64_t at, int client, std::uint64_t token) {
    Add(at, EventKind::kAccess, client, AccessDetails{token});
  }
  void Owned(std::int64_t at, const std::string& token) {
    Add(at, EventKind::kOwned, -1, OwnerDetails{.token = token});
  }
  void Freed(std::int64_t at, const std::string& token, bool expired = false) {
    Add(at, EventKind::kFreed, -1, OwnerDetails{.token = token, .expired = expired});
  }
  reports::ContentionPoint Measured() {
    std::ranges::stable_sort(log_, {}, &LogEvent::at_latest);
    return Measure(log_, frame_);
  }
  void Add(std::int64_t at, EventKind kind, int client, EventDetails details = {}) {
    log_.push_back({VirtualTime(at), VirtualTime(at), client, 0, kind, std::move(details)});
  }

  EventLog log_;
  Frame frame_{"mutex", 2, 1, 100, 1'100, false, true, true};
};

TEST_F(MeasureTest, OneHandOver) {
  Ask(200, 0);
  Send(201, 0);
  Owned(205, "a");
  Granted(210, 0, "a");
  Ask(220, 1);
  Send(221, 1);
  Release(300, 310, 0);
  Send(301, 0);
  Freed(305, "a");
  Owned(335, "b");
  Granted(340, 1, "b");
  Send(345, 1);  // unasked: a renewal
  Release(400, 410, 1);
  Freed(405, "b");
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.requests, 2U);
  EXPECT_EQ(point.grants, 2U);
  EXPECT_EQ(point.contended, 1U);
  EXPECT_EQ(point.wait.sum(), 10 + 120);
  EXPECT_EQ(point.hold.sum(), 100 + 70);
  EXPECT_EQ(point.useful.sum(), 90 + 60);
  EXPECT_EQ(point.turn.sum(), 40);
  EXPECT_EQ(point.waiting_ns, 10 + 120);
  EXPECT_EQ(point.most_waiting, 1U);
  EXPECT_EQ(point.commands.acquiring, 2U);
  EXPECT_EQ(point.commands.releasing, 1U);
  EXPECT_EQ(point.commands.beside, 1U);
  EXPECT_EQ(point.commands.bytes_sent, 40U);
  ASSERT_TRUE(point.server.has_value());
  EXPECT_EQ(point.server->busy_ns, 100 + 70);
  EXPECT_EQ(point.server->hand_over.sum(), 30);
  EXPECT_EQ(point.server->hand_over.count(), 1U);
  // The second waits from 220 to 340: until 305 for the first, then for nobody, then for itself.
  EXPECT_EQ(point.shares[0].blamed_ns, 85 + 5);
  EXPECT_EQ(point.shares[0].followed_ns, 120);
  EXPECT_EQ(point.shares[1].followed_ns, 0);
  EXPECT_EQ(point.owners.size(), 2U);
  EXPECT_EQ(point.owners[0].from_ns, 105);
}

TEST_F(MeasureTest, CommandsThatAreUnderWayTogetherAreOneRoundTrip) {
  Ask(200, 0);
  Sent(201, 210, 1);
  Sent(202, 220, 2);
  Sent(203, 400, 3);  // the grant does not wait for it
  Sent(210, 230, 1, ReplyKind::kError);
  Granted(240, 0, "a");
  Sent(250, 260, 2);  // a renewal: no part of asking and releasing
  Release(300, 340, 0);
  Sent(301, 310, 1);
  Sent(310, 320, 2);
  Sent(311, 390, 4, ReplyKind::kNone);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.commands.all(), 8U);
  EXPECT_EQ(point.commands.beside, 1U);
  EXPECT_EQ(point.commands.round_trips, 2U + 2U);
  EXPECT_EQ(point.commands.errors, 1U);
  EXPECT_EQ(point.commands.unanswered, 1U);
}

TEST_F(MeasureTest, WhatIsUnderWayAtEitherEndIsNoRequestButWaitsAndOwns) {
  Ask(50, 0);
  Owned(60, "a");
  Granted(150, 0, "a");
  Release(200, 210, 0);
  Freed(205, "a");
  Ask(1'000, 1);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.requests, 0U);
  EXPECT_EQ(point.waiting_ns, 50 + 100);
  EXPECT_EQ(point.server->busy_ns, 105);
  EXPECT_EQ(point.server->hand_over.count(), 0U);
}

TEST_F(MeasureTest, OnlyWhoWaitedWhenItBecameFreeMakesAHandOver) {
  Ask(200, 0);
  Owned(205, "a");
  Granted(210, 0, "a");
  Release(300, 310, 0);
  Freed(305, "a");
  Ask(400, 1);
  Owned(405, "b");
  Granted(410, 1, "b");
  Release(500, 510, 1);
  Freed(505, "b");
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.server->hand_over.count(), 0U);
  EXPECT_EQ(point.turn.count(), 0U);
  EXPECT_EQ(point.contended, 0U);
}

TEST_F(MeasureTest, AbandonedWaitsStandByThemselves) {
  Ask(200, 0);
  Granted(210, 0, "a");
  Ask(220, 1);
  Refused(520, 1);
  Release(600, 610, 0);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.abandoned, 1U);
  EXPECT_EQ(point.abandoned_wait.sum(), 300);
  EXPECT_EQ(point.wait.count(), 1U);
  EXPECT_EQ(point.shares[1].longest_wait_ns, 300);
}

TEST_F(MeasureTest, ALeaseThatEndedUnderItsHolderIsLostAndItsWorkStale) {
  for (const bool told : {true, false}) {
    log_.clear();
    Ask(200, 0);
    Owned(205, "a");
    Granted(210, 0, "a");
    Freed(300, "a", true);
    Ask(305, 1);
    Owned(310, "b");
    Granted(315, 1, "b");
    Release(400, 410, 0, told);
    Release(500, 510, 1);
    Freed(505, "b");
    const reports::ContentionPoint point = Measured();
    EXPECT_EQ(point.server->lost_noticed, told ? 1U : 0U);
    EXPECT_EQ(point.server->lost_unnoticed, told ? 0U : 1U);
    EXPECT_EQ(point.server->stale_work_ns, 100);
    EXPECT_EQ(point.overlap_ns, 85);
  }
}

TEST_F(MeasureTest, WhoComesLaterAndIsGrantedEarlierPasses) {
  frame_.clients = 3;
  Ask(200, 0);
  Granted(210, 0, "a");
  Ask(220, 1);
  Ask(230, 2);
  Release(300, 310, 0);
  Granted(320, 2, "c");
  Ask(325, 0);
  Release(400, 410, 2);
  Granted(420, 0, "d");
  Release(500, 510, 0);
  Granted(520, 1, "b");
  Release(600, 610, 1);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.fairness.bypasses, 2U);
  EXPECT_EQ(point.fairness.most_bypassed, 2U);
  EXPECT_EQ(point.fairness.longest_streak, 1U);
  EXPECT_DOUBLE_EQ(point.fairness.jain_grants, 16.0 / (3 * 6));
  EXPECT_EQ(point.fairness.reacquire_median, 2U);
  EXPECT_DOUBLE_EQ(point.fairness.lwss_mean, (2 + 3) / 2.0);
}

TEST_F(MeasureTest, OfTheWokenAllButTheOneThatIsGrantedAreWokenInVain) {
  frame_.clients = 3;
  Ask(200, 0);
  Granted(210, 0, "a");
  Ask(220, 1);
  Ask(230, 2);
  Release(300, 310, 0);
  Woken(305, 1);
  Woken(306, 2);
  Granted(320, 2, "c");
  Woken(330, 2);  // does not ask any more
  Release(400, 410, 2);
  Woken(405, 1);
  Granted(420, 1, "b");
  Release(500, 510, 1);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.woken, 3U);
  EXPECT_EQ(point.woken_in_vain, 1U);
  EXPECT_EQ(point.turn.count(), 2U);
  EXPECT_DOUBLE_EQ(point.fairness.fifo_distance, 2.0 / 3);
  EXPECT_EQ(point.fairness.lwss_median, 3U);
  EXPECT_EQ(point.oldest_wait_ns, 200);
}

TEST_F(MeasureTest, ATokenBelowOneThatWasSeenIsRefused) {
  Ask(200, 0);
  Granted(210, 0, "a");
  Access(211, 0, 7);
  Ask(220, 1);
  Granted(300, 1, "b");  // the first one's lease is over
  Access(301, 1, 8);
  Access(350, 0, 7);
  Access(360, 1, 8);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.fenced_rejects, 1U);
  frame_.one_owner = false;
  EXPECT_EQ(Measured().fenced_rejects, std::nullopt) << "several may hold at a time";
}

TEST_F(MeasureTest, WhoCouldNotHaveHadMoreIsNotTreatedUnfairly) {
  Ask(200, 0);
  Granted(210, 0, "a");
  Release(300, 310, 0);
  Ask(400, 1);
  Granted(410, 1, "b");
  Release(900, 1'010, 1);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.fenced_rejects, std::nullopt);
  // 100 and 600 were held, 300 of 1,000 were free for both.
  EXPECT_DOUBLE_EQ(point.fairness.jain_hold, 700.0 * 700 / (2 * (100.0 * 100 + 600.0 * 600)));
  EXPECT_DOUBLE_EQ(point.fairness.jain_opportunity,
                   1300.0 * 1300 / (2 * (400.0 * 400 + 900.0 * 900)));
}

TEST_F(MeasureTest, AnOpenLoopWaitsFromWhenItShouldHaveAsked) {
  frame_.open = true;
  Add(300, EventKind::kAsk, 0, AskDetails{.due = VirtualTime(150)});
  Granted(310, 0, "a");
  Release(400, 410, 0);
  const reports::ContentionPoint point = Measured();
  EXPECT_EQ(point.wait.sum(), 10);
  EXPECT_EQ(point.wait_from_intended.sum(), 160);
}

}  // namespace
}  // namespace interlock::scenarios::contend
