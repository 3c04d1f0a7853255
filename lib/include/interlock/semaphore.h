// SPDX-License-Identifier: MIT
//
// Semaphore: a number of permits for a named resource, each with a lease of its own.
//
//   Result<Semaphore> slots = Semaphore::Create(client, "gpu", {.limit = 4});
//   if (!slots.ok()) return slots.status();
//   if (Result<Lease> slot = slots->AcquireFor(std::chrono::seconds(5)); slot.ok()) Render();
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged:
//   - at most as many valid permits at any moment as the limit in the server says, which only
//     SetLimit changes: a client with another one in its options is told so and gets no permit;
//   - a permit ends with its own lease by the server's clock, whatever the leases of others are; a
//     crash loses none;
//   - waiters sleep in Redis, and each release wakes one;
//   - a Mutex or ReentrantMutex of the same prefix and name is refused while a permit is out, and a
//     permit while one of them is held: kProtocolError, in words.
// Not guaranteed:
//   - first come, first served: a newcomer may take the permit between wake-up and entry;
//   - the limit outlives kFenceTtl without any grant: then the next client's comes into force;
//   - replicas, cluster failover, lost writes, pauses of the process: as for Mutex (see mutex.h).
//
// Cost: an acquire that is granted and a Release one round trip each; waiting as for Mutex. Keys,
// all with a TTL, P = key_prefix: `P{name}` (permits; at most the longest lease),
// `P{name}:limit` (kFenceTtl), `P{name}:signal` (at most `limit` elements, one lease),
// `P{name}:fence` (kFenceTtl) and, only after lost replies, `P{name}:cancelled:<token>` (the longer
// of lease and kCancelledTtl).
//
// Thread safety: as LeaseSource. Each grant is a permit of its own.
#pragma once

#include <memory>
#include <string>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>

namespace interlock {

namespace internal {
class PermitScripts;
}

/// Every form of acquiring may also fail with kInvalidArgument: the limit in force differs from
/// that of the options, or none is in force and the options give none.
class Semaphore : public LeaseSource {
 public:
  Semaphore(const Semaphore&) = default;  // see LeaseSource for moving
  Semaphore& operator=(const Semaphore&) = default;

  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<Semaphore> Create(Client& client, std::string name, SemaphoreOptions options = {});

  /// Puts `limit` ([1, 65536]) in force, whatever was, and wakes the waiters that it lets in, 1000
  /// of them at most (the others look when a permit comes back or a lease ends). One round trip.
  /// Holders keep their permits, so a lower limit takes effect as permits come back. Clients whose
  /// options give another limit are refused from now on, this one included: give nullopt to follow.
  /// kUnavailable: nothing changed. kUnknownOutcome: it may be in force; call again.
  Status SetLimit(int limit);

  struct Count {
    int limit = 0;  ///< in force; 0: none is
    int out = 0;    ///< permits whose lease is not over
  };
  /// The server's state, for operators: it may change at any moment. One round trip.
  Result<Count> Counts();

 private:
  Semaphore(std::string name, std::shared_ptr<internal::LeaseGranter> granter,
            internal::ClientCore& client, std::shared_ptr<const internal::PermitScripts> scripts);

  internal::ClientCore* client_;
  std::shared_ptr<const internal::PermitScripts> scripts_;
};

}  // namespace interlock
