// SPDX-License-Identifier: MIT
//
// Mutex: at most one holder of a named resource at a time, on one Redis.
//
//   Result<Mutex> mutex = Mutex::Create(client, "invoice:17", {.lease = std::chrono::seconds(10)});
//   if (!mutex.ok()) return mutex.status();                       // an option was out of range
//   if (Result<Lease> lease = mutex->TryAcquire(); lease.ok()) {
//     Write(lease->fencing_token(), ...);
//   }                                                             // released here
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged:
//   - at most one valid Lease per resource at any moment, while clock rates differ by less than the
//     drift allowance; a crashed holder keeps others out for at most one lease and lock_delay;
//   - only the holder's own token releases or extends; an acquire whose reply was lost is undone,
//     and cannot take effect later (within kCancelledTtl), before its failure is reported as
//     definite;
//   - a waiter is woken by the release, without polling, and looks again by itself when the lease
//     that it waits for is over, so no lost wake-up costs more than that;
//   - with MutexOptions::lock_delay: after a lease that ended without a release nobody is granted
//     the resource for that long, so what its holder had sent within its validity, and what arrives
//     no later than that, arrives before the next one begins.
// Not guaranteed:
//   - first come, first served: a newcomer may overtake a woken waiter;
//   - that the holder's code has stopped when its lease is over (see lease.h): use fencing tokens;
//   - with lock_delay, anything after a release, which frees at once, even late: a holder that does
//     not know whether all that it sent has arrived should call Lease::Forget() instead;
//   - Redis with replicas: a failover can lose the last grants, and two clients then hold at once.
//     The same after a restart that lost writes, an eviction, FLUSHALL, or a step of the server's
//     clock. If the last fencing token is lost too, the next ones may repeat or fall short of it;
//   - Redis Cluster: as with replicas, when a shard fails over. While its slot is moved key by key,
//     a resource cannot be acquired, extended or released (see cluster_connector.h). If the slot
//     moves at once (Valkey 9), these calls wait for it, within their limits; but a target that
//     claims it after the source's pause has run out takes back what was acknowledged since.
//     All keys of a resource share a slot.
//
// Cost: TryAcquire, Release, Extend one round trip each. A contended acquire: one try, one BLPOP on
// a connection of its own, one try per wake-up. Keys, all with a TTL, P = key_prefix: `P{name}`
// (the owner, one lease and lock_delay), `P{name}:fence` (kFenceTtl), `P{name}:signal` (one
// element, one lease) and, only after lost replies, `P{name}:cancelled:<token>` (the longer of
// lease and kCancelledTtl).
//
// All of this with MutexOptions::fencing, which is on; its comment says what does not hold without.
//
// Thread safety: as LeaseSource.
#pragma once

#include <string>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>

namespace interlock {

class Mutex : public LeaseSource {
 public:
  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<Mutex> Create(Client& client, std::string name, MutexOptions options = {});

 private:
  using LeaseSource::LeaseSource;
};

}  // namespace interlock
