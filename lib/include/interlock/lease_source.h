// SPDX-License-Identifier: MIT
//
// LeaseSource: the ways to ask for a Lease, the same for every primitive that grants one.
//
//   Result<Lease> now = mutex.TryAcquire();
//   Result<Lease> soon = mutex.AcquireFor(std::chrono::seconds(5));
//
// Guarantee: a failure other than kUnknownOutcome is definite: nothing is held, and nothing of the
// request can take effect later. Not guaranteed: anything about who holds at the same time; that is
// what each primitive's header says.
//
// Cost: as the primitive's header says.
// Thread safety: all members may be called from any number of tasks; each grant is one Lease. The
// Client must outlive the source; a Lease may outlive its source.
#pragma once

#include <memory>
#include <string>
#include <string_view>

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
  /// Waits until `deadline`; kNever: for ever. kTimeout is definite.
  virtual Result<Grant> AcquireUntil(MonotonicTime deadline) = 0;
};

}  // namespace internal

class LeaseSource {
 public:
  /// One try; never waits for another holder. kNotAcquired: not to be had now. kUnavailable:
  /// definitely not acquired, the server could not be asked. kUnknownOutcome: the reply was lost
  /// and the clean-up could not be confirmed: nothing is held by the caller, but the resource may
  /// stay taken for up to one lease.
  Result<Lease> TryAcquire();

  /// Waits for a grant for `timeout`, or until `deadline` on the Runtime's clock; always tries at
  /// least once. Lost connections are re-made meanwhile. kTimeout: definitely not acquired in time.
  /// kUnknownOutcome as above. Returns at most Client::overrun_bound() late.
  Result<Lease> AcquireFor(Duration timeout);
  Result<Lease> AcquireUntil(MonotonicTime deadline);

  /// Waits for ever, over any outage. Fails only with kCancelled, kInvalidArgument (credentials) or
  /// kProtocolError (the key is of another type, ...).
  Result<Lease> Acquire();

  /// Takes over a lease of this resource that another process gave up with Lease::HandOver, with
  /// the same owner and fencing token. Clocks of two processes say nothing of each other, so it is
  /// extended to its full length from now: one round trip. Taken twice, both hold; give the text to
  /// one. kNotOwner: it is over, or of another resource. kInvalidArgument: no such text, a damaged
  /// one, or of a later version of the library; nothing was sent. kUnavailable: not extended.
  /// kUnknownOutcome: maybe extended. After both it may be tried again while the lease lasts.
  Result<Lease> Adopt(std::string_view handed_over);

  /// Of the resource, as it was given.
  const std::string& name() const { return name_; }

 protected:
  LeaseSource(std::string name, std::shared_ptr<internal::LeaseGranter> granter);

 private:
  std::string name_;
  std::shared_ptr<internal::LeaseGranter> granter_;
};

}  // namespace interlock
