// SPDX-License-Identifier: MIT
//
// MultiMutex: several resources at once, all or none.
//
//   auto both = MultiMutex::Create(client, {"account:17", "account:4"});
//   if (!both.ok()) return both.status();
//   if (Result<MultiLease> held = both->AcquireFor(std::chrono::seconds(5)); held.ok()) Transfer();
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged: for each resource what Mutex
// guarantees (and a Mutex of the same prefix and name is excluded, too), and
//   - all or none: a failure other than kUnknownOutcome and kProtocolError means that none is
//     held;
//   - no deadlock among programs that take several resources through MultiMutex alone: all of them
//     take resources in the order of their names, whatever order they were given in;
//   - what was taken first is kept alive while the rest is waited for, and was alive on this
//     client's clock when the last was granted.
// Not guaranteed:
//   - freedom from deadlock together with locks that a program takes one by one in another order:
//     each then waits until its deadline, or the lease of the other ends;
//   - first come, first served, pauses, replicas, lost writes: as for Mutex (see mutex.h).
//
// Cost: n resources cost n times what Mutex costs, one after the other, and one Extend for each
// that has waited for others longer than half of its lease. Keys: as for Mutex. In a cluster each
// resource has a slot of its own.
//
// Thread safety: a MultiMutex may be used from any number of tasks, a MultiLease by one at a time,
// except the Event that its lost() returns.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <interlock/client.h>
#include <interlock/lease.h>
#include <interlock/lockable.h>
#include <interlock/mutex.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock {

inline constexpr std::size_t kMostResourcesAtOnce = 64;

/// The leases of all resources of a MultiMutex. Releases them when it is destroyed. They are not
/// handed over to another process.
class [[nodiscard]] MultiLease {
 public:
  /// For MultiMutex. `leases` stand in the order of the resources' names.
  explicit MultiLease(std::vector<Lease> leases) : leases_(std::move(leases)) {}

  /// In the order of the resources' names; each has a fencing token of its own. Empty once moved
  /// from.
  const std::vector<Lease>& leases() const { return leases_; }

  /// True while the holder may believe that it holds every resource. Asks the clock alone.
  bool valid() const;
  /// The earliest end of a lease; the Runtime clock's least value if there is none.
  MonotonicTime valid_until() const;

  /// Extends every lease, see Lease::Extend; the one that ends first goes first, so the call
  /// returns before valid_until(). Not ok: the first failure; those that end later are as they
  /// were.
  Status Extend();

  /// Keeps every lease alive, see Lease::KeepAlive. kOk: all of them were valid at its end. Not ok:
  /// the first failure; the others go on.
  Status KeepAlive(AnyDuration max_hold);

  /// Set when any of the leases is lost, see Lease::lost; the others stay held until they are
  /// released. Set() ends the belief in all of them. REQUIRES: not moved from.
  Event& lost();

  /// Calls `callback` once, when the first of the leases is lost, see Lease::OnLost.
  void OnLost(std::function<void()> callback);

  /// Releases every lease, the last taken first, see Lease::Release. Not ok: kUnknownOutcome or
  /// kUnavailable if one may still be held, else the first failure.
  Status Release() noexcept;

  /// See Lease::Forget.
  void Forget() noexcept;

 private:
  std::vector<Lease> leases_;
  std::shared_ptr<Event> lost_;  ///< null: nobody has asked for it
};

/// For Inspect() and ForceRelease() use a Mutex of the same prefix and one of the names.
class MultiMutex {
 public:
  MultiMutex(const MultiMutex&) = default;  // see LeaseSource for moving
  MultiMutex& operator=(const MultiMutex&) = default;

  /// Sends nothing. kInvalidArgument: none or more than kMostResourcesAtOnce names, one that is not
  /// valid (see ValidateName) or is given twice, `options`, or the client's options.
  static Result<MultiMutex> Create(Client& client, std::vector<std::string> names,
                                   MutexOptions options = {});

  /// As the members of LeaseSource of these names, for all resources together, but bounded by this
  /// overrun_bound() instead of the client's. kStopped: what was taken before the stop has been
  /// given back.
  Result<MultiLease> TryAcquire();
  Result<MultiLease> AcquireFor(AnyDuration timeout, std::stop_token stop = {});
  Result<MultiLease> AcquireUntil(MonotonicTime deadline, std::stop_token stop = {});
  Result<MultiLease> Acquire(std::stop_token stop = {});

  /// The longest that a wait may return after its deadline, or after it was requested to stop:
  /// Client::overrun_bound(), and for each resource, one after the other, a last extension and a
  /// release that meet a server that does not answer.
  Duration overrun_bound() const { return overrun_bound_; }

 private:
  MultiMutex(Client& client, std::vector<Mutex> mutexes, Duration lease);

  /// Acquires one after the other. kLeaseLost: one was over before all were held; nothing is held.
  Result<MultiLease> AcquireAll(MonotonicTime deadline, const std::stop_token& stop);
  Result<Lease> AcquireNext(Mutex& next, std::vector<Lease>& held, MonotonicTime deadline,
                            const std::stop_token& stop);

  Runtime* runtime_;
  std::vector<Mutex> mutexes_;  ///< by name
  Duration lease_;
  Duration overrun_bound_;
};

/// See lockable.h.
using MultiLockable = BasicLockable<MultiMutex, MultiLease>;

}  // namespace interlock
