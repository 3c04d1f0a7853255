// SPDX-License-Identifier: MIT
//
// epoll(7) and other ways to wait for descriptors of a simulated process.
#include <fcntl.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

int Watch(int set, int operation, int file, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  return ::epoll_ctl(set, operation, file, &event);
}

/// What the set has to tell of `file` within a second; 0: nothing.
std::uint32_t News(int set, int file) {
  std::array<epoll_event, 4> events{};
  const int told = ::epoll_wait(set, events.data(), events.size(), 1000);
  EXPECT_LE(told, 1);
  if (told != 1) return 0;
  EXPECT_EQ(events[0].data.fd, file);
  return events[0].events;
}

int ConnectedSocket() {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  addrinfo* found = nullptr;
  EXPECT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
  EXPECT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0);
  ::freeaddrinfo(found);
  return file;
}

void ReadAll(int file) {
  char bytes[64];
  while (::recv(file, bytes, sizeof(bytes), MSG_DONTWAIT) > 0) {
  }
}

TEST(PosixEpollTest, ALevelIsToldAgainUntilItIsRead) {
  RunOne([] {
    const int set = ::epoll_create1(EPOLL_CLOEXEC);
    const int file = ConnectedSocket();
    ASSERT_EQ(Watch(set, EPOLL_CTL_ADD, file, EPOLLIN), 0);
    EXPECT_EQ(News(set, file), 0U);
    ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
    EXPECT_EQ(News(set, file), EPOLLIN);
    EXPECT_EQ(News(set, file), EPOLLIN);
    ReadAll(file);
    EXPECT_EQ(News(set, file), 0U);
    ASSERT_EQ(Watch(set, EPOLL_CTL_MOD, file, EPOLLIN | EPOLLOUT), 0);
    EXPECT_EQ(News(set, file), EPOLLOUT);
    ASSERT_EQ(::epoll_ctl(set, EPOLL_CTL_DEL, file, nullptr), 0);
    EXPECT_EQ(News(set, file), 0U);
  });
}

TEST(PosixEpollTest, AnEdgeIsToldOnceAndAgainWhenSomethingCameAfterARead) {
  RunOne([] {
    const int set = ::epoll_create(1);
    const int file = ConnectedSocket();
    ASSERT_EQ(Watch(set, EPOLL_CTL_ADD, file, EPOLLIN | EPOLLOUT | EPOLLET), 0);
    EXPECT_EQ(News(set, file), EPOLLOUT);
    EXPECT_EQ(News(set, file), 0U);
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
      std::this_thread::sleep_for(seconds(1));
      EXPECT_EQ(News(set, file), EPOLLIN | EPOLLOUT);
      EXPECT_EQ(News(set, file), 0U);
      ReadAll(file);
    }
  });
}

TEST(PosixEpollTest, OneShotIsToldOnceUntilItIsModified) {
  RunOne([] {
    const int set = ::epoll_create1(0);
    const int event = ::eventfd(1, EFD_NONBLOCK);
    ASSERT_EQ(Watch(set, EPOLL_CTL_ADD, event, EPOLLIN | EPOLLONESHOT), 0);
    EXPECT_EQ(News(set, event), EPOLLIN);
    EXPECT_EQ(News(set, event), 0U);
    ASSERT_EQ(Watch(set, EPOLL_CTL_MOD, event, EPOLLIN | EPOLLONESHOT), 0);
    EXPECT_EQ(News(set, event), EPOLLIN);
    ::close(event);
  });
}

// Another thread adds the descriptor, and a third writes to it, while the first one waits.
TEST(PosixEpollTest, AWaiterSeesWhatIsAddedMeanwhile) {
  RunOne([] {
    const int set = ::epoll_create1(0);
    const int event = ::eventfd(0, EFD_NONBLOCK);
    std::thread adds([&] {
      std::this_thread::sleep_for(milliseconds(100));
      EXPECT_EQ(Watch(set, EPOLL_CTL_ADD, event, EPOLLIN), 0);
    });
    std::thread writes([&] {
      std::this_thread::sleep_for(milliseconds(200));
      EXPECT_EQ(::eventfd_write(event, 3), 0);
    });
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(News(set, event), EPOLLIN);
    EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(300));
    eventfd_t value = 0;
    EXPECT_EQ(::eventfd_read(event, &value), 0);
    EXPECT_EQ(value, 3U);
    adds.join();
    writes.join();
  });
}

// Nothing but its descriptor keeps a connection open: the server hears of the end at once.
TEST(PosixEpollTest, AConnectionThatIsClosedWhileItIsWaitedForEnds) {
  RunOne([] {
    const int set = ::epoll_create1(0);
    const int file = ConnectedSocket();
    ASSERT_EQ(::send(file, "CLIENT SETNAME waited\r\n", 23, 0), 23);
    ASSERT_EQ(Watch(set, EPOLL_CTL_ADD, file, EPOLLIN | EPOLLET), 0);
    EXPECT_EQ(News(set, file), EPOLLIN);
    std::thread closes([file] {
      std::this_thread::sleep_for(milliseconds(100));
      ::close(file);
      std::this_thread::sleep_for(milliseconds(100));
      const int other = ConnectedSocket();
      ASSERT_EQ(::send(other, "CLIENT LIST\r\n", 13, 0), 13);
      std::this_thread::sleep_for(milliseconds(100));
      char list[1024] = {};
      EXPECT_GT(::recv(other, list, sizeof(list) - 1, 0), 0);
      EXPECT_EQ(std::string_view(list).find("name=waited"), std::string_view::npos);
    });
    EXPECT_EQ(News(set, file), 0U);
    closes.join();
  });
}

// A set may know of a socket before it is connected.
TEST(PosixEpollTest, AWaiterHearsOfASocketThatIsConnectedMeanwhile) {
  for (const std::uint32_t edge : {0U, static_cast<std::uint32_t>(EPOLLET)}) {
    RunOne([edge] {
      const int set = ::epoll_create1(0);
      const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      ASSERT_EQ(Watch(set, EPOLL_CTL_ADD, file, EPOLLIN | edge), 0);
      EXPECT_EQ(News(set, file), EPOLLHUP);
      std::thread connects([file] {
        std::this_thread::sleep_for(milliseconds(100));
        addrinfo* found = nullptr;
        ASSERT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
        ::connect(file, found->ai_addr, found->ai_addrlen);
        ::freeaddrinfo(found);
        std::this_thread::sleep_for(milliseconds(10));
        EXPECT_EQ(::send(file, "PING\r\n", 6, 0), 6);
      });
      std::uint32_t news = 0;
      for (int i = 0; i < 1000 && (news & EPOLLIN) == 0; ++i) {
        epoll_event event{};
        ASSERT_GE(::epoll_wait(set, &event, 1, 500), 0);
        news = event.events;
      }
      EXPECT_EQ(news & EPOLLIN, static_cast<std::uint32_t>(EPOLLIN));
      connects.join();
    });
  }
}

TEST(PosixEpollTest, MistakesAreToldAsLinuxTellsThem) {
  RunOne([] {
    const int set = ::epoll_create1(0);
    const int event = ::eventfd(0, 0);
    EXPECT_EQ(Watch(set, EPOLL_CTL_MOD, event, EPOLLIN), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(Watch(set, EPOLL_CTL_ADD, event, EPOLLIN), 0);
    EXPECT_EQ(Watch(set, EPOLL_CTL_ADD, event, EPOLLIN), -1);
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(Watch(event, EPOLL_CTL_ADD, event, EPOLLIN), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(Watch(set, EPOLL_CTL_ADD, event + 100, EPOLLIN), -1);
    EXPECT_EQ(errno, EBADF);
    epoll_event room{};
    EXPECT_EQ(::epoll_wait(event, &room, 1, 0), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(::epoll_wait(set, &room, 0, 0), -1);
    EXPECT_EQ(errno, EINVAL);
  });
}

TEST(PosixEpollTest, ACrashedClientThatWaitsForEventsDoesNotEndTheProgram) {
  Bench bench(1, {{.kind = FaultKind::kCrash, .step = 4}});
  bench.ServePosix(0);
  bench.world->Start(0, [] {
    const int set = ::epoll_create1(0);
    const int file = ConnectedSocket();
    EXPECT_EQ(Watch(set, EPOLL_CTL_ADD, file, EPOLLIN), 0);
    for (int i = 0; i < 100; ++i) {
      ::send(file, "PING\r\n", 6, MSG_NOSIGNAL);
      epoll_event event{};
      if (::epoll_wait(set, &event, 1, -1) < 0) return;
      ReadAll(file);
    }
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_TRUE(bench.world->crashed(0));
  bench.TearDown();
}

TEST(PosixDescriptorTest, AUnixSocketLeadsToTheServerWhoseNameItsFileHas) {
  RunOne([] {
    const auto connect = [](std::string_view path) {
      const int file = ::socket(AF_UNIX, SOCK_STREAM, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      path.copy(address.sun_path, sizeof(address.sun_path) - 1);
      const int failed =
          ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
      return failed == 0 ? file : -1;
    };
    EXPECT_EQ(connect("/run/redis/other.sock"), -1);
    EXPECT_EQ(connect("/run/redis-7.sock"), -1);
    EXPECT_NE(connect("redis-0.sock"), -1);
    const int file = connect("/run/redis/redis.sock");
    ASSERT_NE(file, -1);
    ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
    char reply[16];
    EXPECT_EQ(::recv(file, reply, sizeof(reply), 0), 7);
  });
}

TEST(PosixDescriptorTest, ADuplicateKeepsTheConnectionOpen) {
  RunOne([] {
    const int file = ConnectedSocket();
    const int copy = ::dup(file);
    EXPECT_NE(copy, file);
    EXPECT_EQ(::close(file), 0);
    ASSERT_EQ(::send(copy, "PING\r\n", 6, 0), 6);
    char reply[16];
    EXPECT_EQ(::recv(copy, reply, sizeof(reply), 0), 7);
    const int third = ::fcntl(copy, F_DUPFD_CLOEXEC, 0);
    EXPECT_EQ(third, file);
    EXPECT_EQ(::dup(copy + 100), -1);
    EXPECT_EQ(errno, EBADF);
  });
}

TEST(PosixDescriptorTest, PselectAndIoctlActOnTheWorld) {
  RunOne([] {
    const int file = ConnectedSocket();
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(file, &readable);
    const timespec second{1, 0};
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(::pselect(file + 1, &readable, nullptr, nullptr, &second, nullptr), 0);
    EXPECT_EQ(std::chrono::steady_clock::now() - before, seconds(1));
    int on = 1;
    EXPECT_EQ(::ioctl(file, FIONBIO, &on), 0);
    char byte = 0;
    EXPECT_EQ(::recv(file, &byte, 1, 0), -1);
    EXPECT_EQ(errno, EAGAIN);
  });
}

}  // namespace
}  // namespace interlock::sim
