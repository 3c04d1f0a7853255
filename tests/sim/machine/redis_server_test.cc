// SPDX-License-Identifier: MIT
//
// The servers that tests and program start for themselves: they and their folders end with whoever
// started them, however that ends.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "tests/redis/redis_test.h"

namespace interlock::testing {
namespace {

using sim::machine::FolderGuard;

class RedisServerTest : public ConnectionTest {
 protected:
  bool Until(const std::function<bool()>& done) {
    const MonotonicTime limit = In(seconds(20));
    while (runtime_.Now() < limit) {
      if (done()) return true;
      runtime_.NewEvent()->WaitUntil(In(milliseconds(5)));
    }
    return false;
  }
};

TEST_F(RedisServerTest, AFolderGoesWithItsGuardAndAllThatIsInIt) {
  std::string path;
  {
    const auto guard = sim::machine::FolderGuard::Make("interlock-test");
    ASSERT_TRUE(guard.ok()) << guard.status().ToString();
    path = (*guard)->path();
    std::filesystem::create_directories(path + "/a b/c");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RedisServerTest, NothingIsLeftOfAServerWhoseOwnerWasKilled) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // orphans become children of this process
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const auto server = sim::machine::RedisServer::Start();
    const std::string told =
        server.ok() ? std::to_string((*server)->pid()) + " " + (*server)->directory() : "";
    if (write(pipe_ends[1], told.data(), told.size()) < 0) _exit(1);
    for (;;) pause();
  }
  std::array<char, 256> told{};
  const auto length = read(pipe_ends[0], told.data(), told.size());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  ASSERT_GT(length, 0);
  const std::string text(told.data(), static_cast<std::size_t>(length));
  const pid_t server = std::stoi(text);
  const std::string directory = text.substr(text.find(' ') + 1);
  EXPECT_TRUE(Until([&] { return waitpid(server, nullptr, WNOHANG) == server; })) << server;
  EXPECT_TRUE(Until([&] { return !std::filesystem::exists(directory); })) << directory;
}

TEST_F(RedisServerTest, AServerThatStandsStillIsEndedWithItsOwnerAsWell) {
  auto server = sim::machine::RedisServer::Start();
  ASSERT_TRUE(server.ok()) << server.status().ToString();
  const pid_t pid = (*server)->pid();
  const std::string directory = (*server)->directory();
  (*server)->Pause();
  server->reset();
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_FALSE(std::filesystem::exists(directory));
}

}  // namespace
}  // namespace interlock::testing
