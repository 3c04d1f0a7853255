// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace interlock::scenarios::drive {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr int kClients = 2;

class DriveLog {
 public:
  DriveLog& Then(int client, EventKind kind, EventDetails details = {}) {
    now_ += milliseconds(1);
    events_.push_back({now_, now_, client, 0, kind, std::move(details)});
    return *this;
  }
  DriveLog& Sends(int client, std::string command, std::string answer) {
    Then(client, EventKind::kSend, SendDetails{.command = std::move(command)});
    return Then(client, EventKind::kReply, ReplyDetails{.text = std::move(answer)});
  }
  std::vector<reports::TableRow> Rows() const { return RowsOf(events_, kClients); }

 private:
  VirtualTime now_{};
  EventLog events_;
};

std::vector<std::string> TextsOf(const std::vector<reports::TableRow>& rows) {
  std::vector<std::string> texts;
  for (const reports::TableRow& row : rows) texts.push_back(row.text);
  return texts;
}

TEST(DriveRowsTest, ASectionIsABarFromTheAnswerThatBeganItToTheOneThatEndedIt) {
  const auto rows = DriveLog()
                        .Sends(0, "INTERLOCK.ENTER jobs", "OK")
                        .Then(0, EventKind::kEnter)
                        .Sends(0, "INTERLOCK.LEAVE jobs", "OK")
                        .Then(0, EventKind::kLeave)
                        .Rows();
  ASSERT_THAT(TextsOf(rows),
              ElementsAre("INTERLOCK.ENTER jobs", "= OK", "INTERLOCK.LEAVE jobs", "= OK"));
  EXPECT_EQ(rows[0].span, reports::SpanChange::kNone);
  EXPECT_EQ(rows[1].span, reports::SpanChange::kSectionBegin);
  EXPECT_EQ(rows[3].span, reports::SpanChange::kSectionEnd);
}

TEST(DriveRowsTest, APauseIsABarFromItsFaultToWhereTheClientGoesOn) {
  const auto rows = DriveLog()
                        .Then(1, EventKind::kFault, FaultDetails{"pause, before GET k"})
                        .Then(1, EventKind::kStops, StopDetails{})
                        .Then(1, EventKind::kGoesOn)
                        .Rows();
  ASSERT_THAT(TextsOf(rows), ElementsAre("pause, before GET k", "goes on"));
  for (const reports::TableRow& row : rows) {
    EXPECT_EQ(row.kind, reports::RowKind::kFault);
    EXPECT_EQ(row.column, 1U);
  }
  EXPECT_EQ(rows[0].span, reports::SpanChange::kPauseBegin);
  EXPECT_EQ(rows[1].span, reports::SpanChange::kPauseEnd);
}

TEST(DriveRowsTest, ExpiriesStandInTheServersColumnAndEndsInTheirClients) {
  const auto rows = DriveLog()
                        .Then(-1, EventKind::kExpired, KeyDetails{"lock:a"})
                        .Then(-1, EventKind::kExpired, KeyDetails{"lock:b", true})
                        .Then(0, EventKind::kEnded, EndDetails{})
                        .Then(1, EventKind::kEnded, EndDetails{.exit_code = 3})
                        .Rows();
  EXPECT_THAT(TextsOf(rows), ElementsAre("lock:a expired", "the time in lock:b has passed", "ended",
                                         "ended with exit code 3"));
  EXPECT_EQ(rows[0].column, static_cast<std::size_t>(kClients));
  EXPECT_EQ(rows[3].column, 1U);
  EXPECT_EQ(rows[3].time_ns, 4'000'000);
}

TEST(DriveRowsTest, ACrashHasTheRowOfItsFaultAlone) {
  const auto rows = DriveLog()
                        .Then(0, EventKind::kFault, FaultDetails{"crash, before the reply"})
                        .Then(0, EventKind::kDied, EndDetails{})
                        .Rows();
  EXPECT_THAT(TextsOf(rows), ElementsAre("crash, before the reply"));
}

TEST(DriveRowsTest, WhoAsksAgainAndAgainIsShownTwiceWithTheNumber) {
  DriveLog log;
  for (int i = 0; i < 5; ++i) log.Sends(0, "SET k v NX", "nil");
  EXPECT_THAT(TextsOf(log.Rows()),
              ElementsAre("SET k v NX", "= nil", "SET k v NX", "= nil", "... and so 3 more times"));
  log.Sends(0, "SET k v NX", "OK");
  EXPECT_THAT(TextsOf(log.Rows()), ElementsAre("SET k v NX", "= nil", "SET k v NX", "= nil",
                                               "... and so 3 more times", "SET k v NX", "= OK"));
}

}  // namespace
}  // namespace interlock::scenarios::drive
