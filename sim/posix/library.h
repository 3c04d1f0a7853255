// SPDX-License-Identifier: MIT
//
// The C library of one simulated process: what its functions do when a task of the process calls
// them. Sockets lead to the simulated servers, clocks are the process's own, and waiting passes
// virtual time. Each member has the arguments and the result of its function, and sets errno as
// that does.
//
// In teardown everything fails with ECANCELED, at once, and each reading of a clock shows a later
// hour, so that no deadline is waited for.
// Thread safety: none; one world, one OS thread.
#pragma once

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/engine.h"
#include "sim/fiber.h"
#include "sim/posix/descriptors.h"
#include "sim/posix/devices.h"
#include "sim/posix/event_set.h"
#include "sim/posix/futexes.h"
#include "sim/posix/identity.h"
#include "sim/posix/initialisations.h"
#include "sim/posix/mutexes.h"
#include "sim/posix/pace.h"
#include "sim/posix/parking.h"
#include "sim/posix/signals.h"
#include "sim/posix/statics.h"
#include "sim/posix/stream_socket.h"
#include "sim/posix/threads.h"
#include "sim/posix/timer.h"

namespace interlock::sim::posix {

class Library {
 public:
  Library(Engine& engine, Process& process, Fiber::RunsOn runs_on)
      : engine_(engine), process_(process), runs_on_(runs_on) {
    lives_.push_back(std::make_unique<Statics>());
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// The process has died: what it was initialising others may.
  void Die() { initialisations_.Forget(); }
  /// The process begins anew: without descriptors, and nothing is held or waited for.
  void Forget();

  /// What its threads run on.
  Fiber::RunsOn runs_on() const { return runs_on_; }
  Threads& threads() { return threads_; }
  Mutexes& mutexes() { return mutexes_; }
  SharedLocks& shared_locks() { return shared_locks_; }
  Futexes& futexes() { return futexes_; }
  Initialisations& initialisations() { return initialisations_; }
  Identity& identity() { return identity_; }
  Signals& signals() { return signals_; }
  /// Of the running task's life of the process.
  Statics& statics() { return *lives_[threads_.LifeOf(*parking_.current())]; }
  /// A task of the process is left where it stands.
  void NoteLost() { --tasks_begun_; }
  /// Whether the task's process has ended, its objects with it: such a task never goes on.
  bool HasExited(const ScheduledTask& task) { return lives_[threads_.LifeOf(task)]->exited(); }
  /// Runs a task of the process, from its start to its end.
  void RunTask(const std::function<void()>& body);
  /// Before a task goes on: puts in place what belongs to its process, or to it alone. null: it has
  /// no library.
  static void Enter(Library* library, const ScheduledTask& task);
  /// When it waits, or has ended: what is called outside of tasks, such as an oracle, finds the
  /// program's variables.
  static void Leave(const Library* library);
  /// Puts back what belongs to the program when it ends.
  struct OutsideAgain {
    OutsideAgain() = default;
    ~OutsideAgain();
    OutsideAgain(const OutsideAgain&) = delete;
    OutsideAgain& operator=(const OutsideAgain&) = delete;
  };
  /// As gettid(2).
  int ThreadId() const { return identity_.ThreadId(threads_.Ordinal()); }

  /// By the process's own clock.
  MonotonicTime Now() const { return process_.clock.Local(engine_.now()); }

  // Descriptors.
  int OpenSocket(int domain, int type, int protocol);
  int OpenEvent(unsigned count, int flags);
  /// The end that reads, then the one that writes. `flags`: O_NONBLOCK.
  int OpenPipe(int files[2], int flags);
  /// REQUIRES: IsRandomFile(path).
  int OpenRandom(std::string_view path);
  RandomStreams& random_streams() { return random_streams_; }
  /// timerfd_create, and the others with its descriptor. `before` may be null.
  int OpenTimer(clockid_t clock, int flags);
  int SetTimer(int descriptor, int flags, const itimerspec& wanted, itimerspec* before);
  int GetTimer(int descriptor, itimerspec& left);
  int OpenEventSet() { return descriptors_.Add(std::make_shared<EventSet>()); }
  int Duplicate(int descriptor);
  int Close(int descriptor);
  int Connect(int descriptor, const sockaddr* address, socklen_t size);
  ssize_t Receive(int descriptor, void* into, std::size_t size, int flags);
  ssize_t Send(int descriptor, const void* bytes, std::size_t size, int flags);
  int Shutdown(int descriptor, int how);
  int Flags(int descriptor);
  int SetFlags(int descriptor, int flags);
  int GetOption(int descriptor, int level, int name, void* value, socklen_t* size);
  int SetOption(int descriptor, int level, int name, const void* value, socklen_t size);
  /// getpeername and getsockname: where the stream leads to, and an address of the client's own.
  int NameOfPeer(int descriptor, sockaddr* address, socklen_t* size);
  int NameOfOwn(int descriptor, sockaddr* address, socklen_t* size);
  int CountUnread(int descriptor, int* count);
  /// Names of servers; see names.h.
  int LookUp(const char* name, const char* service, const addrinfo* hints, addrinfo** found);
  /// `timeout` < 0: for ever.
  int Poll(std::span<pollfd> entries, Duration timeout);
  /// epoll_ctl and epoll_wait. `timeout` as above.
  int ControlEvents(int set, int operation, int descriptor, const epoll_event* event);
  int WaitForEvents(int set, epoll_event* events, int size, Duration timeout);

  // Time.
  int ReadClock(clockid_t clock, timespec* out);
  int Sleep(Duration length);
  /// As Sleep, until the clock shows `deadline`.
  int SleepUntil(clockid_t clock, Duration deadline);
  /// Lets others run, and takes a little time.
  void Yield() { pace_.Count(/*yields=*/true); }
  /// When the process's monotonic clock shows what the other clock shows at `time`.
  MonotonicTime AtClock(clockid_t clock, Duration time) const;
  MonotonicTime After(Duration length) const { return parking_.After(length); }

 private:
  std::shared_ptr<StreamSocket> FindSocket(int descriptor) const;
  MonotonicTime DeadlineOf(Duration timeout) const {
    return timeout < Duration{} ? kNever : After(timeout);
  }
  /// Ends a call: a negative result is an errno, which is set. YIELDS if the process has made many
  /// calls without waiting: a busy loop gets somewhere only if its calls take time.
  template <typename Number>
  Number Told(Number result);
  itimerspec LeftOf(const Timer& timer) const;
  /// As EBADF and ENOTSOCK differ.
  int WhyNoSocket(int descriptor) const;
  void EndTask(bool ends_process);
  static void PutInPlace(Library* library, const ScheduledTask& task);
  /// What a wall clock shows where the monotonic one shows 0.
  Duration Epoch(clockid_t clock) const;
  /// Counts a step. False in teardown.
  bool Begins(StepKind kind);
  bool WaitUntil(MonotonicTime deadline);
  Duration TakeLookUpDelay();

  Engine& engine_;
  Process& process_;
  const Fiber::RunsOn runs_on_;
  Descriptors descriptors_{engine_, process_};
  RandomStreams random_streams_;
  Pace pace_{engine_, process_};
  Parking parking_{engine_, process_};
  Threads threads_{engine_, process_, parking_};
  Mutexes mutexes_{parking_, threads_};
  SharedLocks shared_locks_{parking_, threads_};
  Futexes futexes_{parking_};
  Initialisations initialisations_{parking_};
  Identity identity_{process_};
  Signals signals_;
  std::vector<std::unique_ptr<Statics>> lives_;  // of the process; those before the last are over
  int tasks_begun_ = 0;                          // and not at their end, in all lives
  int readings_in_teardown_ = 0;
};

}  // namespace interlock::sim::posix
