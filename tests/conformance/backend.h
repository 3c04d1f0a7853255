// SPDX-License-Identifier: MIT
//
// Where the conformance suite runs a lock: in virtual time on the fake Redis, or in real time on
// redis-servers of its own, in each topology. A test is written once, as programs of clients that
// run side by side. All tests of one process that run on real servers want the same topology.
//
// Guarantee: each client has an environment of its own; whatever one has written before it raises a
// flag is seen by who has awaited it. Thread safety: a backend is driven by one test.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::conformance {

/// Simulated masters of a lock over several of them.
inline constexpr int kFakeMasters = 3;

/// One client process, as its program sees it. A test counts as failed if it awaits in vain.
class Client {
 public:
  Client(harness::Environment environment, const harness::Subject& subject,
         const harness::LockOptions& options)
      : environment_(std::move(environment)), lock_(subject.NewLock(environment_, options)) {}

  harness::Lock& lock() { return *lock_; }
  harness::Environment& environment() { return environment_; }
  MonotonicTime Now() { return environment_.runtime.Now(); }
  MonotonicTime In(Duration time) { return AddSaturating(Now(), time); }
  void SleepFor(Duration time) { environment_.runtime.NewEvent()->WaitUntil(In(time)); }
  void Await(const std::atomic<bool>& flag);

 private:
  harness::Environment environment_;
  const std::unique_ptr<harness::Lock> lock_;
};

using Program = std::function<void(Client&)>;

class Backend {
 public:
  virtual ~Backend() = default;
  /// Runs each program as a client of its own; returns when all have ended, false if they did not,
  /// or could not begin. Once for each backend.
  virtual bool Run(const harness::Subject& subject, const harness::LockOptions& options,
                   const std::vector<Program>& programs) = 0;
};

enum class Where {
  kFake,       ///< one server, or kFakeMasters of them
  kServer,     ///< a real one
  kMasters,    ///< five real ones that know nothing of each other
  kSentinels,  ///< a real master with two replicas, under three Sentinels
  kCluster,    ///< three real masters with a replica each
};

std::unique_ptr<Backend> NewBackend(Where where);

}  // namespace interlock::conformance
