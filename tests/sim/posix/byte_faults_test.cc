// SPDX-License-Identifier: MIT
//
// What faults of links and processes do to a stream of bytes, and to the look-up of a name.
#include <netdb.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

/// A connection to the primary, whose reads end after a second.
int Open() {
  addrinfo* found = nullptr;
  EXPECT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval second{1, 0};
  EXPECT_EQ(::setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)), 0);
  EXPECT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0);
  ::freeaddrinfo(found);
  return file;
}

/// The bytes of the reply to a PING, and the errno after them; 0: the whole reply came.
std::string Ping(int file) {
  EXPECT_EQ(::send(file, "PING\r\n", 6, 0), 6);
  std::string got;
  while (!got.ends_with("\r\n")) {
    char bytes[16];
    const ssize_t size = ::recv(file, bytes, sizeof(bytes), 0);
    if (size <= 0) return got + " " + std::to_string(size == 0 ? 0 : errno);
    got.append(bytes, static_cast<std::size_t>(size));
  }
  return got;
}

/// What PING gives in so many worlds, each with other choices.
std::set<std::string> SeenOf(const FaultPlan& plan, int worlds) {
  std::set<std::string> seen;
  for (int seed = 1; seed <= worlds; ++seed) {
    Bench bench(1, plan, Bench::Exact(), Choices::FromSeed(static_cast<std::uint64_t>(seed)));
    bench.ServePosix(0);
    bench.world->Start(0, [&seen] {
      const int file = Open();
      seen.insert(Ping(file));
      ::close(file);
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
  return seen;
}

std::string Reset() { return " " + std::to_string(ECONNRESET); }

TEST(PosixByteFaultTest, AResetComesBeforeAndWithinTheReply) {
  const auto seen = SeenOf({{.kind = FaultKind::kResetAfter, .step = 1}}, 100);
  EXPECT_THAT(seen, ::testing::Contains(Reset()));
  EXPECT_THAT(seen, ::testing::Contains("+PON" + Reset()));
  EXPECT_THAT(seen, ::testing::Not(::testing::Contains("+PONG\r\n")));
}

TEST(PosixByteFaultTest, AResetBeforeTheCommandShowsNothingOfAReply) {
  EXPECT_THAT(SeenOf({{.kind = FaultKind::kResetBefore, .step = 1}}, 20),
              ::testing::ElementsAre(Reset()));
}

/// Waits for the reply with epoll, which the connection's bytes end; else the errno.
std::string AwaitPing(int file) {
  const int set = ::epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(set, EPOLL_CTL_ADD, file, &event);
  EXPECT_EQ(::send(file, "PING\r\n", 6, 0), 6);
  const int told = ::epoll_wait(set, &event, 1, -1);
  return told < 0 ? "epoll: " + std::to_string(errno) : "epoll: told";
}

// It strikes at a step of another thread, as the one that waits makes none meanwhile.
TEST(PosixByteFaultTest, APauseMayInterruptAReadWithATimeoutAndAWaitForEvents) {
  std::set<std::string> seen;
  for (int step = 0; step < 12; ++step) {
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      Bench bench(1, {{.kind = FaultKind::kPause, .step = step, .length = milliseconds(100)}},
                  Bench::Exact(), Choices::FromSeed(seed));
      bench.ServePosix(0);
      bench.world->Start(0, [&seen, seed] {
        const int file = Open();
        std::thread other([] {
          ::usleep(1000);
          ::usleep(1);
        });
        seen.insert(seed % 2 == 0 ? Ping(file) : AwaitPing(file));
        other.join();
        ::close(file);
      });
      EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    }
  }
  const std::string interrupted = std::to_string(EINTR);
  EXPECT_THAT(seen, ::testing::ElementsAre(" " + interrupted, "+PONG\r\n", "epoll: " + interrupted,
                                           "epoll: told"));
}

TEST(PosixByteFaultTest, AfterAWriteThatIsCutShortTheBufferIsFullForAWhile) {
  int full = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(seed));
    RunOne(bench, [&] {
      const int file = Open();
      const std::string command = "ECHO " + std::string(100, 'x') + "\r\n";
      std::size_t sent = 0;
      while (sent < command.size()) {
        const ssize_t more =
            ::send(file, command.data() + sent, command.size() - sent, MSG_DONTWAIT);
        if (more > 0) {
          sent += static_cast<std::size_t>(more);
          continue;
        }
        ASSERT_EQ(errno, EAGAIN);
        ++full;
        const VirtualTime before = bench.world->now();
        pollfd entry{file, POLLOUT, 0};
        ASSERT_EQ(::poll(&entry, 1, 0), 0);
        ASSERT_EQ(::poll(&entry, 1, -1), 1);
        EXPECT_EQ(entry.revents, POLLOUT);
        EXPECT_EQ(bench.world->now() - before, milliseconds(2));
      }
      char bytes[256];
      EXPECT_GT(::recv(file, bytes, sizeof(bytes), 0), 0) << "the command is whole";
      ::close(file);
    });
  }
  EXPECT_GT(full, 0);
  EXPECT_LT(full, 40);
}

TEST(PosixByteFaultTest, ANameMayBeLookedUpSlowly) {
  std::set<bool> slow;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Bench bench(1, {{.kind = FaultKind::kDelayRequest, .step = 0, .length = seconds(30)}},
                Bench::Exact(), Choices::FromSeed(seed));
    bench.ServePosix(0);
    bench.world->Start(0, [&] {
      ::usleep(1);
      const VirtualTime before = bench.world->now();
      addrinfo* found = nullptr;
      EXPECT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
      ::freeaddrinfo(found);
      slow.insert(bench.world->now() - before >= seconds(30));
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
  EXPECT_THAT(slow, ::testing::ElementsAre(false, true));
}

}  // namespace
}  // namespace interlock::sim
