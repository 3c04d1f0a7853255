// SPDX-License-Identifier: MIT
//
// Clocks, sleep and entropy of a simulated process, by the functions of the C and C++ libraries;
// and the library's own connections on top of them.
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/mutex.h>
#include <interlock/thread_runtime.h>

#include "sim/tripwire.h"
#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

using std::chrono::hours;

TEST(PosixClockTest, SleepingTakesVirtualTimeOnly) {
  Bench bench(1);
  RunOne(bench, [&] {
    const auto steady = std::chrono::steady_clock::now();
    const auto wall = std::chrono::system_clock::now();
    std::this_thread::sleep_for(seconds(2));
    ::usleep(500'000);
    ::sleep(1);
    EXPECT_EQ(std::chrono::steady_clock::now() - steady, milliseconds(3500));
    EXPECT_EQ(std::chrono::system_clock::now() - wall, milliseconds(3500));
    EXPECT_EQ(bench.world->now(), milliseconds(3500));
  });
}

TEST(PosixClockTest, EachProcessHasClocksOfItsOwn) {
  Bench bench(0);
  bench.world->AddProcess({.offset = hours(5), .rate_ppm = 100'000});
  RunOne(bench, [&] {
    const auto before = std::chrono::steady_clock::now().time_since_epoch();
    EXPECT_EQ(before, hours(5));
    std::this_thread::sleep_for(milliseconds(1100));
    EXPECT_EQ(bench.world->now(), seconds(1));
  });
}

TEST(PosixClockTest, ALoopThatWatchesTheClockComesToItsEnd) {
  Bench bench(1);
  RunOne(bench, [] {
    const auto until = std::chrono::steady_clock::now() + milliseconds(1);
    while (std::chrono::steady_clock::now() < until) {
    }
  });
  EXPECT_GE(bench.world->now(), milliseconds(1));
  EXPECT_LT(bench.world->now(), milliseconds(2));
}

// A client that was cut off is woken at the end of its world, where each reading of a clock shows
// a later hour.
TEST(PosixClockTest, ACrashedClientThatWatchesTheClockDoesNotEndTheProgram) {
  for (const bool yields : {false, true}) {
    Bench bench(1, {{.kind = FaultKind::kCrash, .step = 3}});
    bench.ServePosix(0);
    bench.world->Start(0, [yields] {
      const auto until = std::chrono::steady_clock::now() + hours(1);
      while (std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(seconds(1));
        if (yields) std::this_thread::yield();
      }
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    bench.TearDown();
  }
}

TEST(PosixSocketTest, ALoopOverCallsThatFindNothingComesToItsEnd) {
  Bench bench(1);
  RunOne(bench, [] {
    const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo("redis", "6379", nullptr, &found), 0);
    while (::connect(file, found->ai_addr, found->ai_addrlen) != 0 && errno != EISCONN) {
    }
    ::freeaddrinfo(found);
    ASSERT_EQ(::send(file, "PING\r\n", 6, 0), 6);
    char reply[16];
    while (::recv(file, reply, sizeof(reply), MSG_DONTWAIT | MSG_PEEK) < 7) {
      EXPECT_TRUE(errno == EAGAIN);
    }
    EXPECT_EQ(std::string_view(reply, 7), "+PONG\r\n");
    EXPECT_EQ(::close(file), 0);
    EXPECT_EQ(::close(file), -1);
    EXPECT_EQ(errno, EBADF);
  });
}

// After the server's close what it has sent is read, then the end of the stream; the first write
// goes nowhere, and the next one says so.
TEST(PosixSocketTest, AfterTheServersCloseComesTheEndOfTheStream) {
  Bench bench(1);
  RunOne(bench, [] {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    addrinfo* found = nullptr;
    ASSERT_EQ(::getaddrinfo("redis-0", "6379", nullptr, &found), 0);
    ASSERT_EQ(::connect(file, found->ai_addr, found->ai_addrlen), 0);
    ::freeaddrinfo(found);
    ASSERT_EQ(::send(file, "QUIT\r\n", 6, 0), 6);
    pollfd entry{file, POLLIN | POLLRDHUP, 0};
    std::this_thread::sleep_for(seconds(1));
    EXPECT_EQ(::poll(&entry, 1, 0), 1);
    EXPECT_EQ(entry.revents, POLLIN | POLLRDHUP);
    char reply[16];
    EXPECT_EQ(::recv(file, reply, sizeof(reply), 0), 5);
    EXPECT_EQ(::recv(file, reply, sizeof(reply), 0), 0);
    EXPECT_EQ(::send(file, "PING\r\n", 6, MSG_NOSIGNAL), 6);
    EXPECT_EQ(::send(file, "PING\r\n", 6, MSG_NOSIGNAL), -1);
    EXPECT_EQ(errno, EPIPE);
    ::close(file);
  });
}

TEST(PosixSocketTest, ARestartedClientBeginsWithoutDescriptors) {
  Bench bench(1, {{.kind = FaultKind::kRestart, .step = 2, .length = seconds(1)}});
  std::vector<int> files;
  RunOne(bench, [&] {
    files.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    std::this_thread::sleep_for(seconds(1));
    std::this_thread::sleep_for(seconds(1));
    std::this_thread::sleep_for(seconds(1));
    ::close(files.back());
  });
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0], files[1]);
  bench.TearDown();
}

TEST(PosixErrnoTest, EachTaskHasItsOwn) {
  Bench bench(2);
  for (int process = 0; process < 2; ++process) {
    bench.ServePosix(process);
    bench.world->Start(process, [process] {
      errno = process == 0 ? EDOM : ERANGE;
      for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(milliseconds(1));
        EXPECT_EQ(errno, process == 0 ? EDOM : ERANGE);
      }
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(PosixEntropyTest, ItIsThatOfTheRun) {
  std::array<std::array<unsigned char, 16>, 2> bytes{};
  for (auto& one : bytes) {
    Bench bench(1);
    RunOne(bench, [&] {
      EXPECT_EQ(::getrandom(one.data(), one.size(), 0), static_cast<ssize_t>(one.size()));
    });
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(PosixLockTest, OurMutexRunsOverHiredisInVirtualTime) {
  Bench bench(2);
  int inside = 0;
  int most = 0;
  for (int process = 0; process < 2; ++process) {
    bench.ServePosix(process);
    bench.world->Start(process, [&, process] {
      Runtime& runtime = bench.world->runtime(process);
      auto connector = MakeHiredisConnector(runtime, "redis://redis:6379");
      ASSERT_TRUE(connector.ok()) << connector.status().ToString();
      Client client(runtime, **connector);
      auto mutex = Mutex::Create(client, "jobs", {.lease = seconds(5)});
      ASSERT_TRUE(mutex.ok());
      Result<Lease> lease = mutex->AcquireFor(seconds(30));
      ASSERT_TRUE(lease.ok()) << lease.status().ToString();
      most = std::max(most, ++inside);
      std::this_thread::sleep_for(seconds(1));
      --inside;
      EXPECT_TRUE(lease->Release().ok());
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(most, 1);
}

TEST(PosixLockTest, OurThreadsRenewALeaseInVirtualTime) {
  Bench bench(2);
  for (const int process : {0, 1}) {
    bench.ServePosix(process);
    bench.world->Start(
        process,
        [process] {
          ThreadRuntime runtime;
          auto connector = MakeHiredisConnector(runtime, "redis://redis:6379");
          ASSERT_TRUE(connector.ok()) << connector.status().ToString();
          Client client(runtime, **connector);
          auto mutex = Mutex::Create(client, "jobs", {.lease = seconds(5)});
          ASSERT_TRUE(mutex.ok());
          if (process == 1) {
            EXPECT_EQ(mutex->AcquireFor(seconds(15)).code(), StatusCode::kTimeout);
            EXPECT_TRUE(mutex->AcquireFor(seconds(30)).ok());
            return;
          }
          Result<Lease> lease = mutex->TryAcquire();
          ASSERT_TRUE(lease.ok()) << lease.status().ToString();
          ASSERT_TRUE(lease->KeepAlive(Duration::max()).ok());
          std::this_thread::sleep_for(seconds(20));
          EXPECT_TRUE(lease->valid());
          EXPECT_TRUE(lease->Release().ok());
        },
        process == 0 ? Duration{} : seconds(1));
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(PosixDeathTest, WhatIsNotServedIsNamed) {
  const auto expect_refusal = [](const std::string& name, const std::function<void()>& call) {
    Bench bench(1);
    bench.ServePosix(0);
    bench.world->Start(0, call);
    EXPECT_DEATH(bench.world->Run(kHorizon),
                 "through " + name + "\\(\\), which the simulated C library does not have");
  };
  char path[] = "/tmp/interlock-XXXXXX";
  expect_refusal("fork", [] { static_cast<void>(::fork()); });
  expect_refusal("vfork", [] { static_cast<void>(::vfork()); });
  expect_refusal("execl", [] { ::execl("/bin/true", "true", nullptr); });
  expect_refusal("execlp", [] { ::execlp("true", "true", nullptr); });
  expect_refusal("execle", [] { ::execle("/bin/true", "true", nullptr, environ); });
  expect_refusal("mkstemp64", [&path] { static_cast<void>(::mkstemp64(path)); });
  expect_refusal("mkdtemp", [&path] { static_cast<void>(::mkdtemp(path)); });
  expect_refusal("raise", [] { std::raise(SIGTERM); });
}

TEST(PosixDeathTest, AProgramMayCallThemOutsideOfTasks) {
  // In a process of its own, of course.
  EXPECT_EXIT(::execl("/bin/sh", "sh", "-c", "exit $0", "7", nullptr), ::testing::ExitedWithCode(7),
              "");
  EXPECT_EXIT(std::exit(::vfork() == 0 ? 3 : 4), ::testing::ExitedWithCode(4), "");
  EXPECT_EXIT(std::raise(SIGTERM), ::testing::KilledBySignal(SIGTERM), "");
}

TEST(PosixIdentityTest, ClientsAreDifferentProcessesOnDifferentHosts) {
  Bench bench(2);
  std::vector<std::string> seen;
  for (const int process : {0, 1}) {
    bench.ServePosix(process);
    bench.world->Start(process, [&seen] {
      char host[64];
      ASSERT_EQ(::gethostname(host, sizeof(host)), 0);
      seen.push_back(host + std::to_string(::getpid()));
      EXPECT_EQ(::gettid(), ::getpid());
      std::thread([] { EXPECT_NE(::gettid(), ::getpid()); }).join();
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NE(seen[0], seen[1]);
}

// From whatever source a program takes them; unseeded, rand gives the same to every process, here
// as anywhere.
TEST(PosixIdentityTest, RandomBytesAreTheProcesssOwn) {
  std::vector<std::vector<std::uint64_t>> runs;
  for (int run = 0; run < 2; ++run) {
    Bench bench(2);
    for (const int process : {0, 1}) {
      bench.ServePosix(process);
      bench.world->Start(process, [&runs] {
        std::vector<std::uint64_t>& drawn = runs.emplace_back();
        std::random_device device;
        drawn.push_back((std::uint64_t{device()} << 32) | device());
        std::uint64_t word = 0;
        const int file = ::open("/dev/urandom", O_RDONLY);
        ASSERT_EQ(::read(file, &word, sizeof(word)), 8);
        drawn.push_back(word);
        ::close(file);
        FILE* const opened = std::fopen("/dev/urandom", "rb");
        ASSERT_EQ(std::fread(&word, sizeof(word), 1, opened), 1U);
        drawn.push_back(word);
        std::fclose(opened);
        std::ifstream stream("/dev/urandom", std::ios::binary);
        ASSERT_TRUE(stream.read(reinterpret_cast<char*>(&word), sizeof(word)));
        drawn.push_back(word);
        ::arc4random_buf(&word, sizeof(word));
        drawn.push_back(word);
        drawn.push_back(static_cast<std::uint64_t>(std::rand()));
      });
    }
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(runs[0], runs[2]);
  EXPECT_EQ(runs[1], runs[3]);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NE(runs[0][i], runs[1][i]) << i;
  EXPECT_EQ(runs[0][5], runs[1][5]);
}

TEST(PosixIdentityTest, AUuidOfTheKernelIsTheProcesssOwn) {
  std::vector<std::string> drawn;
  for (int run = 0; run < 2; ++run) {
    Bench bench(2);
    for (const int process : {0, 1}) {
      bench.ServePosix(process);
      bench.world->Start(process, [&drawn] {
        for (int i = 0; i < 2; ++i) {
          std::ifstream file("/proc/sys/kernel/random/uuid");
          ASSERT_TRUE(std::getline(file, drawn.emplace_back()));
          EXPECT_EQ(file.get(), std::ifstream::traits_type::eof());
        }
      });
    }
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
  ASSERT_EQ(drawn.size(), 8U);
  EXPECT_TRUE(std::equal(drawn.begin(), drawn.begin() + 4, drawn.begin() + 4));
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 4U);
  const std::string digit = "[0-9a-f]";
  EXPECT_THAT(drawn, ::testing::Each(::testing::MatchesRegex(digit + "{8}-" + digit + "{4}-4" +
                                                             digit + "{3}-[89ab]" + digit + "{3}-" +
                                                             digit + "{12}")));
}

// std::random_device gives four bytes at a time, and is what many a token is made of.
TEST(PosixIdentityTest, ShortDrawsThatAreAlikeDifferInTheirLastByte) {
  Bench bench(2, {{FaultKind::kEntropyAlike, 1, 0, {}}});
  std::vector<unsigned int> drawn(2);
  for (const int process : {0, 1}) {
    bench.ServePosix(process);
    bench.world->Start(process, [&drawn, process] {
      std::this_thread::sleep_for(seconds(1));
      drawn[static_cast<std::size_t>(process)] = std::random_device()();
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_NE(drawn[0], drawn[1]);
  const unsigned int apart = drawn[0] ^ drawn[1];
  EXPECT_TRUE((apart & 0x00ffffffU) == 0 || (apart & 0xffffff00U) == 0) << apart;
}

}  // namespace
}  // namespace interlock::sim
