// SPDX-License-Identifier: MIT
//
// How `interlock drive` ends runs that do not end by themselves, and what it says of clients that
// leave something behind: small clients in Python, each with one fault of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/foreign/python_clients.h"

namespace interlock::scenarios {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;

using Words = std::vector<std::string>;

/// One calm run.
ChildResult DriveOnce(const std::string& client, const std::string& commands = "60") {
  return DriveFor(client, {"--timeout", "2s", "--runs", "1", "--max-commands", commands});
}

void ExpectHung(const std::string& hang, const std::string& how) {
  const ChildResult found = DriveOnce("acquire(); enter()\n" + hang);
  EXPECT_EQ(found.exit_code, 1) << hang << found.out << found.err;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("LK009"), HasSubstr(how), Not(HasSubstr("no two clients"))))
      << hang;
}

void ExpectLeft(const std::string& client, const std::string& code) {
  const ChildResult found = DriveOnce(client, "2000");
  EXPECT_EQ(found.exit_code, 1) << client << found.out << found.err;
  EXPECT_THAT(found.out, AllOf(HasSubstr(code), Not(HasSubstr("no two clients")))) << client;
}

/// The second works on past its lease.
void ExpectTheSecondOverlaps(const ChildResult& sound, const ChildResult& slow) {
  EXPECT_EQ(sound.exit_code, 0) << sound.out << sound.err;
  EXPECT_EQ(slow.exit_code, 1) << slow.out << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("LK003"));
}

void ExpectAcquitted(const std::string& client) {
  const ChildResult passed = DriveOnce(client, "2000");
  EXPECT_EQ(passed.exit_code, 0) << client << passed.out << passed.err;
}

TEST(DriveEndTest, AHolderThatWaitsForNothingKeepsOthersOut) {
  const std::string waits = "while C1 holds a lock and waits";
  ExpectHung("threading.Event().wait()", waits);
}

TEST(ManyRunsOfDriveEndTest, WhateverItWaitsFor) {
  const std::string waits = "while C1 holds a lock and waits";
  ExpectHung("c = threading.Condition()\nwith c: c.wait()", waits);
  ExpectHung("os.read(os.pipe()[0], 1)", waits);
  ExpectHung("subprocess.run(['sleep', 'infinity'])", waits);
  ExpectHung("while True: pass", "while C1 holds a lock and spins");
  ExpectHung("while time.time() > 0: pass", "while C1 holds a lock and spins");
  ExpectHung("subprocess.run(['/bin/sh', '-c', 'while :; do sleep 0.05; done'])", "--max-commands");
  ExpectHung("while True: server.get('news'); time.sleep(0.1)", "--max-commands");
  ExpectHung("server.get('stock')\nwhile True: server.get('news'); time.sleep(0.1)",
             "--max-commands");
  ExpectHung("while True: server.get('news'); server.exists('news'); time.sleep(0.05)",
             "--max-commands");
}

// Without a bound of commands: so many in vain are enough.
TEST(ManyRunsOfDriveEndTest, NobodyAsksForEver) {
  const ChildResult hung =
      DriveFor("acquire(); enter(); threading.Event().wait()", {"--timeout", "2s", "--runs", "1"});
  EXPECT_EQ(hung.exit_code, 1) << hung.out << hung.err;
  EXPECT_THAT(hung.out, AllOf(HasSubstr("LK009"), HasSubstr("0 of 1 runs came")));
  const ChildResult polls = DriveFor("while not server.lpop('tokens'): time.sleep(0.01)",
                                     {"--timeout", "2s", "--runs", "1"});
  EXPECT_EQ(polls.exit_code, 1) << polls.out << polls.err;
  EXPECT_THAT(polls.out, HasSubstr("C1 and C2 asked again and again, and nothing changed"));
}

TEST(ManyRunsOfDriveEndTest, ALeaseThatAHungHolderRenewsHelpsNobody) {
  ExpectLeft(R"(
acquire(ttl=500); enter()
def renew():
    while True:
        server.pexpire("lock:stock", 500); time.sleep(0.1)
threading.Thread(target=renew, daemon=True).start()
threading.Event().wait())",
             "LK009");
}

TEST(ManyRunsOfDriveEndTest, AHolderThatSleepsForLongIsNotHung) {
  ExpectAcquitted("acquire(ttl=60000); enter(); time.sleep(10); leave(); release()");
  const ChildResult early =
      DriveOnce("acquire(ttl=60000); enter(); time.sleep(10); leave(); release()", "100");
  EXPECT_EQ(early.exit_code, 2) << early.out << early.err;
  EXPECT_THAT(early.out, HasSubstr("no end within 100 commands (--max-commands)"));
}

// Time does not run to the end of the run while a message is kept back that would let it go on.
TEST(DriveEndTest, ADelayedReplyComesBeforeAThreadThatSleepsForAWeek) {
  const ChildResult passed = DriveFor(
      "threading.Thread(target=lambda: time.sleep(7 * 86400), daemon=True).start()\n"
      "for _ in range(2): acquire(ttl=5000); enter(); leave(); release()",
      {"--runs", "15", "--crashes", "0", "--pauses", "0", "--expiries", "0", "--lost-replies", "0",
       "--script-flushes", "0", "--clocks", "0"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

// Who works for half a lease is not convicted because its commands had waited for the other half.
TEST(DriveEndTest, AHolderIsNotChargedForItsWaitsAtTheGate) {
  const Words calm = {"--runs",   "150", "--crashes",        "0", "--pauses",   "0",
                      "--delays", "0",   "--lost-replies",   "0", "--expiries", "0",
                      "--clocks", "0",   "--script-flushes", "0"};
  const auto works_for = [&](const std::string& seconds) {
    return DriveFor(R"(
token = os.urandom(8).hex()
while not server.set("stock", token, nx=True, px=1000): time.sleep(0.05)
enter(); time.sleep()" + seconds +
                        R"(); leave()
server.eval("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end",
            1, "stock", token))",
                    calm);
  };
  ExpectTheSecondOverlaps(works_for("0.5"), works_for("1.1"));
}

// It is told at once, with time left to try again or to stop.
TEST(DriveEndTest, ALostConnectionExcusesNoWorkPastTheLease) {
  const auto works_for = [](const std::string& seconds) {
    return DriveFor(R"(
token = os.urandom(8).hex()
only_mine = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call("
while not server.set("stock", token, nx=True, px=900): time.sleep(0.1)
enter(); time.sleep(0.5)
try: server.eval(only_mine + "'PEXPIRE', KEYS[1], 900) end", 1, "stock", token)
except redis.ConnectionError: pass
time.sleep()" + seconds +
                        R"(); leave()
server.eval(only_mine + "'DEL', KEYS[1]) end", 1, "stock", token))",
                    {"--runs", "60", "--crashes", "0", "--pauses", "0", "--delays", "0",
                     "--expiries", "0", "--clocks", "0", "--script-flushes", "0"});
  };
  ExpectTheSecondOverlaps(works_for("0.3"), works_for("0.7"));
}

// Nobody sees when such a timer goes off, so a client that has armed one gets a second of real
// time.
TEST(DriveEndTest, AWaitThatAKernelTimerWillEndIsNoDeadlock) {
  ExpectAcquitted(R"(
import signal
class Enough(Exception): pass
def stop(*_): raise Enough
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.5)
try: server.blpop("nothing", 0)
except Enough: pass
acquire(); enter(); leave(); release())");
}

TEST(DriveEndTest, ALockThatIsForgottenIsLeftForEver) {
  ExpectLeft("if acquire(20): enter(); leave()", "LK011");
}

TEST(ManyRunsOfDriveEndTest, HoweverItIsForgotten) {
  ExpectLeft("if acquire(20):\n  enter(); leave()\n  if me == 1: release()", "LK011");
  ExpectLeft("if acquire(20):\n  enter()\n  if me == 0: raise ValueError\n  leave(); release()",
             "LK011");
  ExpectLeft("if acquire(20): enter(); os._exit(0)", "LK011");
  ExpectLeft("if acquire(1): enter(); leave()", "LK011");
  // Those who wait for it keep it alive.
  ExpectLeft(R"(
while not server.setnx("lock:stock", 1):
    server.pexpire("lock:stock", 500); time.sleep(0.01)
server.pexpire("lock:stock", 500); enter(); leave())",
             "LK011");
}

TEST(ManyRunsOfDriveEndTest, APermitThatIsForgottenIsRefusedToAll) {
  ExpectLeft(R"(
for _ in range(20):
    if server.incr("permits") <= 1: break
    server.decr("permits"); time.sleep(0.01)
else: sys.exit(1)
enter(); leave())",
             "LK010");
  ExpectLeft(R"(
if server.getset("prepared", 1) is None: server.lpush("permits", 1)
for _ in range(20):
    if server.rpop("permits"): break
    time.sleep(0.01)
else: sys.exit(1)
enter(); leave())",
             "LK010");
}

TEST(DriveEndTest, ALeaseThatRunsOutIsNotLeft) {
  ExpectAcquitted("acquire(ttl=300); enter(); leave()\nif me == 0: threading.Event().wait()");
}

// Whoever waits for its end asks 1,500 times in vain until then.
TEST(DriveEndTest, ALongLeaseThatRunsOutIsNoLivelock) {
  const ChildResult passed = DriveFor(R"(
for _ in range(2):
    while not server.set("lock:stock", "me", nx=True, px=60000): time.sleep(0.05)
    enter(); leave())",
                                      {"--runs", "1"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
}

TEST(ManyRunsOfDriveEndTest, NorIsAFlagThatNobodyWaitsFor) {
  ExpectAcquitted("acquire(ttl=300); enter(); os._exit(0)");
  ExpectAcquitted(R"(
for _ in range(2):
    if server.setnx("prepared", 1): server.lpush("permits", 1)
    server.blpop(["permits"], 0); enter(); leave(); server.lpush("permits", 1))");
  // They are refused while somebody holds it, and give up.
  ExpectAcquitted(R"(
for _ in range(6):
    if server.incr("permits") <= 1:
        enter(); time.sleep(0.3); leave(); server.decr("permits"); break
    server.decr("permits"); time.sleep(0.01))");
}

TEST(DriveEndTest, AStopWhileAClientHangsEndsItWithWhatIsKnown) {
  const ChildResult result =
      DriveFor("acquire(); enter(); time.sleep(80000)", {"--max-commands", "1000000"},
               testing::LateSignal{std::chrono::seconds(3), SIGTERM});
  EXPECT_EQ(result.exit_code, 143) << result.out << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("PARTIAL"), HasSubstr("C1 was in a section"),
                    HasSubstr("C2 was asking for a lock"), Not(HasSubstr("no two clients"))));
}

// It signals the program, and then its whole group.
TEST(DriveEndTest, TheTwoSignalsOfTimeoutAreOneStop) {
  const ChildResult result =
      RunChild({"/usr/bin/timeout", "3", INTERLOCK_PROGRAM, "drive", "--max-commands", "1000000",
                "--max-virtual-time", "200h", "--", "/usr/bin/python3", "-c",
                kTools + "acquire(); enter(); time.sleep(700000)"});
  EXPECT_EQ(result.exit_code, 124) << result.out << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("PARTIAL"), HasSubstr("C1 was in a section")));
}

TEST(DriveEndTest, AStopWhileAClientSpinsEndsItToo) {
  const ChildResult result = DriveFor("acquire(); enter()\nwhile True: pass", {"--timeout", "60s"},
                                      testing::LateSignal{std::chrono::seconds(2), SIGTERM});
  EXPECT_EQ(result.exit_code, 143) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("PARTIAL"));
}

TEST(DriveEndTest, ABoundThatIsNoneIsRefused) {
  for (const std::string option : {"--max-real-time", "--max-virtual-time"}) {
    const ChildResult result = DriveFor("", {option, "soon"});
    EXPECT_EQ(result.exit_code, 64);
    EXPECT_THAT(result.err, HasSubstr(option + ": soon is not a time from 1s to 200h"));
  }
}

}  // namespace
}  // namespace interlock::scenarios
