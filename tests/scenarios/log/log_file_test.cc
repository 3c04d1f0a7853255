// SPDX-License-Identifier: MIT
#include "scenarios/log/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

LogEvent At(std::int64_t earliest, std::int64_t latest, EventKind kind, EventDetails details = {}) {
  return {VirtualTime(earliest), VirtualTime(latest), 1, 2, kind, std::move(details)};
}

/// An event of each kind, with nothing at its default.
EventLog EveryKind() {
  using enum EventKind;
  return {
      At(1, 1, kAsk, AskDetails{Ask::kWaitFor, true, true, true, Duration(7), VirtualTime(1), 3}),
      At(1, 1, kStop),
      At(1, 2, kRefused, AnswerDetails{StatusCode::kUnavailable, "no \"route\"\n", 4}),
      At(1, 3, kGranted, GrantDetails{"t\\1", 9, VirtualTime(90), VirtualTime(2), 5}),
      At(4, 4, kEnter),
      At(5, 5, kLeave),
      At(5, 5, kExtend),
      At(5, 6, kExtended, ExtendedDetails{StatusCode::kUnknownOutcome, VirtualTime(91)}),
      At(6, 6, kAskValid),
      At(6, 7, kAskedValid, ValidDetails{true, VirtualTime(91)}),
      At(7, 7, kLost),
      At(7, 7, kAwaitedLoss, ToldDetails{true}),
      At(7, 7, kAwaitedCall, ToldDetails{true}),
      At(8, 8, kRelease),
      At(8, 9, kReleased, AnswerDetails{StatusCode::kNotOwner, "", 8}),
      At(9, 9, kDrop),
      At(9, 9, kSetLimit, LimitDetails{3}),
      At(9, 9, kLimitSet, AnswerDetails{StatusCode::kTimeout, "", 8}),
      At(9, 9, kInspect),
      At(9, 9, kInspected, AnswerDetails{StatusCode::kTimeout, "", 8}),
      At(9, 9, kForce, HolderDetails{"a"}),
      At(9, 9, kForced, AnswerDetails{StatusCode::kNotOwner, "", 8}),
      At(9, 9, kCountDown, PartyDetails{1001}),
      At(9, 9, kAnswered, AnswerDetails{StatusCode::kStopped, "", 9}),
      At(9, 9, kAccess, AccessDetails{~std::uint64_t{0}}),
      At(9, 9, kStops, StopDetails{Duration(40)}),
      At(9, 9, kGoesOn),
      At(9, 9, kDied, EndDetails{2, 11}),
      At(9, 9, kEnded, EndDetails{0, 12, 1}),
      At(9, 9, kSend, SendDetails{1, "EVALSHA", 77}),
      At(9, 9, kReply, ReplyDetails{1, ReplyKind::kNone, "OK"}),
      At(9, 9, kWoken, WokenDetails{"message"}),
      At(9, 9, kOwned, OwnerDetails{"a", {}, false}),
      At(9, 9, kProlonged, OwnerDetails{"a", Duration(5), false}),
      At(9, 9, kFreed, OwnerDetails{"a", {}, true}),
      At(9, 9, kExpired, KeyDetails{"lock:a", true}),
      At(-9, 9, kFault, FaultDetails{"pause", VirtualTime(50)}),
  };
}

TEST(LogFileTest, WhatIsWrittenIsReadBackAsItWas) {
  const LogHeader header{"mutex", "contention", Duration(1'000), 2, 3, 4};
  const EventLog log = EveryKind();
  ASSERT_EQ(log.size(), static_cast<std::size_t>(kLastEventKind) + 1);
  const std::string text = ToText(header, log);
  const Result<LogFile> read = ReadLog(text);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->header, header);
  EXPECT_EQ(ToText(read->header, read->events), text);
  ASSERT_EQ(read->events.size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(read->events[i].kind, log[i].kind);
    EXPECT_EQ(read->events[i].at_earliest, log[i].at_earliest);
    EXPECT_EQ(read->events[i].at_latest, log[i].at_latest);
    EXPECT_EQ(read->events[i].details.index(), log[i].details.index()) << ToString(log[i].kind);
  }
  EXPECT_EQ(read->events[3].As<GrantDetails>().token, "t\\1");
  EXPECT_EQ(read->events[2].As<AnswerDetails>().error, "no \"route\"\n");
}

TEST(LogFileTest, EveryKindHasItsNameAndTheDetailsThatItIsWrittenWith) {
  const EventLog log = EveryKind();
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].kind, static_cast<EventKind>(i));
    EXPECT_EQ(log[i].details.index(), DetailsFor(log[i].kind).index()) << ToString(log[i].kind);
  }
}

TEST(LogFileTest, WhatIsAtItsDefaultIsNotWritten) {
  EXPECT_EQ(ToLine(LogEvent{VirtualTime(5), VirtualTime(5), 0, 0, EventKind::kAsk, AskDetails{}}),
            "{\"at_ns\":5,\"event\":\"ask\",\"client\":0}\n");
  EXPECT_EQ(
      ToLine(LogEvent{VirtualTime(5), VirtualTime(8), -1, 0, EventKind::kFreed, OwnerDetails{}}),
      "{\"at_ns\":[5,8],\"event\":\"freed\"}\n");
}

std::string ErrorOf(const std::string& lines) {
  const Result<LogFile> read = ReadLog(lines);
  return read.ok() ? "" : read.status().message();
}

TEST(LogFileTest, AWrongLineIsToldByItsNumberWithWhatWouldBeRight) {
  const std::string head = "{\"log\":\"interlock.log/1\",\"clients\":2}\n";
  EXPECT_EQ(ErrorOf(head), "");
  EXPECT_THAT(ErrorOf(""), HasSubstr("line 1: this line is empty"));
  EXPECT_THAT(ErrorOf("{\"log\":\"interlock.log/2\"}"),
              HasSubstr("expected \"interlock.log/1\", found \"interlock.log/2\""));
  EXPECT_THAT(ErrorOf("[1]"), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf(head + "x"), HasSubstr("line 2: this is no JSON: x"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":1,\"event\":\"won\"}"),
              HasSubstr("\"won\" is none of ask,"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":1,\"event\":\"ask\",\"clinet\":1}"),
              HasSubstr("1 members that such a line does not have"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":[2,1],\"event\":\"enter\"}"),
              HasSubstr("the latest is before the earliest"));
  EXPECT_THAT(ErrorOf(head + "{\"event\":\"enter\"}"), HasSubstr("at_ns"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":1.5,\"event\":\"enter\"}"),
              HasSubstr("expected nanoseconds, found 1.5"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":1,\"event\":\"refused\",\"status\":\"no\"}"),
              HasSubstr("expected one of ok, timeout"));
  EXPECT_THAT(ErrorOf(head + "{\"at_ns\":1,\"event\":\"ask\",\"client\":3000000000}"),
              HasSubstr("3000000000 is out of range"));
  EXPECT_THAT(ErrorOf(head + std::string(1'000'000, '[')), HasSubstr("nest deeper than 200"));
}

TEST(LogFileTest, InstantsCountFromAnotherOneAndLengthsDoNot) {
  LogEvent event = At(105, 107, EventKind::kGranted,
                      GrantDetails{.valid_until = kOpen, .sent = VirtualTime(104)});
  CountFrom(VirtualTime(100), event);
  EXPECT_EQ(event.at_earliest, VirtualTime(5));
  EXPECT_EQ(event.at_latest, VirtualTime(7));
  EXPECT_EQ(event.As<GrantDetails>().sent, VirtualTime(4));
  EXPECT_EQ(event.As<GrantDetails>().valid_until, kOpen);
  LogEvent asks = At(105, 105, EventKind::kAsk, AskDetails{.patience = Duration(30)});
  CountFrom(VirtualTime(100), asks);
  EXPECT_EQ(asks.As<AskDetails>().patience, Duration(30));
}

}  // namespace
}  // namespace interlock::scenarios
