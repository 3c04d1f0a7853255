// SPDX-License-Identifier: MIT
//
// timerfd_create(2) of a simulated process.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

itimerspec Every(milliseconds first, milliseconds interval = {}) {
  const auto time = [](milliseconds length) -> timespec {
    return {length.count() / 1000, length.count() % 1000 * 1'000'000};
  };
  return {.it_interval = time(interval), .it_value = time(first)};
}

milliseconds Length(const timespec& time) {
  return seconds(time.tv_sec) + milliseconds(time.tv_nsec / 1'000'000);
}

/// How often it has expired; 0: errno says why not.
std::uint64_t Expirations(int file) {
  std::uint64_t count = 0;
  return ::read(file, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

int Armed(const itimerspec& setting, int flags = 0) {
  const int file = ::timerfd_create(CLOCK_MONOTONIC, flags);
  EXPECT_EQ(::timerfd_settime(file, 0, &setting, nullptr), 0);
  return file;
}

TEST(PosixTimerTest, AReadWaitsForTheNextExpirationAndCountsThem) {
  Bench bench(1);
  RunOne(bench, [&] {
    const int file = Armed(Every(milliseconds(300), milliseconds(200)));
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(bench.world->now(), milliseconds(300));
    std::this_thread::sleep_for(seconds(1));
    EXPECT_EQ(Expirations(file), 5U);
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(bench.world->now(), milliseconds(1500));
  });
}

TEST(PosixTimerTest, PollAndEpollWakeWhenItExpires) {
  Bench bench(1);
  RunOne(bench, [&] {
    const int file = Armed(Every(seconds(2)), TFD_NONBLOCK | TFD_CLOEXEC);
    EXPECT_EQ(Expirations(file), 0U);
    EXPECT_EQ(errno, EAGAIN);
    pollfd entry{file, POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 500), 0);
    EXPECT_EQ(::poll(&entry, 1, -1), 1);
    EXPECT_EQ(entry.revents, POLLIN);
    EXPECT_EQ(bench.world->now(), seconds(2));
    const int set = ::epoll_create1(0);
    epoll_event event{.events = EPOLLIN, .data = {.fd = file}};
    ASSERT_EQ(::epoll_ctl(set, EPOLL_CTL_ADD, file, &event), 0);
    EXPECT_EQ(::epoll_wait(set, &event, 1, 0), 1);
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(::epoll_wait(set, &event, 1, 1000), 0) << "it expires once";
    const itimerspec again = Every(seconds(1));
    ASSERT_EQ(::timerfd_settime(file, 0, &again, nullptr), 0);
    EXPECT_EQ(::epoll_wait(set, &event, 1, -1), 1);
    EXPECT_EQ(bench.world->now(), seconds(4));
  });
}

// Nobody asks for what has come: the wait ends by its own deadline all the same.
TEST(PosixTimerTest, AnExpiredTimerThatNobodyAsksForKeepsNobodyBusy) {
  Bench bench(1);
  RunOne(bench, [&] {
    pollfd entry{Armed(Every(milliseconds(1), milliseconds(1))), 0, 0};
    EXPECT_EQ(::poll(&entry, 1, 60'000), 0);
    EXPECT_EQ(bench.world->now(), seconds(60));
  });
}

TEST(PosixTimerTest, ItIsSetByTheWallClockTooAndTellsWhatIsLeft) {
  Bench bench(1);
  RunOne(bench, [&] {
    const int file = ::timerfd_create(CLOCK_REALTIME, 0);
    timespec now{};
    ASSERT_EQ(::clock_gettime(CLOCK_REALTIME, &now), 0);
    itimerspec setting = Every({}, seconds(7));
    setting.it_value = {now.tv_sec + 3, now.tv_nsec};
    ASSERT_EQ(::timerfd_settime(file, TFD_TIMER_ABSTIME, &setting, nullptr), 0);
    std::this_thread::sleep_for(seconds(1));
    itimerspec left{};
    ASSERT_EQ(::timerfd_gettime(file, &left), 0);
    EXPECT_EQ(Length(left.it_value), seconds(2));
    EXPECT_EQ(Length(left.it_interval), seconds(7));
    std::this_thread::sleep_for(seconds(3));
    ASSERT_EQ(::timerfd_gettime(file, &left), 0);
    EXPECT_EQ(Length(left.it_value), seconds(6)) << "to the next one";
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(bench.world->now(), seconds(10));
    const itimerspec none{};
    ASSERT_EQ(::timerfd_settime(file, 0, &none, &left), 0);
    EXPECT_EQ(Length(left.it_value), seconds(7));
    ASSERT_EQ(::timerfd_gettime(file, &left), 0);
    EXPECT_EQ(Length(left.it_value), seconds(0));
    pollfd entry{file, POLLIN, 0};
    EXPECT_EQ(::poll(&entry, 1, 20'000), 0) << "it is disarmed";
  });
}

TEST(PosixTimerTest, AnotherThreadMayArmItWhileOneWaits) {
  Bench bench(1);
  RunOne(bench, [&] {
    const int file = ::timerfd_create(CLOCK_BOOTTIME, 0);
    std::thread other([file] {
      std::this_thread::sleep_for(seconds(1));
      const itimerspec setting = Every(seconds(2));
      EXPECT_EQ(::timerfd_settime(file, 0, &setting, nullptr), 0);
    });
    EXPECT_EQ(Expirations(file), 1U);
    EXPECT_EQ(bench.world->now(), seconds(3));
    other.join();
  });
}

TEST(PosixTimerTest, MistakesAreToldAsLinuxTellsThem) {
  RunOne([] {
    const auto fails = [](int result) { return result == -1 ? errno : 0; };
    EXPECT_EQ(fails(::timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0)), EINVAL);
    EXPECT_EQ(fails(::timerfd_create(CLOCK_MONOTONIC, 1)), EINVAL);
    const int file = ::timerfd_create(CLOCK_MONOTONIC, 0);
    itimerspec setting = Every(seconds(1));
    EXPECT_EQ(fails(::timerfd_settime(file, 64, &setting, nullptr)), EINVAL);
    setting.it_value.tv_nsec = 1'000'000'000;
    EXPECT_EQ(fails(::timerfd_settime(file, 0, &setting, nullptr)), EINVAL);
    setting = Every(seconds(1));
    setting.it_interval.tv_sec = -1;
    EXPECT_EQ(fails(::timerfd_settime(file, 0, &setting, nullptr)), EINVAL);
    char small[4];
    EXPECT_EQ(fails(static_cast<int>(::read(file, small, sizeof(small)))), EINVAL);
    EXPECT_EQ(fails(static_cast<int>(::write(file, "12345678", 8))), EINVAL);
    const int set = ::epoll_create1(0);
    EXPECT_EQ(fails(::timerfd_gettime(set, &setting)), EINVAL);
    EXPECT_EQ(::close(file), 0);
    EXPECT_EQ(fails(::timerfd_gettime(file, &setting)), EBADF);
  });
}

}  // namespace
}  // namespace interlock::sim
