// SPDX-License-Identifier: MIT
//
// `interlock drive --explore` with small clients: what it says is all that there is, and goes on
// where it was interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/templates.h"
#include "scenarios/search/foreign/order_search.h"
#include "tests/scenarios/child_process.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;
using testing::ScratchFolder;

using Words = std::vector<std::string>;

/// A Python client without a library, so that it starts fast, which says the given commands.
std::string ClientThat(const std::string& body) {
  return R"py(import os, socket, time
wire = socket.create_connection((os.environ["REDIS_HOST"], int(os.environ["REDIS_PORT"])))
replies = wire.makefile("rb")
me = os.environ["INTERLOCK_CLIENT"]
def say(line):
    words = [word.encode() for word in line.split()]
    wire.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    reply = replies.readline().strip()
    if reply[:1] == b"$" and reply != b"$-1":
        reply = replies.readline().strip()
    return reply
)py" + body;
}

/// Asks once, and releases the lock whether it has it or not.
const std::string kHasty = ClientThat(R"py(
say("SET seen:" + me + " 1")
say("SET lock:stock " + me + " NX PX 500")
say("GET seen:" + me)
say("DEL lock:stock")
)py");

/// Waits for a lock that forgets whose it is.
const std::string kNaive = ClientThat(R"py(
while say("SET lock:stock " + me + " NX PX 500") != b"+OK":
    time.sleep(0.01)
say("DEL lock:stock")
)py");

/// The same with sections, and a release that looks first.
const std::string kGuarded = ClientThat(R"py(
while say("SET lock:stock " + me + " NX PX 500") != b"+OK":
    time.sleep(0.01)
say("INTERLOCK.ENTER stock")
say("INTERLOCK.LEAVE stock")
say("EVAL " + "return(redis.call('get',KEYS[1])==ARGV[1])and(redis.call('del',KEYS[1]))"
    + " 1 lock:stock " + me)
)py");

class DriveExploreTest : public ::testing::Test {
 protected:
  std::string Save(const std::string& name, const std::string& text) const {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  ChildResult Explore(Words options, const std::string& client) const {
    options.insert(options.begin(), {INTERLOCK_PROGRAM, "drive", "--explore"});
    options.insert(options.end(), {"--", "/usr/bin/python3", Save("client.py", client)});
    return RunChild(options);
  }

  std::string Out() const { return folder_.path() + "/out"; }

  const ScratchFolder folder_;
};

/// What each client said, heard and how it ended, in its own order; and what was violated.
std::string OutcomeOf(const drive::DriveRun& run) {
  std::map<int, std::string> clients;
  for (const LogEvent& event : run.events) {
    std::string& text = clients[event.client];
    if (event.kind == EventKind::kSend) text += event.As<SendDetails>().command + ";";
    if (event.kind == EventKind::kReply) text += event.As<ReplyDetails>().text + ";";
    if (event.kind == EventKind::kFault) text += event.As<FaultDetails>().fault + ";";
  }
  std::string outcome;
  for (const auto& [client, text] : clients) outcome += text + "|";
  for (const drive::Finding& finding : run.findings) outcome += finding.slug + " ";
  // Node draws another one in each run.
  static const std::regex kUuid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return std::regex_replace(outcome, kUuid, "UUID");
}

std::set<std::string> OutcomesOf(const drive::DriveOptions& options, bool reduce,
                                 drive::OrderTotals& totals) {
  drive::OrderSearch search(
      [&options](drive::StepWatch& watch, sim::Choices& choices) {
        drive::DriveOptions watched = options;
        watched.watch = &watch;
        return drive::RunClients(watched, choices);
      },
      *options.stop, reduce);
  std::set<std::string> outcomes;
  while (!search.done()) {
    const auto made = search.Next();
    if (!made.ok()) break;
    if (*made && !(*made)->pruned) outcomes.insert(OutcomeOf((*made)->run));
  }
  totals = search.totals();
  return outcomes;
}

/// All runs of two such clients, once each and with the reduction.
struct BothSearches {
  drive::OrderTotals all;
  drive::OrderTotals reduced;
  std::set<std::string> expected;
  std::set<std::string> found;
};

BothSearches SearchBoth(Words command, std::uint64_t polls) {
  const std::atomic<bool> stop = false;
  drive::DriveOptions options;
  options.command = std::move(command);
  options.stop = &stop;
  options.crashes = options.lost_replies = options.expiries = options.script_flushes = 0;
  options.orders = drive::OrderBounds{.polls = polls};
  const auto templates = drive::Templates::Start(options);
  BothSearches both;
  EXPECT_TRUE(templates.ok());
  if (!templates.ok()) return both;
  options.templates = templates->get();
  both.expected = OutcomesOf(options, false, both.all);
  both.found = OutcomesOf(options, true, both.reduced);
  EXPECT_EQ(both.found, both.expected);
  EXPECT_EQ(both.all.astray, 0U) << both.all.how_astray;
  EXPECT_EQ(both.reduced.astray, 0U) << both.reduced.how_astray;
  EXPECT_NEAR(both.all.share, 1, 1e-9);
  EXPECT_NEAR(both.reduced.share, 1, 1e-9);
  return both;
}

TEST_F(DriveExploreTest, TheReductionLosesNoOutcomeAndNoViolation) {
  const BothSearches both = SearchBoth({"/usr/bin/python3", Save("client.py", kHasty)}, 0);
  EXPECT_EQ(both.all.runs, 70U);  // 8 over 4
  EXPECT_LT(both.reduced.runs + both.reduced.pruned, both.all.runs / 2);
  const auto wrong = [](const std::string& outcome) {
    return outcome.find("foreign-release") != std::string::npos;
  };
  EXPECT_GT(std::ranges::count_if(both.found, wrong), 0);
}

/// "12 runs, 3 pruned": the totals of a report's last sentence about a search.
std::string TotalsIn(const std::string& report) {
  std::smatch match;
  std::string joined = std::regex_replace(report, std::regex("\\s+"), " ");
  EXPECT_TRUE(std::regex_search(joined, match, std::regex("[0-9]+ runs?, [0-9]+ pruned")));
  return match.str();
}

TEST_F(DriveExploreTest, ASoundLockIsProvedWithinBoundsAndAnInterruptedSearchGoesOn) {
  const ChildResult whole = Explore({"--polls", "0"}, kGuarded);
  EXPECT_EQ(whole.exit_code, 0) << whole.out << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("Knuth's estimate"));
  EXPECT_THAT(whole.out, AllOf(HasSubstr("proved"), HasSubstr("complete: all orders of 2"),
                               HasSubstr("within 0 polls, 1000 commands of a client")));

  const ChildResult first = Explore({"--polls", "0", "--runs", "3", "--out", Out()}, kGuarded);
  EXPECT_EQ(first.exit_code, 2) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("inconclusive"), HasSubstr("--runs 3 was reached"),
                               HasSubstr("--resume"), Not(HasSubstr("proved"))));
  const std::string state = Out() + "/explore-state.json";
  const ChildResult second = Explore({"--polls", "0", "--resume", state}, kGuarded);
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_EQ(TotalsIn(second.out), TotalsIn(whole.out));

  const ChildResult other = Explore({"--polls", "1", "--resume", state}, kGuarded);
  EXPECT_EQ(other.exit_code, 65);
  EXPECT_THAT(other.err, HasSubstr(state + ": it is of another search: its \"polls\" is 0, and "));
}

TEST_F(DriveExploreTest, TheSmallestViolationIsShown) {
  const ChildResult found = Explore({"--polls", "0", "--expiries", "1", "--out", Out()}, kNaive);
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr("LK005"), HasSubstr("expiry, at DEL lock:stock"),
                               HasSubstr("1 expiry"), HasSubstr("Fails:    in 5 of 5 runs")));
  const ChildResult again =
      RunChild({INTERLOCK_PROGRAM, "drive", "--replay",
                Out() + "/counterexamples/drive.foreign-release.json", "--times", "1"});
  EXPECT_EQ(again.exit_code, 1) << again.out << again.err;
}

TEST_F(DriveExploreTest, ClientsThatDoSomethingElseInEachRunAreInconclusive) {
  const std::string fickle = ClientThat(R"py(
path = os.path.join(os.path.dirname(__file__), "count" + me)
count = int(open(path).read()) if os.path.exists(path) else 0
open(path, "w").write(str(count + 1))
mine = False
for i in range(1 + count % 2):
    mine = say("SET lock:stock " + me + " NX PX 500") == b"+OK" or mine
if mine:
    say("DEL lock:stock")
)py");
  const ChildResult result = Explore({"--runs", "30"}, fickle);
  EXPECT_EQ(result.exit_code, 2) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("the clients did not repeat"));
}

// It is spared most of its wait, in each run from the same try on.
TEST_F(DriveExploreTest, WhoWaitsForADeadOwnersLeaseDoesTheSameInEachRun) {
  const ChildResult result = Explore({"--lost-replies", "1", "--runs", "300"}, kGuarded);
  EXPECT_THAT(result.out, AllOf(HasSubstr("--runs 300 was reached"), HasSubstr("300 runs"),
                                Not(HasSubstr("did not repeat")), Not(HasSubstr("astray"))));
}

class ManyRunsOfExploreTest : public DriveExploreTest {
 protected:
  /// The example with one round instead of two.
  std::string OneRound(const std::string& file) const {
    return OneRoundOf(INTERLOCK_EXAMPLES "/" + file, file);
  }
  std::string OneRoundOf(const std::string& path, const std::string& file) const {
    std::string text = testing::ReadFile(path);
    for (const auto& [two, one] :
         {std::pair{"range(2)", "range(1)"}, std::pair{"2.times", "1.times"},
          std::pair{"round < 2", "round < 1"}}) {
      const std::size_t at = text.find(two);
      if (at != std::string::npos) text.replace(at, std::string(two).size(), one);
    }
    return Save(file, text);
  }
  /// Searched within so many polls.
  static void ExpectNothingLost(const Words& command, std::uint64_t polls) {
    const BothSearches both = SearchBoth(command, polls);
    EXPECT_GT(both.found.size(), 1U);
    EXPECT_LE(both.reduced.runs, both.all.runs);
  }
};

TEST_F(ManyRunsOfExploreTest, TheReductionLosesNothingOfRedisPysLock) {
  ExpectNothingLost({"/usr/bin/python3", OneRound("lock.py")}, 2);
}

TEST_F(ManyRunsOfExploreTest, TheReductionLosesNothingOfANaiveLockInPython) {
  ExpectNothingLost({"/usr/bin/python3", OneRound("naive.py")}, 2);
}

TEST_F(ManyRunsOfExploreTest, TheReductionLosesNothingOfANaiveLockInRuby) {
  ExpectNothingLost({"ruby", OneRound("naive.rb")}, 2);
}

TEST_F(ManyRunsOfExploreTest, TheReductionLosesNothingOfANaiveLockInNode) {
  ExpectNothingLost({"/usr/bin/env", "NODE_PATH=/usr/share/nodejs", "node", OneRound("naive.js")},
                    1);
}

// As the audit installs it: npm fetches what the folder's lock file pins.
TEST_F(ManyRunsOfExploreTest, TheReductionLosesNothingOfRedisSemaphoresMutex) {
  const std::string audited = INTERLOCK_EXAMPLES "/../audit/redis-semaphore/";
  for (const std::string file : {"package.json", "package-lock.json"}) {
    Save(file, testing::ReadFile(audited + file));
  }
  const std::string client = OneRoundOf(audited + "client.js", "client.js");
  const ChildResult installed = RunChild({"/usr/bin/env", "npm", "ci", "--prefix", folder_.path(),
                                          "--ignore-scripts", "--no-audit", "--no-fund"});
  ASSERT_EQ(installed.exit_code, 0) << installed.out << installed.err;
  ExpectNothingLost({"node", client}, 1);
}

TEST_F(ManyRunsOfExploreTest, AKilledSearchGoesOnFromWhatItHasSaved) {
  const std::string client = Save("client.py", kGuarded);
  const Words search = {
      INTERLOCK_PROGRAM, "drive", "--explore", "--crashes", "2", "--lost-replies", "2",
      "--expiries",      "2",     "--out",     Out()};
  Words words = search;
  words.insert(words.end(), {"--", "/usr/bin/python3", client});
  const ChildResult killed = RunChild(words, testing::LateSignal{std::chrono::seconds(9), SIGKILL});
  EXPECT_EQ(killed.signal, SIGKILL) << killed.out << killed.err;
  const std::string state = Out() + "/explore-state.json";
  words = search;
  words.insert(words.end(), {"--resume", state, "--runs", "1", "--", "/usr/bin/python3", client});
  const ChildResult resumed = RunChild(words);
  EXPECT_EQ(resumed.exit_code, 2) << resumed.out << resumed.err;
  EXPECT_THAT(resumed.out,
              AllOf(HasSubstr("--runs 1 was reached"), Not(HasSubstr("after 1 run "))));
}

TEST_F(DriveExploreTest, WhatDoesNotGoWithItIsRefused) {
  const auto refused = [this](const Words& options, int code, const std::string& why) {
    const ChildResult result = Explore(options, kNaive);
    EXPECT_EQ(result.exit_code, code) << result.out << result.err;
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({"--delays", "1"}, 64, "--delays 1: --explore has no such fault");
  refused({"--clock", "machine"}, 64, "--clock machine: by it no run can be repeated");
  refused({"--strategy", "random"}, 64, "--strategy");
  refused({"--budget", "soon"}, 64, "soon");
  refused({"--resume", Out()}, 65, Out());
  refused({"--resume", Save("no.json", "{}")}, 65, "it is no state of drive --explore");
  const ChildResult alone = RunChild({INTERLOCK_PROGRAM, "drive", "--polls", "1", "--", "true"});
  EXPECT_EQ(alone.exit_code, 64);
  EXPECT_THAT(alone.err, HasSubstr("--explore"));
}

}  // namespace
}  // namespace interlock::scenarios
