// SPDX-License-Identifier: MIT
//
// Which events belong to one command, on hand-written traces and in a run.
#include "scenarios/log/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/run/run.h"
#include "tests/scenarios/search/explore_fixture.h"

namespace interlock::scenarios {

using reports::MessagePart;
using sim::TraceEvent;
using sim::TraceKind;

void PrintTo(const MessageEnd& end, std::ostream* out) {
  *out << ToString(end.part) << " " << end.message << (end.lost ? " lost" : "");
}

bool operator==(const MessageEnd& a, const MessageEnd& b) {
  return a.part == b.part && a.message == b.message && a.lost == b.lost;
}

namespace {

TraceEvent MessageOf(int process, TraceKind kind, std::uint64_t command) {
  TraceEvent event;
  event.process = process;
  event.kind = kind;
  event.command = command;
  return event;
}

using Ends = std::vector<MessageEnd>;

TEST(MessagesTest, ACommandGoesItsWayThroughFourEvents) {
  const Ends expected = {{MessagePart::kSend, 1},
                         {MessagePart::kNone, 0},
                         {MessagePart::kExecute, 1},
                         {MessagePart::kReply, 1},
                         {MessagePart::kReceive, 1}};
  EXPECT_EQ(MessagesOf({MessageOf(0, TraceKind::kSend, 1), MessageOf(0, TraceKind::kNote, 0),
                        MessageOf(0, TraceKind::kExecute, 1), MessageOf(0, TraceKind::kReply, 1),
                        MessageOf(0, TraceKind::kReceive, 1)}),
            expected);
}

TEST(MessagesTest, WhatArrivesNowhereIsLost) {
  const Ends expected = {{MessagePart::kSend, 1, true},
                         {MessagePart::kSend, 2},
                         {MessagePart::kExecute, 2},
                         {MessagePart::kReply, 2, true}};
  EXPECT_EQ(MessagesOf({MessageOf(0, TraceKind::kSend, 1), MessageOf(0, TraceKind::kSend, 2),
                        MessageOf(0, TraceKind::kExecute, 2), MessageOf(0, TraceKind::kReply, 2)}),
            expected);
}

TEST(MessagesTest, EachClientHasCommandsOfItsOwn) {
  const Ends expected = {{MessagePart::kSend, 1},
                         {MessagePart::kSend, 2},
                         {MessagePart::kExecute, 2},
                         {MessagePart::kExecute, 1}};
  EXPECT_EQ(
      MessagesOf({MessageOf(0, TraceKind::kSend, 1), MessageOf(1, TraceKind::kSend, 1),
                  MessageOf(1, TraceKind::kExecute, 1), MessageOf(0, TraceKind::kExecute, 1)}),
      expected);
}

TEST(MessagesTest, APushBelongsToNoCommand) {
  const Ends expected = {{MessagePart::kNone, 0}};
  EXPECT_EQ(MessagesOf({MessageOf(0, TraceKind::kReceive, 0)}), expected);
}

// A reply that is lost is not the next one that says the same.
TEST(MessagesTest, InARunALostReplyIsTold) {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  ClientPlan client;
  client.operations = {{.ask = Ask::kTry}, {.ask = Ask::kTry}};
  client.faults = {{.kind = sim::FaultKind::kLostReply, .step = 2}};
  workload.clients = {client};
  const auto mutex = Named("mutex");
  const RunCase run_case{mutex.get(), FindScenario("lossy"), SynchronyClass::kNone};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape({});
  const RunResult run = RunOnce(universe, run_case, workload, choices, true);
  std::size_t lost = 0;
  for (const MessageEnd& end : MessagesOf(run.events)) {
    if (!end.lost) continue;
    ++lost;
    EXPECT_EQ(end.part, MessagePart::kReply);
  }
  EXPECT_EQ(lost, 1U);
}

}  // namespace
}  // namespace interlock::scenarios
