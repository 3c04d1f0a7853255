// SPDX-License-Identifier: MIT
//
// What a lock or semaphore must look like to be judged: an adapter of some thirty lines.
//
//   class MyHold : public interlock::harness::Hold { ... };      // one grant
//   class MyLock : public interlock::harness::Lock { ... };      // one client's lock object
//   class MySubject : public interlock::harness::Subject { ... } // name, promises, factory
//
// The code under test reaches the world only through the Environment: its clock, its events and its
// connections. Code that reads a real clock, sleeps, or starts a thread is stopped by the escape
// tripwire, because no verdict about it would mean anything.
//
// Thread safety: each object is used by one client at a time; a Subject is shared by concurrent
// runs and must be immutable.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/promise.h>
#include <interlock/harness/server_view.h>
#include <interlock/harness/traits.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::harness {

/// All that one client process can reach. Outlives every lock made for it.
struct Environment {
  Runtime& runtime;
  /// To the primary, as a client is led that asks the Sentinels; of independent masters to the
  /// first. What is connected already stays so when another server becomes the primary.
  Connector& connector;
  /// To each server, for a lock over several of them; one, if there is one.
  std::vector<Connector*> nodes;
};

/// Every key of the lock must begin with `key_prefix`; its TTLs follow from `lease`.
struct LockOptions {
  std::string key_prefix;
  std::string resource;
  std::chrono::milliseconds lease{};  ///< 1 ms or more
  int permits = 1;  ///< more than 1 only for a Subject whose Traits say `semaphore`
  /// `resource` and a second one, as this client names them; empty unless Traits say `several`.
  std::vector<std::string> several = {};
  int parties = 0;  ///< that open a latch, see Traits; 0 if it is none
};

/// One grant, as its holder sees it. Its destructor must not reach the server.
class Hold {
 public:
  virtual ~Hold() = default;

  /// What stands in the server as the owner of this grant, from its first instant to its last;
  /// empty if the lock has no owner tokens.
  virtual std::string owner_token() const = 0;

  /// The number that a guarded resource compares: larger for each later grant of the resource.
  /// nullopt: this lock has no fencing tokens, and a guarded resource must accept everything.
  virtual std::optional<std::uint64_t> fencing_token() const { return std::nullopt; }

  /// What a user is told who asks now whether the lease is still held; it may look at the clock.
  /// nullopt: the lock offers no such question, and its users compare valid_until() themselves.
  virtual std::optional<bool> valid() const { return std::nullopt; }

  /// The end of the holder's own belief, on its Runtime's clock; kNever for a lock without leases.
  /// It is read at the grant, after each Extend(), and whenever valid() has said yes: a lock that
  /// renews by itself moves it.
  virtual MonotonicTime valid_until() const = 0;

  /// Set when the user is told that the lease is lost: when valid_until() is reached at the latest.
  /// A holder waits for it while it works, and leaves its section when it is set. It lives as long
  /// as the hold. nullptr: the lock tells of no losses.
  virtual Event* lost() { return nullptr; }

  /// Prolongs the lease to a full length from now. Only called if Traits say `can_extend`. Called
  /// from inside the section, so it must return before valid_until(): later it keeps its user
  /// inside.
  virtual Status Extend() {
    return Status(StatusCode::kInvalidArgument, "extend is not supported");
  }

  /// If Traits say `several`: the grant of one of them, in the order of their names, as long as
  /// this lives. It is never extended or released by itself.
  virtual const Hold& Part(std::size_t /*index*/) const { return *this; }

  /// kOk: released just now. kNotOwner or kLeaseLost: was no longer held. Must not throw.
  virtual Status Release() = 0;
};

/// One client's lock object for one resource. It outlives its holds. When a run is over every call
/// on a connection answers kCancelled at once: a loop must end on it.
class Lock {
 public:
  virtual ~Lock() = default;

  /// One try that does not wait. kNotAcquired (or kTimeout) is a definite "no".
  virtual Result<std::unique_ptr<Hold>> TryAcquire() = 0;

  /// Waits for a grant until `deadline` on the Runtime's clock; kNever waits without one.
  virtual Result<std::unique_ptr<Hold>> AcquireUntil(MonotonicTime deadline) = 0;

  /// Of a latch: counts down for `party`, once however often it is said, by whichever client. kOk
  /// also if it had counted before. Only called if Traits say `latch`.
  virtual Status CountDown(const std::string& /*party*/) {
    return Status(StatusCode::kInvalidArgument, "nothing is counted down");
  }

  /// The same as a reader, which other readers do not keep out. Only called if Traits say `shared`.
  virtual Result<std::unique_ptr<Hold>> TryAcquireShared() {
    return Status(StatusCode::kInvalidArgument, "there are no readers");
  }
  virtual Result<std::unique_ptr<Hold>> AcquireSharedUntil(MonotonicTime /*deadline*/) {
    return Status(StatusCode::kInvalidArgument, "there are no readers");
  }
};

/// A lock under test. Immutable.
class Subject {
 public:
  virtual ~Subject() = default;

  /// Unique, lower case: "acme.job-lock".
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual Traits traits() const { return {}; }

  /// What the lock says of itself, for `guarantees`; nothing by default.
  virtual std::vector<Promise> Promises() const { return {}; }

  virtual std::unique_ptr<Lock> NewLock(Environment& environment,
                                        const LockOptions& options) const = 0;

  /// The live ownership entries of the resource, each with the token that Hold::owner_token() shows
  /// (a lock without owner tokens gives entries with an empty one). nullopt: this lock's ownership
  /// cannot be read from the server, and server-level exclusion is then not judged.
  virtual std::optional<std::vector<Owner>> Owners(const ServerView& server,
                                                   const LockOptions& options) const = 0;

  /// The keys that may outlive a hold. Any other key of the lock is an ownership key.
  virtual std::vector<AuxiliaryKey> AuxiliaryKeys(const LockOptions& /*options*/) const {
    return {};
  }

  /// How long a free resource may stay ungranted while a live, connected client waits, at worst (a
  /// wake-up was lost). The default is one lease: a waiter that looks again at the holder's TTL.
  virtual std::chrono::milliseconds WakeUpBound(const LockOptions& options) const {
    return options.lease;
  }

  /// The same where nothing has gone wrong in the whole run, so that no wake-up can be lost, and
  /// without the time that messages take: how soon a waiter is told, or looks. nullopt: no sooner.
  virtual std::optional<std::chrono::milliseconds> HandOverBound(
      const LockOptions& /*options*/) const {
    return std::nullopt;
  }

  /// How long after its deadline AcquireUntil may return, and how long TryAcquire takes, at worst:
  /// a reply is lost, and the lock waits out its socket time-out. A client that met no fault has
  /// nothing to wait out: for it a bound of 5 s (the default) or more counts as 500 ms and a
  /// quarter of the lease.
  virtual std::chrono::milliseconds OverrunBound(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(5000);
  }

  /// How many commands one request may send in the time of one lease while nobody is granted
  /// anything, at most: beyond it is a retry storm (LK015). The default lets a waiter look four
  /// times each millisecond.
  virtual std::int64_t CommandsPerLease(const LockOptions& options) const {
    return 200 + 4 * options.lease.count();
  }

  /// What the lock takes off each lease for clocks that run at other rates. Those of clients may be
  /// 0.25 % off in any scenario with faults of clocks, whatever this says: a holder that believes
  /// in all of its lease is convicted there.
  virtual std::chrono::milliseconds DriftAllowance(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(0);
  }
};

}  // namespace interlock::harness
