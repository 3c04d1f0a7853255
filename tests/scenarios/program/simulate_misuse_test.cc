// SPDX-License-Identifier: MIT
//
// Each bad input of Simulate, and each thing that a program must not do, is answered by a sentence,
// never by a crash.
#include <interlock/harness/simulate.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/harness/replay.h>

#include "sim/tripwire.h"
#include "tests/scenarios/program/counter_program.h"
#include "tests/scenarios/program/leaks.h"
#include "tests/scenarios/program/simulate_fixture.h"

namespace interlock::harness {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(SimulateMisuseTest, ASetupThatThrowsOrDoesNotEndIsSaid) {
  Program program = Counter(Count);
  program.setup = [](SimulatedClient&) { throw std::runtime_error("no stock"); };
  const SimulateVerdict thrown = Simulate(program, Few());
  EXPECT_TRUE(thrown.violated);
  EXPECT_EQ(thrown.message, "the setup threw: no stock");
  program.setup = [](SimulatedClient& client) { client.Sleep(seconds(61)); };
  const SimulateVerdict slow = Simulate(program, Few());
  EXPECT_FALSE(slow.ok || slow.violated);
  EXPECT_THAT(slow.message, HasSubstr("the setup had not ended after 60000.000 ms"));
}

TEST(SimulateMisuseTest, AClientThatRepeatsWithoutRestIsNoVerdict) {
  const SimulateVerdict verdict = Simulate(Counter([](SimulatedClient& client) {
                                             for (;;) {
                                               const auto got = client.Call({"GET", "never"});
                                               if (got.code() == StatusCode::kCancelled) return;
                                             }
                                           }),
                                           {.runs = 1});
  EXPECT_FALSE(verdict.ok);
  EXPECT_THAT(verdict.message,
              testing::AnyOf(HasSubstr("without a Sleep"), HasSubstr("had not ended")));
}

TEST(SimulateMisuseTest, AnInvariantThatThrowsHasFailedWithItsText) {
  const SimulateVerdict verdict =
      Simulate(WithInvariant([](const ProgramView& view) -> std::string {
                 if (view.Count("counted") == 2) throw std::runtime_error("no such item");
                 return "";
               }),
               Few());
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_EQ(verdict.invariant, "it");
  EXPECT_EQ(verdict.message, "the invariant threw: no such item");
}

TEST(SimulateMisuseTest, WhatIsNoExceptionOfTheStandardIsNamedByItsType) {
  const SimulateVerdict verdict =
      Simulate(WithInvariant([](const ProgramView&) -> std::string { throw 42; }), Few());
  EXPECT_TRUE(verdict.violated);
  EXPECT_EQ(verdict.message, "the invariant threw: an exception of type int");
}

TEST(SimulateMisuseTest, AnInvariantThatReadsARealClockHasFailedByThatCall) {
  if (!sim::TripwireIsArmed()) GTEST_SKIP() << "ThreadSanitizer has these functions";
  const LeaksExpected leaks;
  const Program program = WithInvariant([](const ProgramView& view) {
    const std::string long_text(100, 'x');  // memory that the jump loses
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return view.Count("counted") == 2 && now.count() == 0 ? long_text : "";
  });
  const SimulateVerdict verdict = Simulate(program, Few());
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_EQ(verdict.invariant, "it");
  EXPECT_THAT(verdict.message, HasSubstr("the invariant called clock_gettime()"));
  EXPECT_EQ(Replay(program, verdict.token).message, verdict.message);
  EXPECT_TRUE(Simulate(Counter(Count), Few()).ok) << "the next program is not disturbed";
}

TEST(SimulateMisuseTest, AnInvariantThatAbortsHasFailed) {
  const SimulateVerdict verdict =
      Simulate(WithInvariant([](const ProgramView&) -> std::string { std::abort(); }), Few());
  EXPECT_TRUE(verdict.violated);
  EXPECT_EQ(verdict.message, "the invariant aborted");
}

TEST(SimulateMisuseTest, AClientThatThrowsIsNamed) {
  Program program = Counter(Count);
  program.clients[1] = [](SimulatedClient& client) {
    if (!client.Call({"INCR", "count"}).ok()) throw std::runtime_error("no reply");
  };
  EXPECT_TRUE(Simulate(program, Few()).ok);
  const SimulateVerdict verdict = Simulate(program, Few({{"lost-reply", 1}}));
  EXPECT_TRUE(verdict.violated);
  EXPECT_EQ(verdict.invariant, kNobodyThrows);
  EXPECT_EQ(verdict.message, "C2 threw: no reply");
  EXPECT_THAT(verdict.text, HasSubstr("lost-reply"));
}

TEST(SimulateMisuseTest, AClientThatDependsOnMoreThanItsEnvironmentIsReported) {
  int runs = 0;
  const SimulateVerdict verdict =
      Simulate(Counter([&runs](SimulatedClient& client) {
                 (void)client.Call({"SET", "x", std::to_string(++runs)});
               }),
               Few());
  EXPECT_FALSE(verdict.ok);
  EXPECT_FALSE(verdict.violated);
  EXPECT_THAT(verdict.message, HasSubstr("run 1 was not the same when it was made again"));
  EXPECT_THAT(verdict.message, HasSubstr("SET x"));
}

TEST(SimulateMisuseTest, WhatPutsNothingToTheTestIsNoVerdict) {
  const SimulateVerdict verdict = Simulate(Counter([](SimulatedClient&) {}), Few());
  EXPECT_FALSE(verdict.ok);
  EXPECT_FALSE(verdict.violated);
  EXPECT_THAT(verdict.message, HasSubstr("nothing was put to the test"));
}

TEST(SimulateMisuseTest, ACommandThatIsNotModelledIsNamed) {
  const SimulateVerdict verdict = Simulate(Counter([](SimulatedClient& client) {
                                             (void)client.Call({"PFCOUNT", "k"});
                                           }),
                                           Few());
  EXPECT_FALSE(verdict.ok);
  EXPECT_FALSE(verdict.violated);
  EXPECT_THAT(verdict.message, HasSubstr("not modelled"));
  EXPECT_FALSE(verdict.token.empty());
}

TEST(SimulateMisuseTest, BadProgramsAndOptionsAreRefusedWithWhatWouldBeRight) {
  const auto refusal = [](const auto& change, SimulateOptions options = Few()) {
    Program program = Counter(Count);
    change(program);
    const SimulateVerdict verdict = Simulate(program, options);
    EXPECT_FALSE(verdict.ok || verdict.violated || verdict.runs > 0);
    return verdict.message;
  };
  const auto nothing = [](Program&) {};
  EXPECT_THAT(refusal([](Program& p) { p.clients.clear(); }), HasSubstr("has 0 clients; expected"));
  EXPECT_THAT(refusal([](Program& p) { p.clients[1] = nullptr; }), HasSubstr("client 1 has no"));
  EXPECT_THAT(refusal([](Program& p) { p.name = "Two Words"; }), HasSubstr("\"Two Words\""));
  EXPECT_THAT(refusal([](Program& p) { p.name = ""; }), HasSubstr("expected 1 to 64"));
  EXPECT_THAT(refusal([](Program& p) { p.invariants[0].name = ""; }), HasSubstr("has no name"));
  EXPECT_THAT(refusal([](Program& p) { p.invariants[0].broken = nullptr; }),
              HasSubstr("\"every count is kept\" has no function"));
  EXPECT_THAT(refusal([](Program& p) { p.invariants.push_back(p.invariants[0]); }),
              HasSubstr("two invariants \"every count is kept\""));
  EXPECT_THAT(refusal([](Program& p) { p.servers = "sentinels"; }),
              HasSubstr("invalid servers \"sentinels\"; expected one of standalone"));
  EXPECT_THAT(refusal([](Program& p) {
                p.servers = "replicated-cluster";
                p.nodes = 5;
              }),
              HasSubstr("an even number"));
  EXPECT_THAT(refusal([](Program& p) { p.os_threads = true; }), HasSubstr("without posix"));
  EXPECT_THAT(refusal([](Program& p) { p.nodes = 3; }), HasSubstr("expected 1 to 1"));
  EXPECT_THAT(refusal([](Program& p) { p.persistence = "disk"; }), HasSubstr("\"disk\"; expected"));
  EXPECT_THAT(refusal([](Program& p) { p.lease = seconds(0); }), HasSubstr("expected 1 ms"));
  EXPECT_THAT(refusal([](Program& p) { p.lasts = seconds(-1); }), HasSubstr("invalid lasts"));
  EXPECT_THAT(refusal([](Program& p) { p.ends_within = seconds(-1); }), HasSubstr("ends_within"));
  EXPECT_THAT(refusal([](Program& p) { p.slowest_message = seconds(0); }),
              HasSubstr("invalid slowest_message"));
  EXPECT_THAT(refusal(nothing, Few({{"puase", 1}})),
              HasSubstr("unknown fault \"puase\"; did you mean \"pause\"?; expected one of crash"));
  EXPECT_THAT(refusal(nothing, Few({{"pause", -1}})),
              HasSubstr("invalid budget of -1 for the fault pause; expected 0 to"));
  EXPECT_THAT(refusal(nothing, Few({{"failover", 1}})), HasSubstr("needs a replica"));
  EXPECT_THAT(refusal(nothing, Few({{"reshard", 1}})), HasSubstr("needs a cluster"));
  EXPECT_THAT(refusal([](Program& p) { p.servers = "cluster"; }, Few({{"late-claim", 1}})),
              HasSubstr("needs Valkey from 9.0 on, and the version is redis-7.0"));
}

}  // namespace
}  // namespace interlock::harness
