// SPDX-License-Identifier: MIT
//
// What a lock or semaphore must look like to be judged: an adapter of some thirty lines.
//
//   class MyHold : public interlock::harness::Hold { ... };      // one grant
//   class MyLock : public interlock::harness::Lock { ... };      // one client's lock object
//   class MySubject : public interlock::harness::Subject { ... } // name, promises, factory
//
// The code under test reaches the world only through the Environment: its clock, its events and its
// connections. Code that reads a real clock, sleeps, or starts a thread is stopped by the escape
// tripwire, because no verdict about it would mean anything.
//
// Thread safety: each object is used by one task at a time, a Lock by several if its Traits say
// `concurrent`; a Subject is shared by concurrent runs and must be immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/harness/bounds.h>
#include <interlock/harness/explored.h>
#include <interlock/harness/hold.h>
#include <interlock/harness/lock_options.h>
#include <interlock/harness/promise.h>
#include <interlock/harness/server_view.h>
#include <interlock/harness/traits.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

namespace interlock::harness {

/// All that one client process can reach. Outlives every lock made for it.
struct Environment {
  Runtime& runtime;
  /// Leads to the primary, as if the client knew of each failover at once; with independent masters
  /// to the first. An existing connection stays when another server becomes the primary. Under
  /// Sentinels it asks them, as interlock::SentinelConnector does. In a Redis
  /// Cluster it leads to the node that serves the keys of each command, as
  /// interlock::ClusterConnector does: MOVED is followed there, and never seen.
  Connector& connector;
  /// One for each server, for a lock over several of them. A node of a cluster answers MOVED to
  /// commands for another's keys.
  std::vector<Connector*> nodes;
  /// The time of day on the client's machine, in milliseconds since 1970: for a lock that stamps
  /// what it writes with a time of its own. It is no server's clock: in simulation it begins with
  /// theirs, runs at the rate of the client's clock, and jumps with it (client-clock-jump). No
  /// fault sets it alone: a lock that takes its deadlines from it cannot be told from one that goes
  /// by the Runtime's clock. `interlock drive` has such a fault.
  std::function<std::int64_t()> wall_ms = {};
  /// For a lock that is a cluster client itself: where the nodes are, in the order of `nodes`, and
  /// how to connect to the one that a MOVED names. Empty, and null: the servers are no cluster.
  std::vector<NodeAddress> cluster = {};
  ConnectNode connect = {};
};

/// One client's lock object for one resource. It outlives its holds. When a run is over every call
/// on a connection answers kCancelled at once: a loop must end on that.
class Lock {
 public:
  virtual ~Lock() = default;

  /// One try that does not wait. kNotAcquired (or kTimeout) is a definite "no".
  virtual Result<std::unique_ptr<Hold>> TryAcquire() = 0;

  /// Waits for a grant until `deadline` on the Runtime's clock; kNever waits without one.
  virtual Result<std::unique_ptr<Hold>> AcquireUntil(MonotonicTime deadline) = 0;

  /// For a latch: counts down for `party`, once however often and by whichever client it is called.
  /// kOk also if it had counted before. Only called for a Latch.
  virtual Status CountDown(const std::string& /*party*/) {
    return Status(StatusCode::kInvalidArgument, "nothing is counted down");
  }

  /// Puts `limit` in force, whatever was; holders stay inside, and waiters that it lets in are
  /// woken. kOk: it is in force. kUnavailable: nothing changed. Only called if
  /// Permits::limit_stands is more than 0.
  virtual Status SetLimit(int /*limit*/) {
    return Status(StatusCode::kInvalidArgument, "there is no limit to set");
  }

  /// An acquire as a reader, which other readers do not keep out. Only called for Readers.
  virtual Result<std::unique_ptr<Hold>> TryAcquireShared() {
    return Status(StatusCode::kInvalidArgument, "there are no readers");
  }
  virtual Result<std::unique_ptr<Hold>> AcquireSharedUntil(MonotonicTime /*deadline*/) {
    return Status(StatusCode::kInvalidArgument, "there are no readers");
  }

  /// As AcquireUntil and AcquireSharedUntil, but no longer than until `stop` is requested: then the
  /// wait is answered as soon as Subject::StopBound says, with a grant that was made meanwhile, or
  /// with kStopped (or kTimeout), and nothing of it is left. If `stop` was requested before the
  /// call, kStopped says that nothing was sent. Only called if Traits say `stops`.
  virtual Result<std::unique_ptr<Hold>> AcquireUnlessStopped(MonotonicTime /*deadline*/,
                                                             const std::stop_token& /*stop*/) {
    return Status(StatusCode::kInvalidArgument, "waits cannot be stopped");
  }
  virtual Result<std::unique_ptr<Hold>> AcquireSharedUnlessStopped(
      MonotonicTime /*deadline*/, const std::stop_token& /*stop*/) {
    return Status(StatusCode::kInvalidArgument, "waits cannot be stopped");
  }

  /// For operators, which hold nothing: the current holders. Only called if Traits say `operators`.
  virtual Result<std::vector<SeenHolder>> Inspect() {
    return Status(StatusCode::kInvalidArgument, "there is nothing for operators");
  }
  /// Takes it away from a holder that Inspect() has shown, and from nobody else; waiters are woken.
  /// kOk: that holder has it no more, and is released now at the latest. kNotOwner: it was no
  /// holder any more. For which of the two is right after an earlier release see
  /// Traits::recalls_releases.
  virtual Status ForceRelease(const SeenHolder& /*holder*/) {
    return Status(StatusCode::kInvalidArgument, "there is nothing for operators");
  }
};

/// A lock under test. Immutable. For its time limits see Bounds.
class Subject : public Bounds {
 public:
  /// Unique, lower case: "acme.job-lock".
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual Traits traits() const { return {}; }
  /// What a check explores exhaustively.
  virtual ExploredBound explored() const { return {}; }

  /// What the lock says of itself, for `guarantees`; nothing by default.
  virtual std::vector<Promise> Promises() const { return {}; }

  virtual std::unique_ptr<Lock> NewLock(Environment& environment,
                                        const LockOptions& options) const = 0;

  /// The live ownership entries of the resource, each with the token that Hold::owner_token() shows
  /// (a lock without owner tokens gives entries with an empty one). nullopt: this lock's ownership
  /// cannot be read from the server, and server-level exclusion is then not judged.
  virtual std::optional<std::vector<Owner>> Owners(const ServerView& server,
                                                   const LockOptions& options) const = 0;

  /// The keys that may outlive a hold. Any other key of the lock is an ownership key.
  virtual std::vector<AuxiliaryKey> AuxiliaryKeys(const LockOptions& /*options*/) const {
    return {};
  }
};

}  // namespace interlock::harness
