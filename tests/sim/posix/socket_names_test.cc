// SPDX-License-Identifier: MIT
//
// What servers and streams are called, and what else event libraries ask of a socket.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

TEST(PosixSocketNamesTest, WhatMuchCodeCallsItsServerIsThePrimary) {
  RunOne([] {
    for (const char* name : {"localhost", "127.0.0.1", "redis"}) {
      const int file = ::socket(AF_INET, SOCK_STREAM, 0);
      addrinfo* found = nullptr;
      ASSERT_EQ(::getaddrinfo(name, "6379", nullptr, &found), 0) << name;
      EXPECT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0) << name;
      ::freeaddrinfo(found);
      sockaddr_in numeric{};
      numeric.sin_family = AF_INET;
      numeric.sin_port = htons(6379);
      numeric.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int other = ::socket(AF_INET, SOCK_STREAM, 0);
      EXPECT_EQ(::connect(other, reinterpret_cast<sockaddr*>(&numeric), sizeof(numeric)), 0);
      ::close(file);
      ::close(other);
    }
    addrinfo* none = nullptr;
    EXPECT_EQ(::getaddrinfo("elsewhere", "6379", nullptr, &none), EAI_NONAME);
  });
}

// As event libraries ask: where a stream leads to, and what can be read of it.
TEST(PosixSocketNamesTest, AStreamHasTwoNamesAndIsReadInPieces) {
  RunOne([] {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in peer{};
    socklen_t size = sizeof(peer);
    auto* const into = reinterpret_cast<sockaddr*>(&peer);
    EXPECT_EQ(::getpeername(file, into, &size), -1);
    EXPECT_EQ(errno, ENOTCONN);
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo("redis-0", "6379", nullptr, &found), 0);
    ASSERT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0);
    size = sizeof(peer);
    ASSERT_EQ(::getpeername(file, into, &size), 0);
    EXPECT_EQ(size, sizeof(peer));
    EXPECT_EQ(std::memcmp(&peer, found->ai_addr, sizeof(peer)), 0);
    ::freeaddrinfo(found);
    ASSERT_EQ(::getsockname(file, into, &size), 0);
    EXPECT_EQ(peer.sin_family, AF_INET);
    const timeval wait{2, 500'000};
    ASSERT_EQ(::setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
    timeval told{};
    size = sizeof(told);
    ASSERT_EQ(::getsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &told, &size), 0);
    EXPECT_TRUE(told.tv_sec == 2 && told.tv_usec == 500'000);
    ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
    int unread = -1;
    ASSERT_EQ(::ioctl(file, FIONREAD, &unread), 0);
    EXPECT_EQ(unread, 0);
    std::this_thread::sleep_for(seconds(1));
    ASSERT_EQ(::ioctl(file, FIONREAD, &unread), 0);
    EXPECT_EQ(unread, 7);
    char first[3];
    char rest[8];
    iovec parts[] = {{first, sizeof(first)}, {rest, sizeof(rest)}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    ASSERT_EQ(::recvmsg(file, &message, 0), 7);
    EXPECT_EQ(std::string_view(first, 3), "+PO");
    EXPECT_EQ(std::string_view(rest, 4), "NG\r\n");
    ::close(file);
  });
}

TEST(PosixSocketNamesTest, ANumberIsAskedForAndANameIsTold) {
  RunOne([] {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    EXPECT_EQ(::getaddrinfo("redis", "6379", &hints, &found), EAI_NONAME);
    hints.ai_flags = AI_CANONNAME;
    ASSERT_EQ(::getaddrinfo("redis", "6379", &hints, &found), 0);
    EXPECT_STREQ(found->ai_canonname, "redis");
    ::freeaddrinfo(found);
    ASSERT_EQ(::getaddrinfo(nullptr, "6379", nullptr, &found), 0);
    ::freeaddrinfo(found);
  });
}

int ConnectToRedis() {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  addrinfo* found = nullptr;
  EXPECT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
  EXPECT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0);
  ::freeaddrinfo(found);
  return file;
}

TEST(PosixSocketNamesTest, AnOptionThatWasSetIsToldAgain) {
  RunOne([] {
    const int file = ConnectToRedis();
    const int on = 1;
    int told = 0;
    socklen_t size = sizeof(told);
    ASSERT_EQ(::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
    ASSERT_EQ(::getsockopt(file, IPPROTO_TCP, TCP_NODELAY, &told, &size), 0);
    EXPECT_EQ(told, 1);
    ASSERT_EQ(::getsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &told, &size), 0);
    EXPECT_EQ(told, 0);
  });
}

TEST(PosixSocketNamesTest, WhoWaitsForAllGetsAllInEachRun) {
  for (std::uint64_t run = 0; run < 200; ++run) {
    Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(run));
    RunOne(bench, [] {
      const int file = ConnectToRedis();
      ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
      char reply[7];
      EXPECT_EQ(::recv(file, reply, sizeof(reply), MSG_WAITALL), 7);
    });
  }
}

TEST(PosixSocketNamesTest, WhoReceivesNoMoreIsToldTheEndAtOnce) {
  RunOne([] {
    const int file = ConnectToRedis();
    std::thread other([file] {
      std::this_thread::sleep_for(seconds(1));
      EXPECT_EQ(::shutdown(file, SHUT_RD), 0);
    });
    char byte = 0;
    EXPECT_EQ(::recv(file, &byte, 1, 0), 0);
    other.join();
  });
}

TEST(PosixSocketNamesTest, SelectLeavesWhatIsLeftOfItsTimeout) {
  RunOne([] {
    const int file = ConnectToRedis();
    ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(file, &readable);
    timeval left{100, 0};
    EXPECT_EQ(::select(file + 1, &readable, nullptr, nullptr, &left), 1);
    EXPECT_LT(left.tv_sec, 100);
    timeval all{1, 500'000};
    EXPECT_EQ(::select(0, nullptr, nullptr, nullptr, &all), 0);
    EXPECT_TRUE(all.tv_sec == 0 && all.tv_usec == 0);
  });
}

}  // namespace
}  // namespace interlock::sim
