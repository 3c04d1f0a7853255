// SPDX-License-Identifier: MIT
//
// SharedMutex: any number of readers of a named resource at a time, or one writer, on one Redis.
//
//   Result<SharedMutex> prices = SharedMutex::Create(client, "prices");
//   if (!prices.ok()) return prices.status();
//   Result<Lease> reading = prices->reader().AcquireFor(std::chrono::seconds(5));
//   ...
//   Result<Lease> writing = prices->writer().AcquireFor(std::chrono::seconds(5));
//   if (writing.ok()) Store(writing->fencing_token(), ...);
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged:
//   - while a writer's Lease is valid no other Lease of the resource is, as long as clock rates
//     differ by less than the drift allowance. Each reader has a token and a lease of its own, so a
//     crashed holder of either kind keeps others out for at most one lease, and nobody's release or
//     extend touches another's;
//   - fencing tokens grow with every grant, a reader's too. A guarded resource should refuse a
//     write with a token below the highest that it has seen, and a read with one below the highest
//     that has written: readers come in any order among themselves;
//   - while a writer with prefer_writers (an option of its client) waits, new readers are refused.
//     A waiting writer that dies keeps them out for at most one lease of its own;
//   - waiters are woken by the release, without polling: a writer's wakes one writer and, one after
//     another, all readers; that of the reader whose lease lasts longest wakes one writer. Waiters
//     look again by themselves when the lease that they wait for is over.
// Not guaranteed:
//   - any order among writers, or between them and readers; with prefer_writers an unbroken row of
//     writers keeps readers out, without it overlapping readers keep writers out;
//   - nesting. A holder of a read lease that asks for another may have to wait for a writer that
//     waits for the first. There is no upgrade, see Upgrade();
//   - replicas, cluster failover, lost writes, pauses of the process: as for Mutex (see mutex.h).
//
// Cost: TryAcquire, Release, Extend one round trip each, for readers and writers. A contended
// acquire: one try, one BLPOP on a connection of its own, one try per wake-up; a preferred writer
// looks once in three quarters of a lease besides. Keys, all with a TTL, P = key_prefix: `P{name}`
// (the writer, one lease), `P{name}:readers` (at most the longest lease), `P{name}:waiting`
// (preferred writers that wait, one lease), `P{name}:fence` (kFenceTtl), `P{name}:signal:readers`
// and `P{name}:signal:writers` (one element each, one lease) and, only after lost or late replies,
// `P{name}:cancelled:<token>` (the longer of lease and kCancelledTtl).
//
// Thread safety: as LeaseSource.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>

namespace interlock {

namespace internal {
struct SharedKeys;
}

class SharedMutex {
 public:
  SharedMutex(const SharedMutex&) = default;  // see LeaseSource for moving
  SharedMutex& operator=(const SharedMutex&) = default;

  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<SharedMutex> Create(Client& client, std::string name,
                                    SharedMutexOptions options = {});

  /// Leases that exclude writers' only.
  LeaseSource& reader() { return reader_; }
  /// Leases that exclude all others.
  LeaseSource& writer() { return writer_; }

  /// Always kInvalidArgument, with the way out in the message; sends nothing. Two readers that both
  /// wait for the write lease, each keeping what it has, would wait for each other until a lease is
  /// over; and the one let through first would change what the other has read. Release the read
  /// lease, acquire the write lease, and read again. (writer() cannot tell who asks: with a read
  /// lease in hand TryAcquire is refused like anybody's, and waiting would be in vain for as long
  /// as that lease lasts.)
  Status Upgrade(const Lease& read) const;

  /// The holders of either kind: the writer first, readers with fencing token 0; and how many
  /// writers wait. As LeaseSource::Inspect otherwise. reader() and writer() each report their own
  /// kind alone.
  Result<Inspection> Inspect();

  /// As LeaseSource::ForceRelease, whichever kind of holder it is; a second round trip for a
  /// writer. reader() and writer() each release their own kind alone, and answer kNotOwner for the
  /// other.
  Status ForceRelease(const Holder& holder);

  /// The resource's name, as it was given.
  const std::string& name() const { return reader_.name(); }

 private:
  class Side : public LeaseSource {
   public:
    Side(std::string name, std::shared_ptr<internal::LeaseGranter> granter)
        : LeaseSource(std::move(name), std::move(granter)) {}
  };

  SharedMutex(Side reader, Side writer, internal::ClientCore& client,
              std::shared_ptr<const internal::SharedKeys> keys);

  Side reader_;
  Side writer_;
  internal::ClientCore* client_;
  std::shared_ptr<const internal::SharedKeys> keys_;
};

}  // namespace interlock
