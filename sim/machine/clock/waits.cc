// SPDX-License-Identifier: MIT
//
// Replaces the C library's functions that wait for a time, or for files until a time.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "sim/machine/clock/blocking.h"
#include "sim/machine/clock/sleeper.h"

namespace interlock::sim::machine {
namespace {

constexpr std::int64_t kMillisecondNs = 1'000'000;
constexpr std::int64_t kMicrosecondNs = 1'000;
constexpr long kSignals = 64 / CHAR_BIT;  // the kernel's size of a signal set
constexpr timespec kAtOnce{0, 0};
constexpr timespec kNap{0, 500'000};

std::int64_t LengthNs(int length_ms) {
  return length_ms < 0 ? kNoWakeUp : length_ms * kMillisecondNs;
}
std::int64_t LengthNs(const timespec* length) {
  return length == nullptr ? kNoWakeUp : ToNs(*length);
}

/// Returns 0 or an error number.
int SleepUntil(std::int64_t until_ns, timespec* rest) {
  Wait wait(until_ns, WakeBy::kFutex);
  if (wait.Sleep()) return 0;
  if (rest != nullptr) *rest = FromNs(until_ns > NowNs() ? until_ns - NowNs() : 0);
  return EINTR;
}

int Ppoll(pollfd* files, nfds_t count, const timespec* length, const sigset_t* mask) {
  // The kernel writes to the timespec that it is given.
  timespec own = length != nullptr ? *length : kAtOnce;
  return static_cast<int>(Ask(SYS_ppoll, Word(files), static_cast<long>(count),
                              length != nullptr ? Word(&own) : 0, Word(mask), kSignals));
}

/// The files of a poll, and one extra file.
class Files {
 public:
  Files(pollfd* files, nfds_t count) : files_(files), count_(count) {
    if (count >= kFew) all_ = static_cast<pollfd*>(malloc((count + 1) * sizeof(pollfd)));
    if (all_ == nullptr) return;
    if (count > 0) memcpy(all_, files, count * sizeof(pollfd));
  }
  ~Files() {
    if (all_ != few_) free(all_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  bool made() const { return all_ != nullptr; }
  /// Returns how many of the files are ready, or -1.
  int Poll(int one_more, const timespec* length, const sigset_t* mask) {
    all_[count_] = {one_more, POLLIN, 0};
    const int ready = Ppoll(all_, count_ + 1, length, mask);
    if (ready < 0) return ready;
    if (count_ > 0) memcpy(files_, all_, count_ * sizeof(pollfd));
    return ready - (woken() ? 1 : 0);
  }
  bool woken() const { return all_[count_].revents != 0; }

 private:
  static constexpr nfds_t kFew = 64;

  pollfd* files_;
  nfds_t count_;
  pollfd few_[kFew];
  pollfd* all_ = few_;
};

/// A file that it waits to write to gets room when the driver reads, which is no gift of it.
bool OnlyReads(const pollfd* files, nfds_t count) {
  for (nfds_t i = 0; i < count; ++i) {
    if ((files[i].events & (POLLOUT | POLLWRNORM | POLLWRBAND)) != 0) return false;
  }
  return true;
}

int PollUntil(pollfd* files, nfds_t count, std::int64_t until_ns, const sigset_t* mask) {
  Wait wait(until_ns, WakeBy::kSocket);
  Files all(files, count);
  if (!all.made()) {
    errno = ENOMEM;
    return -1;
  }
  const bool only_reads = OnlyReads(files, count);
  for (;;) {
    const Blocking blocking;
    if (wait.over()) return Ppoll(files, count, &kAtOnce, mask);
    const int descriptor = wait.descriptor();
    bool look = blocking.publishes();
    for (;;) {
      const timespec* length = look ? &kAtOnce : descriptor < 0 ? &kNap : nullptr;
      const int ready = all.Poll(descriptor, length, mask);
      const bool woken = all.woken();
      if (woken) wait.TakeWakeUps();
      if (ready != 0) return ready;
      if (woken || !std::exchange(look, false)) break;
      descriptor >= 0 && only_reads ? blocking.Waits() : blocking.Hides();
    }
  }
}

/// Without an end. Not interrupted when the process is stopped and continued.
int PollForEver(pollfd* files, nfds_t count, const sigset_t* mask) {
  const Blocking blocking;
  if (blocking.publishes()) {
    const int ready = Ppoll(files, count, &kAtOnce, mask);
    if (ready != 0) return ready;
    OnlyReads(files, count) ? blocking.Waits() : blocking.Hides();
  }
  return Ppoll(files, count, nullptr, mask);
}

int PollFor(pollfd* files, nfds_t count, std::int64_t length_ns, const sigset_t* mask) {
  if (length_ns == 0) return Ppoll(files, count, &kAtOnce, mask);
  if (length_ns == kNoWakeUp) return PollForEver(files, count, mask);
  return PollUntil(files, count, DeadlineNs(length_ns), mask);
}

int EpollNow(int epoll, epoll_event* events, int most, int length_ms, const sigset_t* mask) {
  return static_cast<int>(
      Ask(SYS_epoll_pwait, epoll, Word(events), most, length_ms, Word(mask), kSignals));
}

/// An epoll's own descriptor is readable when one of its files is ready.
int EpollFor(int epoll, epoll_event* events, int most, std::int64_t length_ns,
             const sigset_t* mask) {
  if (length_ns == 0) return EpollNow(epoll, events, most, 0, mask);
  const std::int64_t until_ns = DeadlineNs(length_ns);
  for (;;) {
    pollfd file{epoll, POLLIN, 0};
    const int ready =
        until_ns == kNoWakeUp ? PollForEver(&file, 1, mask) : PollUntil(&file, 1, until_ns, mask);
    if (ready < 0) return ready;
    const int count = EpollNow(epoll, events, most, 0, nullptr);
    if (count != 0 || ready == 0) return count;
  }
}

struct SelectFiles {
  int count;
  fd_set* read;
  fd_set* write;
  fd_set* except;
};

int SelectNow(const SelectFiles& files, const timespec* length, const sigset_t* mask) {
  struct {
    const sigset_t* set;
    long size;
  } signals{mask, kSignals};
  timespec own = length != nullptr ? *length : kAtOnce;
  return static_cast<int>(Ask(SYS_pselect6, files.count, Word(files.read), Word(files.write),
                              Word(files.except), length != nullptr ? Word(&own) : 0,
                              Word(&signals)));
}

bool IsIn(int file, const fd_set* set) { return set != nullptr && FD_ISSET(file, set); }

/// Uses poll(), which takes one more file.
int SelectFor(const SelectFiles& files, std::int64_t length_ns, const sigset_t* mask) {
  pollfd all[FD_SETSIZE];
  nfds_t count = 0;
  for (int file = 0; file < files.count; ++file) {
    int events = 0;
    if (IsIn(file, files.read)) events |= POLLIN;
    if (IsIn(file, files.write)) events |= POLLOUT;
    if (IsIn(file, files.except)) events |= POLLPRI;
    if (events != 0) all[count++] = {file, static_cast<short>(events), 0};
  }
  const int ready = PollFor(all, count, length_ns, mask);
  if (ready < 0) return ready;
  // select() itself reports the files that are ready by now.
  return SelectNow(files, &kAtOnce, nullptr);
}

/// Whether a wait follows the shared clock. One without an end does not: it lasts as long as it
/// takes, and at most is published.
bool IsShared(bool ends) {
  if (Clock() == nullptr) return false;
  if (!ends) ++Clock()->waits;
  return ends || Publishes();
}

}  // namespace
}  // namespace interlock::sim::machine

namespace drive = interlock::sim::machine;

extern "C" {

int clock_nanosleep(clockid_t id, int flags, const timespec* length, timespec* rest) {
  const bool of_day = id == CLOCK_REALTIME || id == CLOCK_TAI;
  if (drive::Clock() == nullptr || (!of_day && id != CLOCK_MONOTONIC && id != CLOCK_BOOTTIME)) {
    const int before = errno;
    const long slept =
        drive::Ask(SYS_clock_nanosleep, id, flags, drive::Word(length), drive::Word(rest));
    const int error = errno;
    errno = before;
    return slept == 0 ? 0 : error;
  }
  const std::int64_t ns = drive::ToNs(*length);
  if ((flags & TIMER_ABSTIME) == 0) return drive::SleepUntil(drive::DeadlineNs(ns), rest);
  return drive::SleepUntil(of_day ? drive::TrueNs(*drive::Clock(), ns) : drive::SinceBootNs(ns),
                           nullptr);
}

int nanosleep(const timespec* length, timespec* rest) {
  const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, length, rest);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int usleep(useconds_t length_us) {
  const timespec length = drive::FromNs(length_us * drive::kMicrosecondNs);
  return nanosleep(&length, nullptr);
}

unsigned sleep(unsigned length_s) {
  const timespec length{static_cast<time_t>(length_s), 0};
  timespec rest{};
  return nanosleep(&length, &rest) == 0 ? 0 : static_cast<unsigned>(rest.tv_sec);
}

int poll(pollfd* files, nfds_t count, int length_ms) {
  const std::int64_t length_ns = drive::LengthNs(length_ms);
  if (drive::IsShared(length_ms >= 0)) return drive::PollFor(files, count, length_ns, nullptr);
  const timespec length = drive::FromNs(length_ns);
  return drive::Ppoll(files, count, length_ms >= 0 ? &length : nullptr, nullptr);
}

int ppoll(pollfd* files, nfds_t count, const timespec* length, const sigset_t* mask) {
  if (!drive::IsShared(length != nullptr)) return drive::Ppoll(files, count, length, mask);
  return drive::PollFor(files, count, drive::LengthNs(length), mask);
}

int epoll_pwait(int epoll, epoll_event* events, int most, int length_ms, const sigset_t* mask) {
  if (!drive::IsShared(length_ms >= 0)) {
    return drive::EpollNow(epoll, events, most, length_ms, mask);
  }
  return drive::EpollFor(epoll, events, most, drive::LengthNs(length_ms), mask);
}

int epoll_wait(int epoll, epoll_event* events, int most, int length_ms) {
  return epoll_pwait(epoll, events, most, length_ms, nullptr);
}

int epoll_pwait2(int epoll, epoll_event* events, int most, const timespec* length,
                 const sigset_t* mask) {
  if (drive::IsShared(length != nullptr)) {
    return drive::EpollFor(epoll, events, most, drive::LengthNs(length), mask);
  }
  return static_cast<int>(drive::Ask(SYS_epoll_pwait2, epoll, drive::Word(events), most,
                                     drive::Word(length), drive::Word(mask), drive::kSignals));
}

int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* length,
            const sigset_t* mask) {
  const drive::SelectFiles files{count, read, write, except};
  if (count > FD_SETSIZE || !drive::IsShared(length != nullptr)) {
    return drive::SelectNow(files, length, mask);
  }
  return drive::SelectFor(files, drive::LengthNs(length), mask);
}

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* length) {
  if (length == nullptr) return pselect(count, read, write, except, nullptr, nullptr);
  const timespec same{length->tv_sec, length->tv_usec * drive::kMicrosecondNs};
  return pselect(count, read, write, except, &same, nullptr);
}

// Programs that are compiled with checks of the sizes of buffers (_FORTIFY_SOURCE) call these.

int __poll_chk(pollfd* files, nfds_t count, int length_ms, size_t room) {
  if (count * sizeof *files > room) abort();
  return poll(files, count, length_ms);
}

int __ppoll_chk(pollfd* files, nfds_t count, const timespec* length, const sigset_t* mask,
                size_t room) {
  if (count * sizeof *files > room) abort();
  return ppoll(files, count, length, mask);
}

}  // extern "C"
