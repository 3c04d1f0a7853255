// SPDX-License-Identifier: MIT
//
// A client that would end the whole program ends alone: its end is a verdict like any other, found,
// shrunk to the fault that it needs, and replayed, and the next program is not disturbed.
#include <interlock/harness/explore_program.h>
#include <interlock/harness/simulate.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/crashes.h"
#include "sim/posix/sanitizers.h"
#include "sim/tripwire.h"
#include "tests/scenarios/program/counter_program.h"
#include "tests/scenarios/program/leaks.h"

#undef NDEBUG
#include <cassert>

namespace interlock::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// The second client does this when a reply is lost.
Program WithHandler(std::function<void()> at_an_error, bool posix = false) {
  Program program{.name = "test.crash"};
  program.clients = {Count, [at_an_error = std::move(at_an_error)](SimulatedClient& client) {
                       const std::string own(100, 'x');  // memory that the end loses
                       if (!client.Call({"INCR", "count"}).ok()) at_an_error();
                     }};
  program.posix = posix;
  return program;
}

SimulateOptions Lossy() { return {.runs = 200, .faults = {{"lost-reply", 2}, {"pause", 1}}}; }

class ClientCrashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sim::TripwireIsArmed()) GTEST_SKIP() << "not with ThreadSanitizer";
  }

  static void ExpectEnd(const std::function<void()>& end, const std::string& how) {
    const Program program = WithHandler(end);
    const SimulateVerdict verdict = Simulate(program, Lossy());
    EXPECT_TRUE(verdict.violated) << verdict.text;
    EXPECT_EQ(verdict.invariant, kNobodyCrashes);
    EXPECT_EQ(verdict.message, "C2 " + how);
    EXPECT_THAT(verdict.text, HasSubstr("FAULT lost-reply"));
    EXPECT_THAT(verdict.text, HasSubstr("1 fault,")) << "that is what it needs";
    EXPECT_EQ(Replay(program, verdict.token).message, verdict.message);
    EXPECT_TRUE(Replay(WithHandler([] {}), verdict.token).ok) << "the mended program passes";
  }

 private:
  const LeaksExpected leaks_;
};

// Without a bound that it could reach on any stack.
[[gnu::noinline]] int Recurse(volatile int* depth) {
  *depth = *depth + 1;
  return *depth < 0 ? 0 : Recurse(depth) + *depth;
}

void Throw() { throw std::runtime_error("no reply"); }

TEST_F(ClientCrashTest, EachEndHasItsReason) {
  ExpectEnd([] { std::abort(); }, "aborted");
  ExpectEnd([] { std::raise(SIGSEGV); }, "crashed (SIGSEGV)");
  ExpectEnd([] { std::raise(SIGFPE); }, "crashed (SIGFPE)");
  ExpectEnd([] { std::terminate(); }, "called std::terminate");
  ExpectEnd([] { std::exit(3); }, "called exit(3)");
  ExpectEnd([]() noexcept { Throw(); },
            "let an exception of type std::runtime_error escape: no reply");
}

TEST_F(ClientCrashTest, AWildReadAndAnEndlessRecursionToo) {
  ExpectEnd(
      [] {
        int* volatile nowhere = nullptr;
        static_cast<void>(*const_cast<volatile int*>(nowhere));
      },
      "crashed (SIGSEGV)");
  ExpectEnd(
      [] {
        volatile int depth = 0;
        Recurse(&depth);
      },
      "overflowed its stack: an endless recursion");
}

TEST_F(ClientCrashTest, AFailedAssertionIsQuoted) {
  const SimulateVerdict verdict =
      Simulate(WithHandler([] { assert(std::string("stock").empty()); }), Lossy());
  EXPECT_EQ(verdict.invariant, kNobodyCrashes);
  EXPECT_THAT(verdict.message, MatchesRegex("C2 failed the assertion std::string.*empty\\(\\) "
                                            "\\(.*client_crash_test.cc:[0-9]+\\)"));
}

TEST_F(ClientCrashTest, SoDoesATaskThatAClientHasSpawned) {
  Program program{.name = "test.spawn"};
  program.clients = {[](SimulatedClient& client) {
    const auto task = client.environment().runtime.Spawn(
        "helper", [] { throw std::runtime_error("of the helper"); });
    client.Note("spawned");
    task->Join();
  }};
  const SimulateVerdict verdict = Simulate(program, {.runs = 20});
  EXPECT_EQ(verdict.invariant, kNobodyCrashes) << verdict.text;
  EXPECT_THAT(verdict.message, HasSubstr("C1 let an exception of type std::runtime_error escape: "
                                         "of the helper"));
}

TEST_F(ClientCrashTest, TheSetupIsNamed) {
  Program program = WithHandler([] {});
  program.setup = [](SimulatedClient&) { std::abort(); };
  EXPECT_EQ(Simulate(program, Lossy()).message, "the setup aborted");
}

TEST_F(ClientCrashTest, ExplorationFindsIt) {
  const Program program = WithHandler([] { std::abort(); });
  EXPECT_TRUE(Explore(program).passed);
  const ExploreVerdict verdict = Explore(program, {.faults = {{"lost-reply", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("C2 aborted"));
  EXPECT_EQ(Replay(program, verdict.token).message, "C2 aborted");
}

TEST_F(ClientCrashTest, AnInvariantThatCrashesHasFailed) {
  Program program = WithHandler([] {});
  program.invariants = {
      {"it", [](const ProgramView&) -> std::string { return std::raise(SIGSEGV) ? "x" : "y"; }}};
  const SimulateVerdict verdict = Simulate(program, Lossy());
  EXPECT_EQ(verdict.invariant, "it");
  EXPECT_EQ(verdict.message, "the invariant crashed (SIGSEGV)");
}

TEST_F(ClientCrashTest, CodeAsItIsCompiledEndsInAnyOfItsThreads) {
  const Program program = WithHandler([] { std::thread([] { std::abort(); }).join(); }, true);
  const SimulateVerdict verdict = Simulate(program, Lossy());
  EXPECT_EQ(verdict.invariant, kNobodyCrashes) << verdict.text;
  EXPECT_EQ(verdict.message, "C2 aborted");
  EXPECT_EQ(Replay(program, verdict.token).message, "C2 aborted");
  const Program terminated = WithHandler([] { const std::thread forgotten([] {}); }, true);
  EXPECT_EQ(Simulate(terminated, Lossy()).message, "C2 called std::terminate");
}

TEST_F(ClientCrashTest, AndInAnyOfItsOsThreads) {
  const auto in_a_thread = [](const std::function<void()>& end) {
    Program program = WithHandler([end] { std::thread(end).join(); }, true);
    program.os_threads = true;
    const SimulateVerdict verdict = Simulate(program, Lossy());
    EXPECT_EQ(verdict.message, Replay(program, verdict.token).message);
    return verdict.message;
  };
  EXPECT_EQ(in_a_thread([] { std::abort(); }), "C2 aborted");
  EXPECT_EQ(in_a_thread([] { std::raise(SIGSEGV); }), "C2 crashed (SIGSEGV)");
  EXPECT_EQ(in_a_thread([] { std::exit(3); }), "C2 called exit(3)");
  EXPECT_EQ(in_a_thread([] {
              volatile int depth = 0;
              Recurse(&depth);
            }),
            "C2 overflowed its stack: an endless recursion");
  EXPECT_THAT(in_a_thread(Throw), HasSubstr("std::runtime_error escape: no reply"));
  EXPECT_EQ(in_a_thread([] {
              flockfile(stdout);
              std::abort();
            }),
            "C2 aborted");
  EXPECT_EQ(ftrylockfile(stdout), 0) << "nobody else has it any more";
  funlockfile(stdout);
}

TEST_F(ClientCrashTest, ACallThatIsNotSimulatedIsNoVerdictAndIsNamed) {
  const SimulateVerdict clock =
      Simulate(WithHandler([] { static_cast<void>(std::chrono::system_clock::now()); }), Lossy());
  EXPECT_FALSE(clock.ok || clock.violated) << clock.text;
  EXPECT_THAT(clock.message, HasSubstr("C2 called clock_gettime(), which is outside of the "
                                       "simulation; expected its environment, or Program::posix"));
  EXPECT_FALSE(clock.token.empty());
  const SimulateVerdict forks =
      Simulate(WithHandler([] { static_cast<void>(::fork()); }, true), Lossy());
  EXPECT_FALSE(forks.ok || forks.violated) << forks.text;
  EXPECT_EQ(forks.message, "C2 called fork(), which the simulated C library does not have");
}

// What follows a crash must not be what preceded it: the signals' actions are put back.
TEST_F(ClientCrashTest, AfterwardsTheProgramIsAsBefore) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGSEGV, nullptr, &before);
  const std::terminate_handler terminate_before = std::get_terminate();
  ExpectEnd([] { std::abort(); }, "aborted");
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
  EXPECT_EQ(terminate_before, std::get_terminate());
}

using ClientCrashDeathTest = ClientCrashTest;

TEST_F(ClientCrashDeathTest, TheProgramsOwnCrashStillEndsIt) {
  EXPECT_DEATH(
      {
        Simulate(WithHandler([] { std::abort(); }), Lossy());
        std::abort();
      },
      "");
  EXPECT_EXIT(std::exit(5), ::testing::ExitedWithCode(5), "");
}

TEST_F(ClientCrashDeathTest, ACrashOfTheSimulatorItselfIsToldFromAClients) {
  const auto crash = [] {
    const sim::CrashHandler handler;
    std::raise(SIGSEGV);
  };
  if (sim::posix::kWithAsan) {
    EXPECT_DEATH(crash(), "AddressSanitizer: SEGV");  // It is told first, and ends the process.
    return;
  }
  EXPECT_EXIT(crash(), ::testing::KilledBySignal(SIGSEGV),
              "a crash outside of simulated clients. Has one of them overwritten memory");
}

}  // namespace
}  // namespace interlock::harness
