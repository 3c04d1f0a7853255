// SPDX-License-Identifier: MIT
//
// ReplicaAcknowledgement: a grant counts only once some replicas have it (Redis' WAIT).
//
//   Client client(runtime, **connector, {.acknowledged_by = {.replicas = 1}});
//
// Guarantee: after each grant and each extension the same connection asks how many replicas have
// received it. If fewer than `replicas` say so within `timeout`, the grant is given back, and a
// TryAcquire answers kUnavailable, while a call that waits tries again, from the end of the line if
// the lock has one; an extension answers kUnknownOutcome, because the master has it, and the lease
// is believed for no longer than before.
//
// Not guaranteed: that the grant survives a failover. It only becomes less likely to be lost: a
// replica that did not acknowledge may be promoted all the same, one that did may restart without
// what it had, and a master cut off may have its grants replaced. It makes no lock safe; fencing
// tokens or Redlock do. Redlock and CountDownLatch do not ask.
//
// Cost: one round trip and the replication for each grant and extension, `timeout` at most. A grant
// that FairMutex hands over costs a further round trip, because the new owner has to ask for it.
//
// Thread safety: plain data.
#pragma once

#include <chrono>

#include <interlock/time.h>

namespace interlock {

struct ReplicaAcknowledgement {
  /// How many replicas have to have it; 0: no replica is asked. [0, 1000]
  int replicas = 0;

  /// How long to wait for them. Replicas nearby answer within a millisecond. It is a part of the
  /// lease, so keep it well below. [1 ms, 1 h]
  Duration timeout = std::chrono::milliseconds(100);
};

}  // namespace interlock
