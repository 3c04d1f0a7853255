// SPDX-License-Identifier: MIT
//
// What a user gets from Simulate: a program that loses an update is found, shrunk and replayed; one
// that does not is acquitted; each demand on a program is looked at.
#include <interlock/harness/simulate.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/harness/replay.h>

#include "tests/scenarios/program/counter_program.h"
#include "tests/scenarios/program/simulate_fixture.h"

namespace interlock::harness {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SimulateTest, ALostUpdateIsFoundShrunkAndReplayed) {
  const Program program = Counter(CountBadly, 3);
  const SimulateVerdict verdict = Simulate(program, Few({{"pause", 3}, {"delay-reply", 3}}));
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.invariant, "every count is kept");
  EXPECT_THAT(verdict.message, HasSubstr("2 were counted, and the count is 1"));
  EXPECT_THAT(verdict.text, HasSubstr("SET count 1"));
  EXPECT_THAT(verdict.text, HasSubstr("note counted"));
  EXPECT_THAT(verdict.text, HasSubstr("0 faults")) << "two clients at once need none";
  EXPECT_THAT(verdict.text, HasSubstr(verdict.token));
  const SimulateVerdict again = Replay(program, verdict.token);
  EXPECT_TRUE(again.violated) << again.text;
  EXPECT_EQ(again.message, verdict.message);
  EXPECT_EQ(again.invariant, verdict.invariant);
  EXPECT_TRUE(Replay(Counter(Count, 3), verdict.token).ok) << "the mended program passes";
}

TEST(SimulateTest, AnAtomicCountPassesUnderAllFaultsThatLoseNothingOfTheServer) {
  const SimulateVerdict verdict = Simulate(
      Counter(Count), Few({{"crash", 1}, {"pause", 2}, {"lost-reply", 1}, {"reset-before", 1}}));
  EXPECT_TRUE(verdict.ok) << verdict.text;
  EXPECT_FALSE(verdict.violated);
  EXPECT_EQ(verdict.runs, 200U);
  EXPECT_TRUE(verdict.token.empty());
}

TEST(SimulateTest, TheVerdictIsAFunctionOfProgramAndOptions) {
  const SimulateOptions options = Few({{"pause", 2}});
  const SimulateVerdict once = Simulate(Counter(CountBadly), options);
  const SimulateVerdict again = Simulate(Counter(CountBadly), options);
  EXPECT_EQ(once.text, again.text);
  EXPECT_EQ(once.token, again.token);
}

TEST(SimulateTest, TheVerdictDoesNotDependOnTheNumberOfJobs) {
  const auto with = [](const Program& program, SimulateOptions options, int jobs) {
    options.jobs = jobs;
    return Simulate(program, options);
  };
  // Only a certain order of certain faults breaks it, so it is found late.
  Program late = Counter([](SimulatedClient& client) {
    for (int i = 0; i < 3; ++i) {
      if (!client.Call({"INCR", "count"}).ok()) client.Note("counted");
    }
  });
  const SimulateOptions options = Few({{"lost-request", 3}, {"crash", 1}});
  const SimulateVerdict alone = with(late, options, 1);
  ASSERT_TRUE(alone.violated) << alone.text;
  EXPECT_GT(alone.runs, 1U);
  for (const int jobs : {2, 5}) {
    const SimulateVerdict verdict = with(late, options, jobs);
    EXPECT_EQ(verdict.text, alone.text);
    EXPECT_EQ(verdict.token, alone.token);
    EXPECT_EQ(verdict.runs, alone.runs);
    const SimulateVerdict passed = with(Counter(Count), Few({{"pause", 1}}), jobs);
    EXPECT_TRUE(passed.ok) << passed.text;
    EXPECT_EQ(passed.runs, 200U);
    EXPECT_THAT(with(Counter([](SimulatedClient&) {}), Few(), jobs).message,
                HasSubstr("nothing was put to the test"));
  }
  EXPECT_EQ(with(late, options, 0).message, "invalid jobs 0; expected 1 or more");
}

TEST(SimulateTest, OnlyFaultsWithinTheirBudgetsStrike) {
  // A write that waits for a second is lost only if the primary dies.
  Program program = Counter(Count);
  program.servers = "replicated";
  const SimulateVerdict calm = Simulate(program, Few());
  EXPECT_TRUE(calm.ok) << calm.text;
  EXPECT_TRUE(Simulate(program, Few({{"failover", 0}})).ok);
  const SimulateVerdict verdict = Simulate(program, Few({{"failover", 1}}));
  EXPECT_TRUE(verdict.violated);
  EXPECT_THAT(verdict.text, HasSubstr("failover"));
}

TEST(SimulateTest, WhoDoesNotEndAfterAllFaultsIsNamedWithWhatItWaitsFor) {
  // One waits for a sign that the other one does not give if it dies.
  Program program{.name = "test.pair"};
  program.clients = {[](SimulatedClient& client) {
                       Result<Reply> given = client.Call({"SET", "sign", "1"});
                       while (!given.ok() && given.code() != StatusCode::kCancelled) {
                         given = client.Call({"SET", "sign", "1"});
                       }
                     },
                     [](SimulatedClient& client) {
                       for (;;) {
                         const auto sign = client.Call({"GET", "sign"});
                         if (sign.ok() && sign->IsString()) return;
                         if (sign.code() == StatusCode::kCancelled) return;
                         client.Sleep(milliseconds(100));
                       }
                     }};
  program.ends_within = seconds(5);
  const SimulateVerdict alive = Simulate(program, Few({{"pause", 1}}));
  EXPECT_TRUE(alive.ok) << alive.text;
  const SimulateVerdict verdict = Simulate(program, Few({{"pause", 2}, {"crash", 1}}));
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_EQ(verdict.invariant, kEverybodyEnds);
  EXPECT_THAT(verdict.message, HasSubstr("C2 had not ended 5000.000 ms after all faults"));
  EXPECT_THAT(verdict.text, HasSubstr("crash"));
  EXPECT_THAT(verdict.text, Not(HasSubstr("pause for"))) << "the pause is not needed";
  program.ends_within = std::nullopt;
  EXPECT_TRUE(Simulate(program, Few({{"crash", 1}})).ok) << "it is not demanded";
}

TEST(SimulateTest, AnInvariantAtTheEndIsLookedAtOnceAllIsOver) {
  const auto half = [](const ProgramView& view) {
    return view.server.String("count") == "1" ? "only one has counted" : "";
  };
  EXPECT_TRUE(Simulate(WithInvariant(half, false), Few()).violated);
  EXPECT_TRUE(Simulate(WithInvariant(half, true), Few()).ok);
  const SimulateVerdict verdict = Simulate(WithInvariant(half, true), Few({{"crash", 1}}));
  EXPECT_TRUE(verdict.violated) << verdict.text;
}

TEST(SimulateTest, NotesAreSeenInOrderWithTheirClients) {
  Program program{.name = "test.notes"};
  program.clients.assign(2, [](SimulatedClient& client) {
    client.Note("begins", client.number());
    client.Sleep(seconds(1));
    client.Note("ends");
  });
  program.setup = [](SimulatedClient& client) { client.Note("prepares", client.number()); };
  program.invariants = {{"all four and the first",
                         [](const ProgramView& view) {
                           const bool right =
                               view.notes.size() == 5 && view.notes[0].name == "prepares" &&
                               view.notes[0].client == -1 && view.notes[0].value == "-1" &&
                               view.notes[1].name == "begins" && view.notes[4].name == "ends" &&
                               view.notes[4].at >= view.notes[1].at + seconds(1);
                           return right ? "" : "the notes are not as made";
                         },
                         true}};
  const SimulateVerdict verdict = Simulate(program, Few());
  EXPECT_TRUE(verdict.ok) << verdict.text;
}

TEST(SimulateTest, TheDataAreThoseAfterTheSetup) {
  Program program = Counter(Count, 1);
  program.setup = [](SimulatedClient& client) {
    (void)client.Call({"SET", "count", "-1"});
    (void)client.Call({"SET", "count", "41"});
  };
  program.invariants = {{"it counts on", [](const ProgramView& view) {
                           const auto count = view.server.String("count");
                           return count == "41" || count == "42" ? "" : "it is something else";
                         }}};
  const SimulateVerdict verdict = Simulate(program, Few());
  EXPECT_TRUE(verdict.ok) << verdict.text;
}

TEST(SimulateTest, EachFormOfServersIsSeenByTheInvariant) {
  for (const std::string servers : {"standalone", "replicated", "independent", "cluster"}) {
    Program program = Counter(Count);
    program.servers = servers;
    const std::size_t nodes = servers == "standalone" ? 1 : servers == "replicated" ? 2 : 3;
    program.invariants.push_back({"all servers are shown", [nodes](const ProgramView& view) {
                                    return view.nodes.size() == nodes ? "" : "they are not";
                                  }});
    const SimulateVerdict verdict = Simulate(program, Few({{"pause", 1}}));
    EXPECT_TRUE(verdict.ok) << servers << ": " << verdict.text;
  }
}

TEST(SimulateTest, ShrinkingKeepsToTheInvariantThatWasViolated) {
  // A pause violates the one, a lost reply the other; a run may have both.
  Program program{.name = "test.two"};
  program.clients.assign(2, [](SimulatedClient& client) {
    Runtime& runtime = client.environment().runtime;
    const MonotonicTime begin = runtime.Now();
    client.Sleep(milliseconds(10));
    if (runtime.Now() > begin + milliseconds(400)) client.Note("late");
    if (!client.Call({"PING"}).ok()) client.Note("lost");
  });
  const auto none = [](const std::string& name) {
    return [name](const ProgramView& view) { return view.Count(name) > 0 ? "there is one" : ""; };
  };
  program.invariants = {{"late", none("late")}, {"lost", none("lost")}};
  std::set<std::string> violated;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulateVerdict verdict =
        Simulate(program, {.seed = seed, .runs = 200, .faults = {{"pause", 2}, {"lost-reply", 2}}});
    ASSERT_TRUE(verdict.violated) << verdict.text;
    violated.insert(verdict.invariant);
    const bool late = verdict.invariant == "late";
    EXPECT_THAT(verdict.text, HasSubstr(late ? "FAULT pause" : "FAULT "));
    EXPECT_THAT(verdict.text, HasSubstr("1 fault,"));
    if (late) {
      EXPECT_THAT(verdict.text, Not(HasSubstr("FAULT lost-reply")));
    }
    EXPECT_EQ(Replay(program, verdict.token).invariant, verdict.invariant);
  }
  EXPECT_THAT(violated, testing::ElementsAre("late", "lost"));
}

TEST(SimulateReplayTest, ATokenOfAnythingElseIsRefused) {
  const Program program = Counter(CountBadly);
  const std::string token = Simulate(program, Few()).token;
  ASSERT_FALSE(token.empty());
  const auto refusal = [](const Program& of, std::string_view text) {
    const SimulateVerdict verdict = Replay(of, text);
    EXPECT_FALSE(verdict.ok || verdict.violated || verdict.runs > 0) << verdict.text;
    return verdict.message;
  };
  Program other = program;
  other.name = "test.other";
  EXPECT_THAT(refusal(other, token),
              HasSubstr("of the program test.counter; expected one of test."));
  EXPECT_THAT(refusal(Counter(CountBadly, 3), token),
              HasSubstr("2 clients; the program test.counter"));
  Program replicated = program;
  replicated.servers = "replicated";
  EXPECT_THAT(refusal(replicated, token), HasSubstr("1 standalone server"));
  EXPECT_THAT(refusal(program, token.substr(0, token.size() - 3)), HasSubstr("damaged"));
  EXPECT_THAT(refusal(program, "v1" + token.substr(2)), HasSubstr("of version v1"));
  EXPECT_THAT(refusal(program, "hello"), HasSubstr("not a replay token"));
  EXPECT_THAT(refusal(program, ""), HasSubstr("not a replay token"));
  EXPECT_THAT(Replay(token).text, HasSubstr("test.counter")) << "no lock is of that name";
}

}  // namespace
}  // namespace interlock::harness
