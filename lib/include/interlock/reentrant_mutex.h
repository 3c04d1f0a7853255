// SPDX-License-Identifier: MIT
//
// ReentrantMutex: a Mutex that its owner may acquire again. The owner is an explicit handle, an
// Owner, which a program passes down to whatever acts on its behalf: threads, tasks and coroutines
// come and go, and say nothing about who owns a lock.
//
//   Result<ReentrantMutex> mutex = ReentrantMutex::Create(client, "ledger");
//   if (!mutex.ok()) return mutex.status();
//   ReentrantMutex::Owner me = mutex->NewOwner();
//   Result<Lease> outer = me.AcquireFor(std::chrono::seconds(5));
//   Result<Lease> inner = me.TryAcquire();       // at once, and with the same fencing token
//
// Guarantee, on one stand-alone Redis that keeps what it acknowledged: what Mutex guarantees, by
// owner instead of by lease, and
//   - each lease of an owner is a hold of its own, released once by its own token: releasing one
//     twice gives nothing back that another has, and the resource is free when the last is
//     released;
//   - all holds of an owner carry the fencing token of the first.
// Not guaranteed:
//   - a lease for each hold: they share one. Acquiring or extending any makes it whole again, for
//     all; when it is over, it is over for all;
//   - first come, first served, pauses, replicas: as for Mutex (see mutex.h);
//   - a change of owner by adoption: a hold that is handed over stays its owner's. Adopted through
//     another Owner it can be extended and released, but not acquired again; see OwnerOf;
//   - a server that loses writes may bring back a hold that was given back while others of the
//     owner are still held: then the resource stays taken until the lease is over.
//
// Cost: as for Mutex. Keys, all with a TTL, P = key_prefix: `P{name}` (the owner and its holds, one
// lease), `P{name}:fence`, `P{name}:signal`, `P{name}:cancelled:<token>` as for Mutex.
//
// Thread safety: a ReentrantMutex and its Owners may be used from any number of tasks; the holds of
// tasks that share an Owner do not exclude each other.
#pragma once

#include <memory>
#include <string>

#include <interlock/client.h>
#include <interlock/lease_source.h>
#include <interlock/options.h>
#include <interlock/result.h>

namespace interlock {

class ReentrantMutex {
 public:
  ReentrantMutex(const ReentrantMutex&) = default;  // see LeaseSource for moving
  ReentrantMutex& operator=(const ReentrantMutex&) = default;

  /// A possible owner of the resource. Each successful acquire gives it one more hold.
  class Owner : public LeaseSource {
   public:
    Owner(const Owner&) = default;
    Owner& operator=(const Owner&) = default;

    /// 128 random bits in hexadecimal, unless it was given. Anybody that knows it can act as this
    /// owner.
    const std::string& id() const { return id_; }

   private:
    friend class ReentrantMutex;
    Owner(std::string name, std::shared_ptr<internal::LeaseGranter> granter, std::string id);
    std::string id_;
  };

  /// Sends nothing. kInvalidArgument: `name` (see ValidateName), `options`, or the client's
  /// options.
  static Result<ReentrantMutex> Create(Client& client, std::string name,
                                       ReentrantMutexOptions options = {});

  /// An owner distinct from all others. Sends nothing.
  Owner NewOwner();

  /// The owner with this id, which another process has handed over, for instance. Sends nothing.
  /// kInvalidArgument: not 1 to 128 bytes long.
  Result<Owner> OwnerOf(std::string id);

  /// For operators, which are no owners: as LeaseSource::Inspect, and as LeaseSource::ForceRelease
  /// for one hold. Each hold is a holder; the resource is free when the last is released.
  Result<Inspection> Inspect();
  Status ForceRelease(const Holder& holder);

  const std::string& name() const { return name_; }

 private:
  ReentrantMutex(Client& client, std::string name, ReentrantMutexOptions options);
  Owner MakeOwner(std::string id);
  /// An owner that can inspect, but not acquire.
  Owner Nobody() { return MakeOwner({}); }

  Client* client_;
  std::string name_;
  ReentrantMutexOptions options_;
};

}  // namespace interlock
