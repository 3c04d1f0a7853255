// SPDX-License-Identifier: MIT
//
// The time limits that a lock keeps, in milliseconds of virtual time: how soon a waiter is told,
// how long a lease is kept alive, how long a refusal stands. The oracles hold the lock to them. The
// defaults suit a lock that promises nothing of the kind.
//
// Thread safety: as harness::Subject, which derives from it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <interlock/harness/lock_options.h>

namespace interlock::harness {

class Bounds {
 public:
  virtual ~Bounds() = default;

  /// How long a free resource may stay ungranted while a live, connected client waits, at worst (a
  /// wake-up was lost). The default is one lease: it suits a waiter that looks again at the
  /// holder's TTL.
  virtual std::chrono::milliseconds WakeUpBound(const LockOptions& options) const {
    return options.lease;
  }

  /// The same where nothing has gone wrong in the whole run, so that no wake-up can be lost, and
  /// without the time that messages take: how soon a waiter is told, or looks. nullopt: no sooner.
  virtual std::optional<std::chrono::milliseconds> HandOverBound(
      const LockOptions& /*options*/) const {
    return std::nullopt;
  }

  /// The longest that a client that had died when it was handed the lock may keep others out,
  /// unless a server has served a command of it since. nullopt: for as long as a lease lasts.
  virtual std::optional<std::chrono::milliseconds> PassedOverBound(
      const LockOptions& /*options*/) const {
    return std::nullopt;
  }

  /// How long after its deadline AcquireUntil may return, and how long TryAcquire takes, at worst:
  /// a reply is lost, and the lock waits out its socket time-out. A client that met no fault has
  /// nothing to wait out: its bound, if it is 5 s (the default) or more, counts as 500 ms and a
  /// quarter of the lease.
  virtual std::chrono::milliseconds OverrunBound(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(5000);
  }

  /// How soon a wait ends once it is requested to stop, without the time that messages take, if no
  /// fault has met its client. The default lets nobody sleep on.
  virtual std::chrono::milliseconds StopBound(const LockOptions& options) const {
    return options.lease / 16 + std::chrono::milliseconds(2);
  }

  /// How many commands one request, release or extension may send at most within the time of one
  /// lease while nobody is granted anything: beyond that is a retry storm (LK015). The default lets
  /// a waiter look four times each millisecond.
  virtual std::int64_t CommandsPerLease(const LockOptions& options) const {
    return 200 + 4 * options.lease.count();
  }

  /// How long, at least, a request that was answered with a definite "no" stays refused, counted
  /// from when it was made: what is still on its way by then makes no ownership entry, and none is
  /// left. The same holds for what was granted and has been given back, unless a fault has met its
  /// client during the release. A server that is restarted or replaced, loses data, or whose clock
  /// is set, forgets; locks over a quorum are not judged by this. The default excuses entries of
  /// requests that were held up, as the scenario `held-up` holds up each of a client's first
  /// messages, and of those that were on their way when their client's clock jumped: to a client
  /// that gives up by its own clock either is a request that comes late.
  virtual std::chrono::milliseconds BarredFor(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(0);
  }

  /// How long a lock may stay taken when its release has returned, at most, because it keeps a
  /// minimum: work that ends at once is not to be begun again elsewhere (ShedLock's
  /// lockAtLeastFor). Its ownership entry ends by its deadline then (LK005, LK011); until that,
  /// others wait and are refused. What was granted to a request that is told "no" is freed at once
  /// all the same. Where servers change or forget something, no release is held to this. The
  /// default frees all at once.
  virtual std::chrono::milliseconds StaysTakenFor(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(0);
  }

  /// If Traits say `renews`: how long after its grant a lease is prolonged, at least, while its
  /// holder lives and has not released it. A fault that has met its client excuses a lease that ran
  /// out, unless the client could speak for more than five eighths of a lease before that and sent
  /// nothing (LK014); after a lost answer that time begins OverrunBound later.
  virtual std::chrono::milliseconds KeptAliveFor(const LockOptions& options) const {
    return 2 * options.lease;
  }

  /// If Traits say `renews`: how long after its grant a lease is prolonged, at most, unless its
  /// holder extends it. nullopt: for as long as it is held, or counted from another moment.
  virtual std::optional<std::chrono::milliseconds> KeptAliveAtMost(
      const LockOptions& /*options*/) const {
    return std::nullopt;
  }

  /// The longest that an ownership entry may have left to live: an Extend may ask for more than a
  /// lease.
  virtual std::chrono::milliseconds LongestLease(const LockOptions& options) const {
    return options.lease;
  }

  /// What the lock takes off each lease for clocks that run at other rates. In any scenario with
  /// clock faults the clocks of clients may be 0.25 % off, whatever this says: a holder that
  /// believes in all of its lease is convicted there.
  virtual std::chrono::milliseconds DriftAllowance(const LockOptions& /*options*/) const {
    return std::chrono::milliseconds(0);
  }
};

}  // namespace interlock::harness
