// SPDX-License-Identifier: MIT
//
// Calls of the C library by a client as it is compiled that act upon more than the world: those
// that no simulated process has are no verdict, others are its own.
#include <interlock/harness/simulate.h>

#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/posix/sanitizers.h"
#include "sim/tripwire.h"

namespace interlock::harness {
namespace {

class CompiledCallsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sim::TripwireIsArmed()) GTEST_SKIP() << "not with ThreadSanitizer";
  }

  static SimulateVerdict Does(std::function<void()> what) {
    Program program{.name = "test.calls"};
    program.posix = true;
    program.clients = {[what = std::move(what)](SimulatedClient& client) {
      EXPECT_TRUE(client.Call({"PING"}).ok());
      what();
    }};
    return Simulate(program, {.runs = 2});
  }
};

TEST_F(CompiledCallsTest, WhatWouldActUponTheMachineIsNoVerdictAndIsNamed) {
  const std::string path = ::testing::TempDir() + "interlock-compiled-calls";
  std::fclose(std::fopen(path.c_str(), "w"));
  const char* const file = path.c_str();
  const std::vector<std::pair<const char*, std::function<void()>>> all = {
      {"unlink", [file] { ::unlink(file); }},
      {"rename", [file] { std::rename(file, "elsewhere"); }},
      {"truncate64", [file] { static_cast<void>(::truncate64(file, 0)); }},
      {"open (a file to write to)", [file] { ::open(file, O_RDONLY | O_TRUNC); }},
      {"mkdir", [] { ::mkdir("folder", 0700); }},
      {"flock", [] { ::flock(0, LOCK_EX); }},
      {"shm_open", [] { ::shm_open("/name", O_RDONLY, 0); }},
      {"sem_open", [] { ::sem_open("/name", O_CREAT, 0600, 1); }},
      {"_Fork", [] { ::_Fork(); }},
      {"killpg", [] { ::killpg(::getpid(), SIGTERM); }},
      {"tgkill", [] { ::tgkill(::getpid(), ::gettid(), SIGTERM); }},
      {"waitpid", [] { ::waitpid(-1, nullptr, 0); }},
      {"alarm", [] { ::alarm(1); }},
      {"pause", [] { ::pause(); }},
      {"timer_create", [] { ::timer_create(CLOCK_MONOTONIC, nullptr, nullptr); }},
      {"setenv", [] { ::setenv("OWNER", "me", 1); }},
      {"chdir", [] { static_cast<void>(::chdir("/")); }},
      {"times", [] { ::times(nullptr); }},
      {"getifaddrs", [] { ::getifaddrs(nullptr); }},
      {"gethostbyname2", [] { ::gethostbyname2("redis", AF_INET); }},
      {"accept4", [] { ::accept4(::socket(AF_INET, SOCK_STREAM, 0), nullptr, nullptr, 0); }},
      {"lseek64", [] { ::lseek64(::socket(AF_INET, SOCK_STREAM, 0), 0, SEEK_SET); }},
  };
  for (const auto& [name, call] : all) {
    const SimulateVerdict verdict = Does(call);
    EXPECT_FALSE(verdict.ok || verdict.violated) << name << "\n" << verdict.text;
    EXPECT_EQ(verdict.message,
              std::string("C1 called ") + name + "(), which the simulated C library does not have");
  }
  EXPECT_EQ(std::remove(file), 0);
}

TEST_F(CompiledCallsTest, WhatASignalIsToDoIsKeptAndDoesNothing) {
  struct sigaction before {};
  sigaction(SIGSEGV, nullptr, &before);
  const SimulateVerdict verdict = Does([] {
    EXPECT_EQ(::signal(SIGPIPE, SIG_IGN), SIG_DFL);
    EXPECT_EQ(::signal(SIGPIPE, SIG_DFL), SIG_IGN);
    struct sigaction wanted {};
    wanted.sa_handler = [](int) { ::_exit(0); };
    EXPECT_EQ(::sigaction(SIGSEGV, &wanted, nullptr), 0);
    EXPECT_EQ(::sigaction(SIGKILL, &wanted, nullptr), -1);
    sigset_t some;
    sigset_t told;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    EXPECT_EQ(::pthread_sigmask(SIG_BLOCK, &some, nullptr), 0);
    EXPECT_EQ(::sigprocmask(SIG_UNBLOCK, &some, &told), 0);
    EXPECT_EQ(sigismember(&told, SIGUSR1), 1);
  });
  EXPECT_TRUE(verdict.ok) << verdict.text;
  struct sigaction after {};
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

TEST_F(CompiledCallsTest, AnEndOfTheProcessByAnyWayIsItsOwn) {
  EXPECT_EQ(Does([] { ::_exit(0); }).message, "C1 called _exit(0)");
  EXPECT_EQ(Does([] { std::_Exit(3); }).message, "C1 called _exit(3)");
  EXPECT_EQ(Does([] { std::quick_exit(0); }).message, "C1 called quick_exit(0)");
  const SimulateVerdict left = Does([] { ::pthread_exit(nullptr); });
  EXPECT_TRUE(left.ok) << left.text;
}

TEST_F(CompiledCallsTest, AThreadHasTheStackThatThreadsHave) {
  const SimulateVerdict verdict = Does([] {
    std::thread([] {
      std::array<volatile char, std::size_t{5} << 20> large;
      for (std::size_t at = 0; at < large.size(); at += 4096) large[at] = 1;
      EXPECT_EQ(large[4096], 1);
    }).join();
  });
  // AddressSanitizer needs more of it.
  EXPECT_TRUE(verdict.ok || sim::posix::kWithAsan) << verdict.text;
}

TEST_F(CompiledCallsTest, WhoSpinsLetsTheOwnerGoOn) {
  const SimulateVerdict verdict = Does([] {
    pthread_spinlock_t lock{};
    ::pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    ::pthread_spin_lock(&lock);
    std::thread other([&lock] {
      ::pthread_spin_lock(&lock);
      ::pthread_spin_unlock(&lock);
    });
    std::this_thread::yield();
    ::pthread_spin_unlock(&lock);
    other.join();
    ::pthread_spin_destroy(&lock);
  });
  EXPECT_TRUE(verdict.ok) << verdict.text;
}

}  // namespace
}  // namespace interlock::harness
