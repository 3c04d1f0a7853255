// SPDX-License-Identifier: MIT
//
// Lease: one grant, held by the owner of this object. Ownership bounded in time.
//
//   Result<Lease> lease = mutex.AcquireFor(std::chrono::seconds(5));
//   if (!lease.ok()) return lease.status();
//   while (work_left && lease->valid()) Step(lease->fencing_token());
//   Status released = lease->Release();       // or let the destructor do it
//
// A piece of work that may outlast the lease keeps it alive, and is told if that fails:
//
//   lease->KeepAlive(std::chrono::minutes(10));                   // but no longer than that
//   while (work_left && !lease->lost().IsSet()) Step(lease->fencing_token());
//
// Guarantee: valid() turns false on this client's own clock no later than the server lets anybody
// else in, provided that the two clocks' rates differ by less than the drift allowance and the
// server keeps what it acknowledged. Only the owner token's holder can extend or release. Not
// guaranteed: that no code runs after the lease is over. A process may be paused between valid()
// and its next step, for any time; only a resource that refuses older fencing tokens is safe then.
//
// Cost: Extend, Release and each renewal one round trip; everything else is local. All leases of a
// Client that are kept alive share one task, and all that have an OnLost share another; without
// either there is none.
// Thread safety: a Lease belongs to one task at a time, but lost() may be used from any. It may
// outlive the lock object that granted it, but not the Client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock {

namespace internal {

class HeldLease;
class LeaseKeeper;

/// What the server granted, as one client knows it.
struct Grant {
  std::string token;
  std::uint64_t fencing_token = 0;
  MonotonicTime valid_until{};
  bool release_unknown = false;  ///< a release was sent whose outcome is not known
  bool stray = false;            ///< requests of it may still be on their way
  bool forced = false;           ///< somebody else gives it up, maybe before its owner knows of it
  /// For a lock over several nodes: the nodes that may yet execute the acquire, or have.
  std::vector<std::size_t> doubtful_nodes;
};

/// What a Lease needs of the lock that granted it.
class LeaseBackend {
 public:
  virtual ~LeaseBackend() = default;
  virtual Runtime& runtime() = 0;
  /// Belongs to the client, which outlives the backend.
  virtual LeaseKeeper& keeper() = 0;
  virtual Duration default_lease() const = 0;
  /// Its name in messages.
  virtual const std::string& resource() const = 0;
  /// The new end of validity; kNotOwner, kUnavailable, kUnknownOutcome, kInvalidArgument otherwise.
  /// Returns by the grant's valid_until. May be called by two tasks at once, and after Release.
  virtual Result<MonotonicTime> Extend(const Grant& grant, Duration lease) = 0;
  /// Remembers in `grant` what a later call has to know about this one.
  virtual Status Release(Grant& grant) = 0;
  /// Releases a grant that an Extend found lost. With one server nothing of it is left to release.
  virtual void ReleaseLost(Grant& /*grant*/) {}
  /// Whether another process may take its grants over.
  virtual bool may_be_handed_over() const { return true; }
};

}  // namespace internal

inline constexpr std::size_t kMaxHandedOverBytes = 160;

class [[nodiscard]] Lease {
 public:
  /// For the library's own primitives.
  Lease(std::shared_ptr<internal::LeaseBackend> backend, internal::Grant grant);

  /// A moved-from lease holds nothing: not valid, its fencing_token() is 0, Release answers
  /// kNotOwner and sends nothing.
  Lease(Lease&& other) noexcept;
  /// Releases what this lease held before.
  Lease& operator=(Lease&& other) noexcept;
  /// Releases. The outcome is reported to nobody; call Release() where it matters.
  ~Lease();

  /// The owner token: 128 random bits in hexadecimal, after "<label>@" if the client has one; used
  /// for this grant only.
  const std::string& token() const { return token_; }

  /// Grows strictly from grant to grant of one resource while its fencing counter lives (kFenceTtl
  /// since the last grant or release). If the counter was lost, it starts again at the server's
  /// clock in microseconds: it may then fail to be larger if that clock was set back, or if a
  /// failover lost the last grants and the clock of the new master lags.
  std::uint64_t fencing_token() const { return fencing_token_; }

  /// True while the holder may believe that it holds: not released, not known to be lost, and
  /// valid_until() not reached. Asks the clock, not the server.
  bool valid() const;

  /// The end of the belief on the Runtime's clock: time of sending + lease - drift allowance.
  MonotonicTime valid_until() const;

  /// Time until valid_until(); zero if not valid().
  Duration remaining() const;

  /// Prolongs the lease to its full length from now, or to `lease` from now ([1 ms, 24 h]). A lease
  /// is never shortened, and never re-created once it is gone. kLeaseLost: it was over on this
  /// client's clock, nothing was sent. kNotOwner: the server says that it is over; valid() is false
  /// from now on. kUnknownOutcome, kUnavailable: valid_until() is as before; try again. Returns by
  /// valid_until(): a holder must not sit out the end of its lease waiting for an answer.
  Status Extend();
  Status Extend(Duration lease);

  /// Makes the lease extend itself from now on, to its full length whenever a third of what was
  /// left has passed, until it is released or lost. The hold ends `max_hold` from now (if it does
  /// not last longer already): the limit for a job that hangs while its process lives. More than
  /// zero; Duration::max() is no limit. Another call sets another limit. A renewal that fails is
  /// tried again, after growing pauses, as long as the lease is valid; none takes time that another
  /// lease of the client needs for its own. kLeaseLost, kNotOwner: as Extend. Sends nothing itself.
  Status KeepAlive(AnyDuration max_hold);

  /// Set when the lease is lost: no later than valid_until() is reached on the Runtime's clock
  /// (waiters then wake by themselves, whatever the server and other tasks do), or earlier when the
  /// server has said that it is over. Once it is set, valid() stays false. A release is no loss and
  /// does not set it; a task that waits for it without a deadline can be woken by Set(), which also
  /// ends the holder's belief. May be used from any task as long as this lease, or the one that it
  /// was moved into, exists. REQUIRES: not moved from.
  Event& lost();

  /// True once the lease is lost, as lost() tells it: over on this client's clock, or the server
  /// has said so. False if a release, a Forget or a HandOver came first. Asks the clock alone.
  bool is_lost() const;

  /// Calls `callback` once when the lease is lost, soon after lost() is set; at once if it is. It
  /// runs on a task of the Client that does so for all its leases, one after the other, so it must
  /// not wait, call the server or throw (std::terminate), and it must not use this lease, not even
  /// to release it: those calls wait for its end. While one callback runs the next is late; code
  /// that needs to know in time waits for lost(). It never runs after Release, Forget, the
  /// destructor or an assignment has returned. Replaces a callback that was given before and has
  /// not run. REQUIRES: not moved from.
  void OnLost(std::function<void()> callback);

  /// Gives the resource back, and wakes a waiter. The belief ends at once, whatever the answer.
  /// Also sent when the lease is over on this client's clock, since the server may still keep it.
  /// kOk: released. kNotOwner: it was no longer held. kUnknownOutcome, kUnavailable: the server
  /// could not be asked in release_attempts tries, and keeps the resource for at most the rest of
  /// the lease; or an earlier try may have released, and others have been granted since. Calling it
  /// again after a definite answer sends nothing and answers the same; after an indefinite one it
  /// tries again.
  Status Release() noexcept;

  /// Ends the belief here, and returns a text with which another process can take the lease over
  /// (LeaseSource::Adopt): one line of ASCII, at most kMaxHandedOverBytes. Give it only to a
  /// process that may hold the lease: the text is as good as the lock. The lease runs on meanwhile,
  /// and nobody renews it. Sends nothing; otherwise like Forget. kLeaseLost, kNotOwner: as Extend.
  Result<std::string> HandOver();

  /// Drops the handle without contacting the server, which keeps the resource until the lease is
  /// over.
  void Forget() noexcept;

 private:
  friend class MultiLease;  // whose lost() is that of all its leases

  std::string token_;
  std::uint64_t fencing_token_ = 0;
  /// Shared with the tasks that keep it alive and tell of its loss; null after a move.
  std::shared_ptr<internal::HeldLease> held_;
};

}  // namespace interlock
