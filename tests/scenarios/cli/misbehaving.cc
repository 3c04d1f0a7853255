// SPDX-License-Identifier: MIT
//
// A program with locks that do what no lock should: spin, abort, recurse, throw, leave the process,
// take all memory, wait for what never comes, read a real clock, remember an earlier run, call what
// no simulated process has.
// misbehaving_test.cc runs it and looks at how it ends.
#include <interlock/harness/main.h>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace harness = interlock::harness;

using Crime = void (*)();

/// Counted over all runs of the process: what no run may know.
std::uint64_t asked = 0;

void Remember() { ++asked; }

/// Where a lock is guilty.
enum class Place { kAcquire, kRelease, kExtend, kOwners, kTraits, kName };

/// Grants to everybody without asking a server, so that there is something to extend and release.
class GuiltyHold final : public harness::Hold {
 public:
  GuiltyHold(Place place, Crime crime, interlock::MonotonicTime until)
      : place_(place), crime_(crime), until_(until) {}
  std::string owner_token() const override { return ""; }
  interlock::MonotonicTime valid_until() const override { return until_; }
  interlock::Status Extend() override {
    if (place_ == Place::kExtend) crime_();
    return interlock::Status(interlock::StatusCode::kNotOwner);
  }
  interlock::Status Release() override {
    if (place_ == Place::kRelease) crime_();
    return interlock::Status();
  }

 private:
  Place place_;
  Crime crime_;
  interlock::MonotonicTime until_;
};

class GuiltyLock final : public harness::Lock {
 public:
  GuiltyLock(Place place, Crime crime, harness::Environment& environment,
             const harness::LockOptions& options)
      : place_(place), crime_(crime), environment_(environment), lease_(options.lease) {}

  interlock::Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (place_ == Place::kAcquire) crime_();
    if (place_ == Place::kExtend || place_ == Place::kRelease) {
      return std::unique_ptr<harness::Hold>(
          std::make_unique<GuiltyHold>(place_, crime_, environment_.runtime.Now() + lease_));
    }
    // Owners() is asked about what a command has left.
    if (place_ == Place::kOwners) Ping();
    // Both mean "no", so that nothing but the trace can tell the difference.
    const bool otherwise = crime_ == Remember && (asked * 0x9e3779b97f4a7c15ULL >> 60) % 2 == 1;
    return interlock::Status(otherwise ? interlock::StatusCode::kTimeout
                                       : interlock::StatusCode::kNotAcquired);
  }
  interlock::Result<std::unique_ptr<harness::Hold>> AcquireUntil(
      interlock::MonotonicTime /*deadline*/) override {
    return TryAcquire();
  }

 private:
  void Ping() {
    const interlock::MonotonicTime end = environment_.runtime.Now() + std::chrono::seconds(1);
    auto connection = environment_.connector.Connect(end);
    if (!connection.ok()) return;
    const std::vector<std::string_view> command = {"SET", "interlock:jobs:42", "x", "PX", "100"};
    (void)(*connection)->Call(command, end);
  }

  Place place_;
  Crime crime_;
  harness::Environment& environment_;
  std::chrono::milliseconds lease_;
};

/// What a lock calls.
enum class Calls { kSeams, kPosix, kPosixOnOsThreads };

class Guilty final : public harness::Subject {
 public:
  Guilty(std::string name, Place place, Crime crime, Calls calls)
      : name_(std::move(name)), place_(place), crime_(crime), calls_(calls) {}

  std::string_view name() const override {
    if (place_ == Place::kName) crime_();
    return name_;
  }
  std::string_view summary() const override { return "does what no lock should"; }
  harness::Traits traits() const override {
    if (place_ == Place::kTraits) crime_();
    harness::Traits traits;
    traits.can_extend = place_ == Place::kExtend;
    traits.posix = calls_ != Calls::kSeams;
    traits.os_threads = calls_ == Calls::kPosixOnOsThreads;
    return traits;
  }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<GuiltyLock>(place_, crime_, environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    if (place_ == Place::kOwners && server.String(key).has_value()) crime_();
    return std::vector<harness::Owner>();
  }

 private:
  std::string name_;
  Place place_;
  Crime crime_;
  Calls calls_;
};

volatile int sink = 0;

void Spin() {
  for (;;) sink = sink + 1;
}

int Recurse(int depth) {
  volatile char room[256] = {};
  room[depth % 256] = 1;
  return depth < 0 ? 0 : Recurse(depth + 1) + room[0];
}

void SpinInAThread() { std::thread(Spin).join(); }

void RecurseWithoutEnd() { sink = Recurse(0); }

void Abort() { std::abort(); }

void Throw() { throw std::runtime_error("a lock that throws"); }

void ReadTheClock() {
  sink = std::chrono::steady_clock::now().time_since_epoch().count() > 0 ? 1 : 0;
}

void AccessNull() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

void Refuse() {}

void Exit() { std::exit(0); }

void LeaveAtOnce() { _exit(3); }

void Terminate() { std::terminate(); }

/// Waits for what nobody will write.
void Block() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return;
  char byte = 0;
  sink = static_cast<int>(read(ends[0], &byte, 1));
}

void TakeAllMemory() {
  constexpr std::size_t kMuch = 16 << 20;
  std::vector<std::unique_ptr<std::vector<char>>> all;
  for (;;) all.push_back(std::make_unique<std::vector<char>>(kMuch, 'x'));
}

void Fork() { sink = fork(); }

/// Beside the lock: a loop that takes any error for its program's end, as event libraries do.
void LoopStrictly() {
  std::thread([] {
    while (poll(nullptr, 0, 100) >= 0) continue;
    std::abort();
  }).detach();
}

void CloseStdout() { close(STDOUT_FILENO); }

}  // namespace

int main(int argc, char** argv) {
  struct Suspect {
    const char* name;
    Crime crime;
    Place place = Place::kAcquire;
    Calls calls = Calls::kSeams;
  };
  std::vector<std::shared_ptr<const harness::Subject>> subjects;
  for (const Suspect& one : std::vector<Suspect>{
           {"test/spinning", Spin},
           {"test/aborting", Abort},
           {"test/recursing", RecurseWithoutEnd},
           {"test/throwing", Throw},
           {"test/escaping", ReadTheClock},
           {"test/null", AccessNull},
           {"test/exiting", Exit},
           {"test/leaving", LeaveAtOnce},
           {"test/terminating", Terminate},
           {"test/blocking", Block},
           {"test/hoarding", TakeAllMemory},
           {"test/silent", CloseStdout},
           {"test/null-in-release", AccessNull, Place::kRelease},
           {"test/null-in-extend", AccessNull, Place::kExtend},
           {"test/null-in-owners", AccessNull, Place::kOwners},
           {"test/null-in-traits", AccessNull, Place::kTraits},
           {"test/null-in-name", AccessNull, Place::kName},
           {"test/remembering", Remember},
           {"test/forking", Fork, Place::kAcquire, Calls::kPosix},
           {"test/strict-loop", LoopStrictly, Place::kAcquire, Calls::kPosix},
           {"test/spinning-thread", SpinInAThread, Place::kAcquire, Calls::kPosixOnOsThreads},
           {"test/refusing", Refuse}}) {
    subjects.push_back(std::make_shared<Guilty>(one.name, one.place, one.crime, one.calls));
  }
  return harness::Main(argc, argv, std::move(subjects));
}
