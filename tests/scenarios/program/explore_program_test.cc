// SPDX-License-Identifier: MIT
//
// The exhaustive search over a user's program: it finds what needs one certain order of steps and
// one certain fault, with the fewest faults; it proves a right program within its budgets; and it
// says so where it cannot.
#include <interlock/harness/explore_program.h>

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"
#include "tests/scenarios/program/counter_program.h"

namespace interlock::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

/// Holds a lock by SET NX PX while it counts, and trusts that it is still its own.
void CountBehindALock(SimulatedClient& client) {
  const std::string me = std::to_string(client.number());
  const auto taken = client.Call({"SET", "lock", me, "NX", "PX", "500"});
  if (!taken.ok() || !taken->IsStatus("OK")) return;
  CountBadly(client);
  (void)client.Call({"DEL", "lock"});
}

TEST(ExploreProgramTest, ALostUpdateIsFoundWithoutAnyFaultThoughSomeAreAllowed) {
  const Program program = Counter(CountBadly);
  const ExploreVerdict verdict = Explore(program, {.faults = {{"crash", 1}, {"lost-reply", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.text, HasSubstr("0 faults"));
  EXPECT_THAT(verdict.text, HasSubstr("no run with fewer faults is"));
  const SimulateVerdict again = Replay(program, verdict.token);
  EXPECT_TRUE(again.violated);
  EXPECT_EQ(again.message, "2 were counted, and the count is 1");
}

TEST(ExploreProgramTest, AnAtomicCountPassesWithItsBounds) {
  const ExploreVerdict verdict =
      Explore(Counter(Count), {.faults = {{"crash", 1}, {"lost-reply", 1}, {"pause", 1}}});
  EXPECT_TRUE(verdict.passed) << verdict.text;
  EXPECT_GT(verdict.states, 20U);
  EXPECT_TRUE(verdict.token.empty());
  EXPECT_THAT(verdict.text, HasSubstr("no violation: 2 clients, <= 1 crash, <= 1 lost-reply, "
                                      "<= 1 pause of 1250.000 ms"));
}

TEST(ExploreProgramTest, ALockWhoseLeaseEndsIsBrokenByOnePauseAlone) {
  const Program program = Counter(CountBehindALock);
  const ExploreVerdict calm = Explore(program, {.faults = {{"crash", 1}}});
  EXPECT_TRUE(calm.passed) << calm.text;
  const ExploreVerdict paused = Explore(program, {.faults = {{"crash", 1}, {"expiry", 1}}});
  EXPECT_TRUE(paused.passed) << "the other one gave up long ago: " << paused.text;
  Program patient = program;
  patient.clients[1] = [](SimulatedClient& client) {
    client.Sleep(milliseconds(501));
    CountBehindALock(client);
  };
  const ExploreVerdict crashed = Explore(patient, {.faults = {{"crash", 1}, {"lost-reply", 1}}});
  EXPECT_TRUE(crashed.passed) << crashed.text;
  const ExploreVerdict verdict = Explore(patient, {.faults = {{"crash", 1}, {"pause", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("1 fault,"));
  EXPECT_THAT(verdict.text, HasSubstr("FAULT pause"));
  EXPECT_TRUE(Replay(patient, verdict.token).violated);
}

/// An old value is written first, and a new one a little later.
Program TwoWrites() {
  Program program{.name = "test.writes"};
  program.clients = {[](SimulatedClient& client) {
                       (void)client.Call({"SET", "x", "old"});
                     },
                     [](SimulatedClient& client) {
                       client.Sleep(milliseconds(100));
                       if (client.Call({"SET", "x", "new"}).ok()) client.Note("written");
                     }};
  program.invariants = {{"the new one stays",
                         [](const ProgramView& view) {
                           const bool lost = view.Count("written") == 1 &&
                                             view.server.String("x").value_or("") != "new";
                           return lost ? "it was overwritten" : "";
                         },
                         true}};
  return program;
}

TEST(ExploreProgramTest, AWriteThatArrivesLateIsPlacedByADelayOrAPartition) {
  const Program program = TwoWrites();
  const auto with = [&](const std::string& fault) {
    return Explore(program, {.faults = {{fault, 1}}, .pauses = {milliseconds(50), seconds(2)}});
  };
  for (const std::string fault : {"delay-reply", "partition-from-server", "half-open"}) {
    const ExploreVerdict verdict = with(fault);
    EXPECT_TRUE(verdict.passed) << fault << ": " << verdict.text;
  }
  for (const std::string fault : {"delay-request", "partition", "partition-to-server"}) {
    const ExploreVerdict verdict = with(fault);
    EXPECT_TRUE(verdict.violated) << fault << ": " << verdict.text;
    EXPECT_THAT(verdict.text, HasSubstr("FAULT " + fault));
    EXPECT_THAT(verdict.text, HasSubstr("<= 1 " + fault + " of 50.000 ms or 2000.000 ms"));
    EXPECT_TRUE(Replay(program, verdict.token).violated);
  }
  const ExploreVerdict soon =
      Explore(program, {.faults = {{"delay-request", 1}}, .pauses = {milliseconds(50)}});
  EXPECT_TRUE(soon.passed) << "it is not that late: " << soon.text;
}

TEST(ExploreProgramTest, AClientsClockMayJump) {
  Program program{.name = "test.jump"};
  program.clients.assign(2, [](SimulatedClient& client) {
    Runtime& runtime = client.environment().runtime;
    const MonotonicTime before = runtime.Now();
    (void)client.Call({"INCR", "count"});
    if (runtime.Now() > before) client.Note("time has passed");
  });
  program.invariants = {{"nothing takes time", [](const ProgramView& view) {
                           return view.Count("time has passed") > 0 ? "this did" : "";
                         }}};
  const ExploreVerdict calm = Explore(program, {.faults = {{"crash", 1}}});
  EXPECT_TRUE(calm.passed) << calm.text;
  const ExploreVerdict verdict = Explore(program, {.faults = {{"client-clock-jump", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_TRUE(Replay(program, verdict.token).violated);
}

TEST(ExploreProgramTest, AFailoverLosesWhatTheReplicaHasNotReceived) {
  Program program{.name = "test.failover"};
  program.clients = {[](SimulatedClient& client) {
    if (client.Call({"SET", "x", "1"}).ok()) client.Note("written");
    (void)client.Call({"PING"});
  }};
  program.invariants = {{"it stays",
                         [](const ProgramView& view) {
                           const bool lost =
                               view.Count("written") == 1 && !view.server.String("x").has_value();
                           return lost ? "it is lost" : "";
                         },
                         true}};
  for (const std::string servers : {"replicated", "sentinel"}) {
    program.servers = servers;
    const ExploreVerdict in_step = Explore(program, {.faults = {{"failover", 1}}});
    EXPECT_TRUE(in_step.passed) << in_step.text;
    const ExploreVerdict lagging =
        Explore(program, {.faults = {{"failover", 1}, {"replication-stop", 1}}});
    EXPECT_TRUE(lagging.violated) << lagging.text;
    EXPECT_THAT(lagging.text, HasSubstr("2 faults"));
    EXPECT_TRUE(Replay(program, lagging.token).violated);
  }
}

// Each passes only if random paths met no state that had not been seen.
TEST(ExploreProgramTest, StatesDifferByAllThatTimedFaultsLeaveBehind) {
  for (const std::string fault : {"delay-request", "delay-reply", "partition", "half-open",
                                  "partition-to-server", "client-clock-jump"}) {
    const ExploreVerdict verdict = Explore(
        Counter(Count),
        {.faults = {{fault, 2}, {"lost-reply", 1}}, .pauses = {milliseconds(300), seconds(2)}});
    EXPECT_TRUE(verdict.passed) << fault << ": " << verdict.text;
  }
}

TEST(ExploreProgramTest, TheOrderOfNotesIsPartOfTheState) {
  // Nothing else tells the two orders apart, and one of them is wrong.
  Program program{.name = "test.order"};
  program.clients.assign(2, [](SimulatedClient& client) {
    (void)client.Call({"PING"});
    client.Note("was here", client.number());
  });
  program.invariants = {{"the first comes first",
                         [](const ProgramView& view) {
                           const bool right = view.notes.size() < 2 || view.notes[0].client == 0;
                           return right ? "" : "the second did";
                         },
                         true}};
  const ExploreVerdict verdict = Explore(program);
  EXPECT_TRUE(verdict.violated) << verdict.text;
  program.invariants[0].broken = [](const ProgramView& view) {
    return view.notes.size() == 2 ? "" : "one is missing";
  };
  const ExploreVerdict right = Explore(program);
  EXPECT_TRUE(right.passed) << right.text;
}

TEST(ExploreProgramTest, WhoWaitsForTheDeadNeverEnds) {
  Program program{.name = "test.pair"};
  program.clients = {[](SimulatedClient& client) {
                       (void)client.Call({"SET", "sign", "1"});
                     },
                     [](SimulatedClient& client) {
                       for (int i = 0; i < 3; ++i) {
                         const auto sign = client.Call({"GET", "sign"});
                         if (sign.ok() && sign->IsString()) return;
                         client.Sleep(seconds(1));
                       }
                       client.environment().runtime.NewEvent()->WaitUntil(kNever);
                     }};
  EXPECT_TRUE(Explore(program).passed) << Explore(program).text;
  const ExploreVerdict verdict = Explore(program, {.faults = {{"crash", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("C2 had not ended"));
}

TEST(ExploreProgramTest, TheFencedJobIsProvedAndTheOtherOneFalls) {
  const ExploreProgramOptions options = {.faults = {{"lost-reply", 1}, {"crash", 1}}};
  Program fenced = acme::OnceJob(acme::Guard::kFence);
  Program trusting = acme::OnceJob(acme::Guard::kTrust);
  fenced.clients.resize(2);
  trusting.clients.resize(2);
  const ExploreVerdict right = Explore(fenced, options);
  EXPECT_TRUE(right.passed) << right.text;
  const ExploreVerdict wrong = Explore(trusting, options);
  EXPECT_TRUE(wrong.violated) << wrong.text;
  EXPECT_THAT(wrong.text, HasSubstr("it has run 2 times"));
}

TEST(ExploreProgramTest, WhatCannotBeExploredIsSaid) {
  const auto text = [](const Program& program, const ExploreProgramOptions& options = {}) {
    const ExploreVerdict verdict = Explore(program, options);
    EXPECT_FALSE(verdict.passed || verdict.violated);
    return verdict.text;
  };
  Program posix = Counter(Count);
  posix.posix = true;
  EXPECT_THAT(text(posix), HasSubstr("posix clients cannot be explored"));
  EXPECT_THAT(text(Counter(Count), {.faults = {{"server-pause", 1}}}),
              HasSubstr("the fault server-pause cannot be explored, because no time passes by "
                        "itself there; Simulate tries it"));
  EXPECT_THAT(text(Counter(Count), {.faults = {{"replication-stop", 1}}}),
              HasSubstr("needs a replica"));
  EXPECT_THAT(text(Counter(Count), {.faults = {{"crash", -2}}}), HasSubstr("budget of -2"));
  EXPECT_THAT(text(Counter(Count), {.pauses = {seconds(0)}}), HasSubstr("invalid pause of 0 ns"));
  EXPECT_THAT(text(Program{.name = "test.none"}), HasSubstr("0 clients"));
  EXPECT_THAT(text(Counter(Count, 3), {.faults = {{"pause", 3}}, .most_states = 50}),
              HasSubstr("there are more than 50 states"));
  EXPECT_THAT(text(Counter([](SimulatedClient& client) {
                while (client.Call({"GET", "never"}).code() != StatusCode::kCancelled) {
                }
              })),
              HasSubstr("without a Sleep"));
  EXPECT_THAT(text(Counter([](SimulatedClient&) {})), HasSubstr("nothing was put to the test"));
}

TEST(ExploreProgramTest, AClientThatDependsOnMoreThanItIsGivenIsReported) {
  int runs = 0;
  const ExploreVerdict verdict = Explore(Counter([&runs](SimulatedClient& client) {
    (void)client.Call({"SET", "x", std::to_string(++runs)});
  }));
  EXPECT_FALSE(verdict.passed);
  EXPECT_FALSE(verdict.violated);
  EXPECT_THAT(verdict.text, HasSubstr("did not do again what it had done"));
}

}  // namespace
}  // namespace interlock::harness
