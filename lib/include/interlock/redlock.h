// SPDX-License-Identifier: MIT
//
// Redlock: at most one holder of a named resource at a time, by the votes of n independent Redis
// masters (n >= 3): it is held while more than half of them, a quorum, have it as the owner. It
// goes on while fewer than half are away, where a Mutex waits for its one server.
//
//   std::vector<Client*> nodes = {&a, &b, &c};                 // one Client for each master
//   Result<Redlock> lock = Redlock::Create(nodes, "invoice:17", {.lease = seconds(10)});
//   if (!lock.ok()) return lock.status();
//   Result<Lease> lease = lock->AcquireFor(seconds(2));
//   if (lease.ok()) Write(lease->fencing_token(), ...);
//
// Guarantee, on independent masters (no replicas) a quorum of which keep what they acknowledged:
//   - at most one valid Lease per resource at any moment, while all clocks' rates differ by less
//     than the drift allowance; validity is counted from before the first request was sent. Two
//     quorums share a node, and that node has one owner;
//   - a crashed holder keeps others out for at most one lease; only the own token releases or
//     extends; an extension that too few nodes confirm changes no belief, and shortens or creates
//     no lease anywhere;
//   - a try without a quorum is undone, and barred where it may still be under way, before its
//     failure is reported. Nodes that cannot be told, if they are fewer than a quorum, keep what
//     they granted until the lease is over: it is no grant, but takes their votes from others for
//     that time. If they may be a quorum, the outcome is kUnknownOutcome;
//   - Release goes to all nodes, also to those that seemed to fail when it was acquired; one that
//     only hung then has been told right away, after its unanswered request, to give up its vote. A
//     node that the bounded tries do not reach keeps its vote until the lease is over: kOk says
//     that a quorum has released it, so that others can have it;
//   - fencing tokens grow with every grant, though quorums differ: the highest of the granting
//     nodes' counters, which a quorum that still grants has taken over before the grant is told.
// Not guaranteed:
//   - a node that restarts empty, or is flushed, has forgotten its vote: with it another client can
//     have a quorum too. Let it sync every write (appendonly, appendfsync always), or keep it away
//     for one lease. The fencing tokens survive if the counter does, on one node of every quorum;
//   - a node's clock that jumps ends leases early: two may hold. A client's clock that stands still
//     or runs slower than the allowance makes it believe too long;
//   - that the holder's code has stopped when its lease is over (see lease.h): use fencing tokens;
//   - first come, first served; that a resource which everybody wants is ever granted to one whose
//     tries always collide: pauses are random and grow, so that it becomes ever less likely;
//   - nodes with replicas: a failover forgets votes, as an empty restart does.
//
// Cost: TryAcquire and Release one round each, TryAcquire a second one for the fencing token; a
// round is a round trip to the slowest node, node_timeout while one hangs, and n commands. A try
// without a quorum costs one more to undo it; each further one for nodes that do not answer. A
// waiter polls: a try and its undoing after every pause, 2n commands each 125 to 250 ms by default.
// Connections to several nodes are made at the same time, on tasks of their own. Keys, all with a
// TTL, on every node, P = key_prefix: `P{name}` (the owner, one lease), `P{name}:fence`
// (kFenceTtl), `P{name}:signal` (one element, one lease, unused) and, only after lost replies,
// `P{name}:cancelled:<token>` (the longer of lease and kCancelledTtl).
//
// Thread safety: as LeaseSource. All its Clients must outlive it and its leases.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

class Redlock : public LeaseSource {
 public:
  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, fewer than 3 nodes, a
  /// null one, one that stands there twice (the same Client, or the same endpoint), nodes of
  /// different Runtimes, or the options of a node's Client. An even number of nodes tolerates no
  /// more failures than the odd one below it.
  static Result<Redlock> Create(const std::vector<Client*>& nodes, std::string name,
                                RedlockOptions options = {});

  /// The longest that AcquireFor and AcquireUntil may return after their deadline: a round for each
  /// leftover of earlier tries, a last try, its fencing token, and its undoing, cleanup_attempts
  /// times (the most of the nodes' clients), each of node_timeout; and pauses in between. It takes
  /// the place of Client::overrun_bound() in what LeaseSource says.
  Duration overrun_bound() const { return overrun_bound_; }

 private:
  Redlock(std::string name, std::shared_ptr<internal::LeaseGranter> granter, Duration overrun)
      : LeaseSource(std::move(name), std::move(granter)), overrun_bound_(overrun) {}

  Duration overrun_bound_;
};

}  // namespace interlock
