// SPDX-License-Identifier: MIT
//
// FairMutex: a Mutex whose waiters get in in the order in which they came.
//
//   Result<FairMutex> mutex = FairMutex::Create(client, "press");
//   if (!mutex.ok()) return mutex.status();
//   if (Result<Lease> lease = mutex->AcquireFor(std::chrono::minutes(1)); lease.ok()) Print();
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged: what Mutex guarantees, and
//   - first come, first served, by the order in which the server executed the first command of each
//     waiter. A release hands the resource over to the first in line in the same instant, with a
//     fresh lease, and wakes just that one; a try never overtakes anybody;
//   - a waiter that loses its connection keeps its place if it is back within `grace`;
//   - a waiter that has died is passed over: at once if it ought to have been heard of already, and
//     otherwise when the next waiter has looked, at most min(lease, retry.max_wait) + grace after
//     its turn came. Each further one that died as recently costs another grace.
// Not guaranteed:
//   - that a waiter is passed over if Redis has not noticed its death when its turn comes (its
//     machine went down without a word, or a request of it is still on its way): it counts as a
//     holder that has died, and keeps others out until its lease is over;
//   - the place of a waiter that was paused or cut off for longer than `grace`: it goes to the end;
//   - the order of waiters that a failover, or a restart without its data, has made forgotten;
//   - pauses, replicas, lost writes, clocks: as for Mutex (see mutex.h).
//
// Cost: TryAcquire, Release, Extend one round trip each. A contended acquire: one command to stand
// in line, one BLPOP on a connection of its own, whose answer is the grant; one command more if
// that came so late that less than half of the lease may be left, and one per look. Giving up
// waiting: one. Keys, all with a TTL, P = key_prefix: `P{name}` (the owner's token and fencing
// token, and the token of the owner that handed over; one lease), `P{name}:queue` and
// `P{name}:wait:<token>` (the waiters, each with its grant to come; at most the longest lease or
// retry.max_wait, and grace), `P{name}:turn:<token>` (a grant to be fetched; one lease),
// `P{name}:fence` (kFenceTtl), `P{name}:cancelled:<token>` (one per waiter that gave up or lost a
// reply; the longer of lease and kCancelledTtl). In a cluster all share a slot; those of waiters
// are named by the script, not by its caller. A fencing token is drawn when its owner gets into the
// line.
//
// Thread safety: as LeaseSource.
#pragma once

#include <string>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>

namespace interlock {

class FairMutex : public LeaseSource {
 public:
  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<FairMutex> Create(Client& client, std::string name, FairMutexOptions options = {});

 private:
  using LeaseSource::LeaseSource;
};

}  // namespace interlock
