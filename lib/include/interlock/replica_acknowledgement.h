// SPDX-License-Identifier: MIT
//
// ReplicaAcknowledgement: a grant counts only once some replicas have it (WAIT), or only once it is
// on disk (WAITAOF).
//
//   Client client(runtime, **connector, {.acknowledged_by = {.replicas = 1}});
//   Client durable(runtime, **connector,
//                  {.acknowledged_by = {.on_disk = true, .timeout = std::chrono::seconds(2)}});
//
// Guarantee: after each grant and each extension the same connection asks how many replicas have
// received it. If fewer than `replicas` say so within `timeout`, the grant is given back, and a
// TryAcquire answers kUnavailable, while a call that waits tries again, from the end of the line if
// the lock has one; an extension answers kUnknownOutcome, because the master has it, and the lease
// is believed for no longer than before. With `on_disk` the question is whether the server has it
// in its append-only file on disk, and that many replicas in theirs: a restart of the server, even
// by a loss of power, then keeps every grant that was believed.
//
// Not guaranteed: that the grant survives a failover. It only becomes less likely to be lost: a
// replica that did not acknowledge may be promoted all the same, one that did may restart without
// what it had, and a master cut off may have its grants replaced. It makes no lock safe; fencing
// tokens or Redlock do. Nor, with `on_disk`, that it survives a broken disk, or a restart from a
// file that somebody has put in its place. Redlock and CountDownLatch do not ask.
//
// Not guaranteed on Valkey with appendfsync everysec: 8.1.1 and 9.1.2 answer WAITAOF as soon as a
// grant is written to the file, up to a second before it is on disk, and a loss of power takes it.
// With appendfsync always, and on Redis 8.0.6 with either, the answer is true.
//
// A server without an append-only file, or without WAITAOF (before Redis 7.2), acknowledges nothing
// on disk: every grant is given back, and the message says why.
//
// Cost: one round trip and the replication for each grant and extension, `timeout` at most; on disk
// up to 1.1 s with appendfsync everysec, so `timeout` has to be longer than that. A grant
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

  /// They, and the server itself, have to have it on disk.
  bool on_disk = false;

  /// How long to wait for them. Replicas nearby answer within a millisecond. It is a part of the
  /// lease, so keep it well below. [1 ms, 1 h]
  Duration timeout = std::chrono::milliseconds(100);

  /// Whether anything is asked at all.
  bool asked() const { return replicas > 0 || on_disk; }
};

}  // namespace interlock
