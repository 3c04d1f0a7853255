// SPDX-License-Identifier: MIT
//
// Programs of Debian's that are started once and copied where they first connect.
#include "sim/machine/process_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/machine/loopback.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// What a client in Python begins with: a connection, and a line that it has read from there.
constexpr const char* kConnect = R"(
import os, socket, sys
server = socket.create_connection(("127.0.0.1", int(os.environ["REDIS_PORT"])))
line = server.recv(100).decode()
)";

class ProcessTemplateTest : public ::testing::Test {
 protected:
  static std::unique_ptr<VirtualClock> MakeClock() {
    auto made = VirtualClock::Make({7});
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *std::move(made);
  }

  /// Why it cannot be copied; empty: it can.
  std::string Start(const std::vector<std::string>& command, Duration at_most = seconds(20)) {
    template_.reset();
    first_ = MakeClock();
    auto started = ProcessTemplate::Start(command, 0, {.count = 1}, *first_);
    if (!started.ok()) return started.status().message();
    template_ = *std::move(started);
    return template_->AwaitConnect(std::chrono::steady_clock::now() + at_most, stop_);
  }
  std::string StartPython(const std::string& script) {
    return Start({"/usr/bin/python3", "-c", script});
  }

  /// A copy that connects here and is sent `line`.
  std::unique_ptr<ForeignProcess> Copy(const std::string& line) {
    const int listener = ListenOnLoopback();
    auto copy = template_->Copy({PortOf(listener)}, *clock_);
    EXPECT_TRUE(copy.ok()) << copy.status().message();
    Serve(listener, line);
    return *std::move(copy);
  }

  /// Sends the line to whoever connects, and closes all.
  static void Serve(int listener, const std::string& line) {
    int connection = -1;
    while ((connection = AcceptOne(listener)) < 0) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_EQ(write(connection, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    close(connection);
    close(listener);
  }

  /// What it has printed by its end.
  static std::string Finish(ForeignProcess& process) {
    while (!process.ended()) std::this_thread::sleep_for(milliseconds(1));
    return process.OutputTail(10'000);
  }

  const std::atomic<bool> stop_ = false;
  std::unique_ptr<VirtualClock> first_;  // the template's
  std::unique_ptr<VirtualClock> clock_ = MakeClock();
  std::unique_ptr<ProcessTemplate> template_;
};

TEST_F(ProcessTemplateTest, EachCopyGoesOnFromTheConnectWithAServerOfItsOwn) {
  ASSERT_EQ(StartPython(std::string("print('once'); ") + kConnect + "print(line); sys.exit(3)"),
            "");
  for (const std::string line : {"one", "two"}) {
    const auto copy = Copy(line);
    EXPECT_EQ(Finish(*copy), "once\n" + line + "\n");
    EXPECT_EQ(copy->exit_code(), 3);
  }
}

TEST_F(ProcessTemplateTest, ACommandThatBecomesAnotherProgramIsCopiedThere) {
  ASSERT_EQ(Start({"/usr/bin/env", "X=1", "/usr/bin/python3", "-c",
                   std::string(kConnect) + "print(line, os.environ['X'])"}),
            "");
  EXPECT_EQ(Finish(*Copy("a")), "a 1\n");
}

TEST_F(ProcessTemplateTest, WhatAProgramHasPreparedForItsEndHappensInACopyToo) {
  ASSERT_EQ(StartPython(std::string(kConnect) + R"(
import atexit, threading
def say(what): print(what, flush=True)
class Main:
    def __del__(self): say("object gone")
kept = Main()
atexit.register(lambda: say("registered"))
thread = threading.Thread(target=lambda: say("thread"))
thread.start()
thread.join()
threading.Thread(target=lambda: say("last thread")).start()
raise ValueError("oops")
)"),
            "");
  const auto copy = Copy("x");
  EXPECT_THAT(Finish(*copy), AllOf(HasSubstr("ValueError: oops"), HasSubstr("last thread"),
                                   HasSubstr("registered\nobject gone\n")));
  EXPECT_EQ(copy->exit_code(), 1);
}

TEST_F(ProcessTemplateTest, ACopyDrawsTheNumbersThatAStartedProgramDraws) {
  const std::string draws = "os.urandom(4); " + std::string(kConnect) +
                            "import time; print(os.urandom(8).hex(), time.time())";
  const std::string script = "import os; " + draws;
  ASSERT_EQ(StartPython(script), "");
  const auto copy = Copy("x");
  const std::string drawn = Finish(*copy);
  clock_ = MakeClock();
  const int listener = ListenOnLoopback();
  auto started =
      ForeignProcess::Start({"/usr/bin/env", "REDIS_PORT=" + std::to_string(PortOf(listener)),
                             "/usr/bin/python3", "-c", script},
                            clock_->EnvironmentOf(0));
  ASSERT_TRUE(started.ok()) << started.status().message();
  Serve(listener, "x");
  EXPECT_EQ(Finish(**started), drawn);
}

TEST_F(ProcessTemplateTest, ACopyOfPythonShowsTheNumberOfItsTemplateAndCanBeKilledByIt) {
  ASSERT_EQ(StartPython("import os; before = os.getpid()\n" + std::string(kConnect) +
                        "print(before == os.getpid(), flush=True); os.kill(os.getpid(), 15)"),
            "");
  const auto copy = Copy("x");
  EXPECT_EQ(Finish(*copy), "True\n");
  EXPECT_EQ(copy->exit_code(), 128 + SIGTERM);
}

TEST_F(ProcessTemplateTest, ACopyOfRubyRunsWhatIsRegisteredForTheEndAndKeepsItsExitCode) {
  const std::string connect =
      "require 'socket'; at_exit { puts 'registered' }; "
      "server = TCPSocket.new('127.0.0.1', ENV['REDIS_PORT'].to_i); puts server.read; ";
  ASSERT_EQ(Start({"ruby", "-e", connect + "exit 4"}), "");
  auto copy = Copy("x");
  EXPECT_EQ(Finish(*copy), "x\nregistered\n");
  EXPECT_EQ(copy->exit_code(), 4);
  ASSERT_EQ(Start({"ruby", "-e", connect + "raise 'oops'"}), "");
  copy = Copy("x");
  EXPECT_THAT(Finish(*copy), AllOf(StartsWith("x\nregistered\n"), HasSubstr("oops")));
  EXPECT_EQ(copy->exit_code(), 1);
}

TEST_F(ProcessTemplateTest, WhatACopyStartsLivesByTheCopysClock) {
  ASSERT_EQ(StartPython(std::string(kConnect) + "import subprocess, time; b = time.time(); "
                                                "subprocess.run(['sleep', '3600'], check=True); "
                                                "print(round(time.time() - b))"),
            "");
  const auto copy = Copy("x");
  while (!copy->ended()) {
    if (const auto wake_us = clock_->NextWakeUs(0)) clock_->SetTime(*wake_us);
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(copy->OutputTail(100), "3600\n");
}

TEST_F(ProcessTemplateTest, ASignalThatAChildOfACopySendsToItsParentReachesTheCopy) {
  ASSERT_EQ(StartPython(std::string("import os; before = os.getpid()\n") + kConnect +
                        "if os.fork() == 0:\n  os.kill(before, 15)\n  os._exit(0)\n"
                        "while True: pass"),
            "");
  const auto copy = Copy("x");
  EXPECT_EQ(Finish(*copy), "");
  EXPECT_EQ(copy->exit_code(), 128 + SIGTERM);
  EXPECT_FALSE(Copy("y")->ended());
}

TEST_F(ProcessTemplateTest, AProgramThatIgnoresItsChildrenEndsWithItsOwnExitCode) {
  ASSERT_EQ(StartPython("import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" +
                        std::string(kConnect) + "sys.exit(3)"),
            "");
  const auto copy = Copy("x");
  Finish(*copy);
  EXPECT_EQ(copy->exit_code(), 3);
}

TEST_F(ProcessTemplateTest, AKilledCopyIsGoneAndTheTemplateMakesTheNext) {
  ASSERT_EQ(StartPython(std::string(kConnect) + "print(line)\nwhile True: server.recv(1)"), "");
  auto copy = Copy("x");
  copy->Kill();
  EXPECT_TRUE(copy->ended());
  EXPECT_EQ(copy->exit_code(), 128 + SIGKILL);
  copy = Copy("y");
  EXPECT_FALSE(copy->ended());
}

TEST_F(ProcessTemplateTest, ACopyEndsWithItsTemplate) {
  ASSERT_EQ(StartPython(std::string(kConnect) + "print(line, flush=True)\nwhile True: pass"), "");
  const auto copy = Copy("x");
  template_.reset();
  while (!copy->ended()) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(copy->exit_code(), 128 + SIGKILL);
}

TEST_F(ProcessTemplateTest, WhoCannotBeCopiedIsToldWhy) {
  EXPECT_EQ(StartPython(std::string("import threading, time; e = threading.Event(); "
                                    "threading.Thread(target=e.wait).start(); ") +
                        kConnect),
            "it has 2 threads when it connects");
  EXPECT_EQ(StartPython(std::string("import os; os.fork(); ") + kConnect),
            "it is several processes when it connects");
  EXPECT_EQ(StartPython(std::string("import select; e = select.epoll(); ") + kConnect),
            "it has an epoll, a pipe or another socket open when it connects");
  EXPECT_EQ(Start({"true"}), "it ends before it connects");
  EXPECT_EQ(StartPython("import time; time.sleep(5)"), "it waits for a time before it connects");
  EXPECT_EQ(Start({"/usr/bin/python3", "-c", "while True: pass"}, milliseconds(300)),
            "it does not connect");
  EXPECT_THAT(Start({"/no/such/program"}), HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace interlock::sim::machine
