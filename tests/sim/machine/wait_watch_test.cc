// SPDX-License-Identifier: MIT
//
// Programs of Debian's that publish their waits: the test is their server, and asks whether they
// are still without a look into /proc.
#include "sim/machine/wait_watch.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "sim/machine/foreign_process.h"
#include "sim/machine/loopback.h"
#include "sim/machine/virtual_clock.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;
using Look = WaitWatch::Look;

constexpr const char* kConnectAndWait = R"(
import os, signal, socket, sys, threading, time
server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
)";
/// Takes some 20 ms of a processor.
constexpr const char* kWork = "sum(range(600_000))\n";

class WaitWatchTest : public ::testing::Test {
 protected:
  void Start(const std::string& script) {
    auto made = VirtualClock::Make({1});
    ASSERT_TRUE(made.ok()) << made.status().message();
    clock_ = *std::move(made);
    const int listener = ListenOnLoopback();
    auto started = ForeignProcess::Start(
        {"/usr/bin/python3", "-c", kConnectAndWait + script, std::to_string(PortOf(listener))},
        clock_->EnvironmentOf(0));
    ASSERT_TRUE(started.ok()) << started.status().message();
    process_ = *std::move(started);
    while ((connection_ = AcceptOne(listener)) < 0) std::this_thread::sleep_for(milliseconds(1));
    close(listener);
  }
  void TearDown() override { close(connection_); }

  /// As the driver looks, which reads what there is in between.
  Look LookAt(bool sent = true) {
    watch().Read();
    std::array<char, 1000> bytes{};
    ssize_t got = 0;
    while ((got = recv(connection_, bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0) {
      received_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return watch().LookAt(process_->pid(), sent);
  }
  void AwaitLook(Look look, bool sent = true) {
    while (LookAt(sent) != look) {
      ASSERT_FALSE(process_->ended()) << process_->OutputTail(2'000);
      watch().Await(milliseconds(1));
    }
  }
  void Give(const std::string& bytes) {
    const VirtualClock::Gift gift(clock_.get(), 0);
    ASSERT_EQ(write(connection_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  WaitWatch& watch() { return clock_->watch(0); }

  std::unique_ptr<VirtualClock> clock_;
  std::unique_ptr<ForeignProcess> process_;
  int connection_ = -1;
  std::string received_;
};

TEST_F(WaitWatchTest, ABlockedReaderIsStillUntilItIsGivenSomething) {
  Start("while True: server.send(server.recv(100))");
  AwaitLook(Look::kStill);
  for (std::string sent; sent.size() < 20;) {
    sent += "x";
    Give("x");
    AwaitLook(Look::kStill);
    EXPECT_EQ(received_, sent);
  }
}

TEST_F(WaitWatchTest, AStoppedReaderIsBusyWithWhatItIsGivenMeanwhile) {
  Start("while True: server.send(server.recv(100))");
  AwaitLook(Look::kStill);
  process_->Stop();
  EXPECT_EQ(LookAt(), Look::kStill);
  Give("x");
  EXPECT_EQ(LookAt(), Look::kBusy);
  process_->Continue();
  AwaitLook(Look::kStill);
  EXPECT_EQ(received_, "x");
}

TEST_F(WaitWatchTest, AStopAndAContinuationDoNotEndAWait) {
  Start("while True: server.send(server.recv(100))");
  AwaitLook(Look::kStill);
  EXPECT_FALSE(process_->CatchesContinue());
  process_->Stop();
  process_->Continue();
  Give("x");
  AwaitLook(Look::kStill);
  EXPECT_EQ(received_, "x");
}

TEST_F(WaitWatchTest, AClientThatWorksBetweenTwoCommandsIsNotStillMeanwhile) {
  Start(std::string("while True:\n  if not server.recv(100): break\n  server.send(b'a')\n  ") +
        kWork + "  server.send(b'b')");
  AwaitLook(Look::kStill);
  for (std::string sent; sent.size() < 6;) {
    sent += "ab";
    Give("x");
    // Looks without a pause, so as to meet each moment.
    while (LookAt() != Look::kStill) {
    }
    EXPECT_EQ(received_, sent);
  }
}

TEST_F(WaitWatchTest, AClientThatPollsIsStillTooAndASleeperUntilItsTimeHasCome) {
  Start(
      "import select\nwhile True:\n  select.select([server], [], [], 60)\n  "
      "server.send(server.recv(100))\n  time.sleep(5)\n  server.send(b'!')");
  AwaitLook(Look::kStill);
  Give("x");
  AwaitLook(Look::kStill, false);
  EXPECT_EQ(received_, "x");
  EXPECT_EQ(clock_->NextWakeUs(0), VirtualClock::kEpochUs + 5'000'001);
  clock_->SetTime(*clock_->NextWakeUs(0));
  AwaitLook(Look::kStill);
  EXPECT_EQ(received_, "x!");
}

TEST_F(WaitWatchTest, WhoHasSentNothingSeemsStillFirst) {
  Start("server.recv(100)");
  Look look = LookAt(false);
  while (look == Look::kUnknown || look == Look::kBusy) look = LookAt(false);
  EXPECT_EQ(look, Look::kSeemsStill);
  AwaitLook(Look::kStill, false);
}

TEST_F(WaitWatchTest, WhatIsGivenToABusyClientIsAwaited) {
  Start(std::string("while True:\n  server.recv(1)\n  server.send(b'a')\n  ") + kWork);
  AwaitLook(Look::kStill);
  Give("x");
  while (received_.empty()) LookAt();
  Give("y");
  AwaitLook(Look::kStill);
  EXPECT_EQ(received_, "aa");
}

TEST_F(WaitWatchTest, ClientsOfWhichMoreIsToBeKnownArePublishedAsUnknown) {
  const std::string wait = "server.send(b'a')\nserver.recv(100)";
  for (const std::string more :
       {"threading.Thread(target=signal.pause).start()\n", "if os.fork() == 0: signal.pause()\n",
        "signal.setitimer(signal.ITIMER_REAL, 1000)\n",
        "server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, b'\\x09' + bytes(15))\n"}) {
    Start(more + wait);
    while (received_.empty()) LookAt();
    for (int i = 0; i < 100; ++i) {
      const Look look = LookAt();
      EXPECT_TRUE(look == Look::kUnknown || look == Look::kBusy) << more;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_EQ(LookAt(), Look::kUnknown) << more;
    received_.clear();
    close(connection_);
  }
  connection_ = -1;
}

TEST_F(WaitWatchTest, AnExitIsAnnounced) {
  Start("server.recv(100)");
  AwaitLook(Look::kStill);
  Give("x");
  Look look = LookAt();
  while (look == Look::kBusy) look = LookAt();
  EXPECT_EQ(look, Look::kEnds);
  while (!process_->ended()) process_->AwaitEnd(milliseconds(20));
  EXPECT_EQ(process_->exit_code(), 0);
}

}  // namespace
}  // namespace interlock::sim::machine
