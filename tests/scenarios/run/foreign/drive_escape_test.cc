// SPDX-License-Identifier: MIT
//
// Nothing that a driven client has started lives longer than the driver; and clients that never
// become one are named at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/foreign/python_clients.h"

namespace interlock::scenarios {
namespace {

namespace fs = std::filesystem;

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;

constexpr const char* kLocks = "acquire(); enter(); leave(); release()\n";

/// Each process that is to be looked for leaves a file with its pid as the name.
std::vector<std::string> StillThere(const ScratchFolder& folder) {
  std::vector<std::string> alive;
  for (int tries = 0; tries < 50; ++tries) {
    alive.clear();
    for (const auto& file : fs::directory_iterator(folder.path())) {
      const std::string pid = file.path().filename().string();
      // Of one that has ended, and that nobody has waited for yet, there is no command left.
      std::ifstream command("/proc/" + pid + "/cmdline");
      if (command.peek() != std::ifstream::traits_type::eof()) alive.push_back(pid);
    }
    if (alive.empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return alive;
}

std::string Marks(const ScratchFolder& folder) {
  return "open(\"" + folder.path() + "/%d\" % os.getpid(), \"w\").close()\n";
}

TEST(DriveEscapeTest, AProcessThatHasLeftItsSessionEndsWithItsClient) {
  const ScratchFolder folder;
  const ChildResult passed = DriveFor(
      "if os.fork() == 0:\n"
      "    os.setsid()\n"
      "    if os.fork() == 0:\n        " +
          Marks(folder) +
          "        time.sleep(36000)\n"
          "    os._exit(0)\n" +
          kLocks,
      {"--runs", "1", "--clock", "machine"});
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.err;
  EXPECT_FALSE(fs::is_empty(folder.path()));
  EXPECT_THAT(StillThere(folder), IsEmpty());
}

// The kernel ends the shell with the driver, and nothing else.
TEST(DriveEscapeTest, WhatAWrapperHasStartedEndsWithAKilledDriver) {
  const ScratchFolder folder;
  const std::string client = kTools + Marks(folder) + kLocks + "time.sleep(36000)\n";
  const ChildResult killed =
      testing::RunChild({INTERLOCK_PROGRAM, "drive", "--clock", "machine", "--", "/bin/sh", "-c",
                         "/usr/bin/python3 -c \"$0\"; true", client},
                        testing::LateSignal{std::chrono::seconds(3), SIGKILL});
  EXPECT_EQ(killed.signal, SIGKILL) << killed.out << killed.err;
  EXPECT_FALSE(fs::is_empty(folder.path()));
  EXPECT_THAT(StillThere(folder), IsEmpty());
}

TEST(DriveEscapeTest, SoDoesWhatHasLeftItsSession) {
  const ScratchFolder folder;
  const std::string client = kTools +
                             ("if os.fork() == 0:\n"
                              "    os.setsid()\n"
                              "    if os.fork() == 0:\n        ") +
                             Marks(folder) +
                             "        time.sleep(36000)\n"
                             "    os._exit(0)\n"
                             "os.wait()\n" +
                             kLocks + "time.sleep(36000)\n";
  const ChildResult killed = testing::RunChild(
      {INTERLOCK_PROGRAM, "drive", "--clock", "machine", "--", "/usr/bin/python3", "-c", client},
      testing::LateSignal{std::chrono::seconds(3), SIGKILL});
  EXPECT_EQ(killed.signal, SIGKILL) << killed.out << killed.err;
  EXPECT_FALSE(fs::is_empty(folder.path()));
  EXPECT_THAT(StillThere(folder), IsEmpty());
}

TEST(DriveEscapeTest, WhoSendsNoCommandIsNamed) {
  const std::vector<std::string> all = {
      "",                                                           // nothing
      "s.sendall(b\"*3\\r\\n$3\\r\\nSET\\r\\n$4\\r\\n\")\n",        // a part of one
      "s.sendall(bytes([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]))\n"};  // how TLS begins
  for (const std::string& sent : all) {
    const ChildResult refused = DriveFor(
        "import socket\n"
        "s = socket.create_connection((os.environ[\"REDIS_HOST\"], "
        "int(os.environ[\"REDIS_PORT\"])))\n" +
            sent + "time.sleep(1)\n",
        {});
    EXPECT_EQ(refused.exit_code, 65) << refused.out << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("none has sent a command that a server of Redis can read"));
  }
}

TEST(DriveEscapeTest, WhoPrintsWithoutEndAndIgnoresTheLimitIsNamed) {
  const ChildResult printing = DriveFor(
      "server.ping()\n"
      "while True:\n"
      "    try: os.write(1, b\"x\" * 1000000)\n"
      "    except OSError: pass\n",
      {});
  EXPECT_EQ(printing.exit_code, 65) << printing.out << printing.err;
  EXPECT_THAT(printing.err, HasSubstr("has printed (or written) more than 64 MiB"));
}

}  // namespace
}  // namespace interlock::scenarios
