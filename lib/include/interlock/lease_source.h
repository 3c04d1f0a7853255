// SPDX-License-Identifier: MIT
//
// LeaseSource: the ways to ask for a Lease, the same for every primitive that grants one.
//
//   Result<Lease> now = mutex.TryAcquire();
//   Result<Lease> soon = mutex.AcquireFor(std::chrono::seconds(5));
//
// Guarantee: a failure other than kUnknownOutcome and kProtocolError is definite: nothing is held,
// and nothing of the request can take effect later. Not guaranteed: anything about other holders at
// the same time; see each primitive's header for that.
//
// Stopping: a wait ends early when its std::stop_token is requested to stop, by any task or thread;
// the request itself never blocks. kStopped: nothing is held, and the waiter has left its place in
// the server. Sleeps in the server and pauses end at once; what is under way then is not torn
// apart: a command is answered or given up in its time, a hint that may have been meant for this
// waiter is passed on by one last try, and what is unknown is cleaned up. So it takes some round
// trips if the server answers, and never longer than a deadline may be missed by, overrun_bound().
// A lease that was granted meanwhile is returned, since it is there: a stop is a request, not an
// answer. A token that was requested to stop before the call answers kStopped, and sends nothing.
//
// Cost: as the primitive's header says; a stop token adds no round trip until it is requested to
// stop. Then the sleeper's connection is closed, and one try made on another.
// Thread safety: all members may be called from any number of tasks; each grant is one Lease. The
// Client must outlive the source; a Lease may outlive its source.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <interlock/inspection.h>
#include <interlock/lease.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

namespace internal {

/// What a LeaseSource needs of its lock; also the backend of the leases that it grants.
class LeaseGranter : public LeaseBackend {
 public:
  /// One try. kNotAcquired is definite.
  virtual Result<Grant> Try() = 0;
  /// Waits until `deadline`; kNever: for ever; or until `stop` is requested. kTimeout and kStopped
  /// are definite.
  virtual Result<Grant> AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) = 0;
  virtual Result<Inspection> Inspect() = 0;
};

}  // namespace internal

class LeaseSource {
 public:
  /// One try; never waits for another holder. kNotAcquired: somebody else holds it. kUnavailable:
  /// definitely not acquired, the server could not be asked. kUnknownOutcome: the reply was lost
  /// and the clean-up could not be confirmed: nothing is held by the caller, but the resource may
  /// stay taken for up to one lease. kProtocolError: the same, for answers that make no sense.
  Result<Lease> TryAcquire();

  /// Waits for a grant for `timeout`, or until `deadline` on the Runtime's clock; always tries at
  /// least once. Lost connections are re-made meanwhile. kTimeout: definitely not acquired in time.
  /// kUnknownOutcome as above. Returns at most Client::overrun_bound() late; on a server that
  /// answers, by one round of its timer, 1/hz (100 ms by default): that is how often an idle Redis
  /// looks at the time-outs of BLPOP. For `stop` see below.
  Result<Lease> AcquireFor(AnyDuration timeout, std::stop_token stop = {});
  Result<Lease> AcquireUntil(MonotonicTime deadline, std::stop_token stop = {});

  /// Waits for ever, over any outage. Fails only with kCancelled, kInvalidArgument (credentials),
  /// kProtocolError (the key is of another type, ...), or because of `stop`.
  Result<Lease> Acquire(std::stop_token stop = {});

  /// Takes over a lease of this resource that another process gave up with Lease::HandOver, with
  /// the same owner and fencing token. The clocks of two processes cannot be compared, so it is
  /// extended to its full length from now: one round trip. Taken twice, both hold; give the text to
  /// one. kNotOwner: it is over, or of another resource. kInvalidArgument: the text is malformed,
  /// damaged, or from a later version of the library; nothing was sent. kUnavailable: not extended.
  /// kUnknownOutcome: maybe extended. After both it may be tried again while the lease lasts.
  Result<Lease> Adopt(std::string_view handed_over);

  /// The current holders. One round trip; kUnavailable, kUnknownOutcome: the server did not answer.
  Result<Inspection> Inspect();

  /// Takes the resource away from one holder, as a release by that holder would: the next waiter is
  /// woken. A holder that came after the inspection keeps it. The holder itself learns of it when
  /// it extends or releases, and goes on until then, so make sure that it is dead, or that fencing
  /// tokens keep it out. One round trip. kOk: released, now or before: a release leaves a trace, so
  /// that it may be repeated. kNotOwner: it was no holder any more; its lease was over, or others
  /// have come since. kUnavailable: not released. kUnknownOutcome: maybe released; may be tried
  /// again.
  Status ForceRelease(const Holder& holder);

  /// The resource's name, as it was given.
  const std::string& name() const { return name_; }

 protected:
  LeaseSource(std::string name, std::shared_ptr<internal::LeaseGranter> granter);
  // Protected and not virtual: deleting a lock as its LeaseSource does not compile.
  ~LeaseSource() = default;
  // Moving copies, here and in all primitives, so that one that was moved from still works.
  LeaseSource(const LeaseSource&) = default;
  LeaseSource& operator=(const LeaseSource&) = default;

 private:
  std::string name_;
  std::shared_ptr<internal::LeaseGranter> granter_;
};

}  // namespace interlock
