// SPDX-License-Identifier: MIT
//
// Measurements of contention on real servers: the same figures as in virtual time, but for what
// happens in the server, and the server is left as it was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/cases/kind_model.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/load/contend.h"
#include "tests/support/redis_server.h"

namespace interlock::scenarios::contend {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using interlock::testing::RedisServer;

ContendOptions Of(const std::vector<std::string>& locks, std::vector<int> clients,
                  const std::string& redis) {
  ContendOptions options;
  for (const auto& subject : SoundSubjects()) {
    for (const std::string& lock : locks) {
      if (subject->name() == lock) options.entries.emplace_back().subject = subject;
    }
  }
  options.clients = std::move(clients);
  options.load.hold = 1ms;
  options.load.duration = 400ms;
  options.load.warm_up = 50ms;
  options.target = Target{redis, false, false};
  return options;
}

std::unique_ptr<sim::machine::RedisServer> Server() {
  auto started = sim::machine::RedisServer::Start();
  if (!started.ok()) throw std::runtime_error(started.status().ToString());
  return std::move(started).value();
}

TEST(ContendOnRedisTest, EverySoundLockIsMeasuredOnServersOfItsOwn) {
  std::vector<std::string> locks;
  for (const auto& subject : SoundSubjects()) {
    if (ModelOf(subject->traits().kind).held) locks.emplace_back(subject->name());
  }
  const auto report = Contend(Of(locks, {1, 4}, "spawn"));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->backend, "5 redis-server of its own");
  ASSERT_EQ(report->points.size(), 2 * locks.size());
  for (const reports::ContentionPoint& point : report->points) {
    SCOPED_TRACE(point.lock + " " + std::to_string(point.clients));
    EXPECT_GT(point.grants, 0U);
    EXPECT_EQ(point.failed, 0U);
    EXPECT_EQ(point.overlap_ns, 0);
    EXPECT_FALSE(point.server.has_value());
    EXPECT_GE(point.wait.least(), 0);
    EXPECT_GE(point.useful.least(), 1'000'000) << "sections last for as long as they were told to";
    // What straddles the ends of the measured time is counted half.
    EXPECT_GE(point.commands.all() + 2 * static_cast<std::uint64_t>(point.clients),
              2 * point.grants);
    EXPECT_FALSE(point.owners.empty());
  }
}

TEST(ContendOnRedisTest, ClientsMayBeProcessesAndNoneOfThemIsLeft) {
  ContendOptions options = Of({"mutex", "fair-mutex", "redlock"}, {1, 4}, "spawn");
  options.target->processes = true;
  const auto report = Contend(options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->backend, "5 redis-server of its own; each client a process");
  ASSERT_EQ(report->points.size(), 6U);
  for (const reports::ContentionPoint& point : report->points) {
    SCOPED_TRACE(point.lock + " " + std::to_string(point.clients));
    EXPECT_GT(point.grants, 0U);
    EXPECT_EQ(point.failed, 0U);
    EXPECT_EQ(point.overlap_ns, 0);
    EXPECT_GE(point.useful.least(), 1'000'000);
    if (point.lock != "fair-mutex") continue;  // others may serve one alone for a while
    for (const reports::ClientShare& share : point.shares) EXPECT_GT(share.grants, 0U);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

std::atomic<bool> interrupted{false};

// A timer, because a fork in a process of several threads copies one.
TEST(ContendOnRedisTest, AnInterruptionEndsTheProcessesOfClients) {
  const auto server = Server();
  ContendOptions options = Of({"mutex"}, {3}, server->url());
  options.target->processes = true;
  options.load.duration = 10min;
  options.stop = &interrupted;
  std::signal(SIGALRM, [](int) { interrupted = true; });
  const itimerval soon = {{0, 0}, {0, 300'000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &soon, nullptr), 0);
  const auto report = Contend(options);
  std::signal(SIGALRM, SIG_DFL);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(report->status, reports::RunStatus::kPartial);
  EXPECT_TRUE(report->points.empty());
  EXPECT_EQ(server->Command({"DBSIZE"}).value(), "0") << "their keys are removed";
}

TEST(ContendOnRedisTest, NothingOfItStaysOnTheServer) {
  const auto server = Server();
  ASSERT_TRUE(server->Command({"SET", "somebody's", "value"}).ok());
  const auto report = Contend(Of({"mutex", "fair-mutex"}, {3}, server->url()));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_THAT(report->backend, HasSubstr("redis://127.0.0.1:"));
  EXPECT_EQ(server->Command({"DBSIZE"}).value(), "1");
}

TEST(ContendOnRedisTest, AQuorumNeedsThreeServersAndSaysSo) {
  const auto one = Server();
  const auto refused = Contend(Of({"redlock"}, {1}, one->url()));
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("three servers or more"));
  const auto other = Server();
  const auto third = Server();
  // Of two clients, each may have the vote of one server again and again.
  const auto report =
      Contend(Of({"redlock"}, {1}, one->url() + "," + other->url() + "," + third->url()));
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_GT(report->points.front().grants, 0U);
}

TEST(ContendOnRedisTest, AServerThatIsNotThereIsUnreachable) {
  std::string url;
  {
    const auto gone = Server();
    url = gone->url();
  }
  EXPECT_EQ(Contend(Of({"mutex"}, {1}, url)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Contend(Of({"mutex"}, {1}, "redis://192.0.2.1")).code(), StatusCode::kInvalidArgument);
}

TEST(ContendOnRedisTest, AnInterruptionEndsItAndLeavesNoHalfMeasuredPoint) {
  std::atomic<bool> stop = true;
  const auto server = Server();
  ContendOptions options = Of({"mutex"}, {1, 2}, server->url());
  options.stop = &stop;
  const auto report = Contend(options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->status, reports::RunStatus::kPartial);
  EXPECT_TRUE(report->points.empty());
}

}  // namespace
}  // namespace interlock::scenarios::contend
