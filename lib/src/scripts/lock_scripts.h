// SPDX-License-Identifier: MIT
//
// LockScripts: what one kind of lock says to the server about one resource. Each kind has its own
// Lua scripts, in a file of its own beside their typed arguments; the shapes of the replies are the
// same for all.
//
// All scripts judge an owner by the server's clock, at whole milliseconds, as Redis judges its
// keys: a lease is over when now > deadline. Numbers of 16 digits are formatted with %.0f, because
// Lua's own conversion keeps 14. A key of a wrong type fails a script at its first write at the
// latest, so before it has changed anything. A server that is out of memory refuses a script at its
// first write only, and only if that needs memory: what prolongs an owner or gives one up therefore
// begins with a write that needs none.
//
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <interlock/connection.h>
#include <interlock/inspection.h>
#include <interlock/result.h>

#include "src/scripts/script.h"

namespace interlock::internal {

/// The keys of one resource that every kind of lock has. All share the hash tag {name}, hence one
/// slot of a cluster.
struct ResourceKeys {
  ResourceKeys(std::string_view prefix, std::string_view name);

  /// "<last token>", followed by " <owner token>" of the last release.
  ScriptWord fence() const { return {base, ":fence"}; }
  /// List of wake-up hints.
  ScriptWord signal() const { return {base, signal_ending}; }
  ScriptWord Cancelled(const std::string& token) const { return {base, ":cancelled:", token}; }

  std::string base;
  std::string_view signal_ending = ":signal";
};

/// One try of a caller that waits if it is refused.
struct Turn {
  std::string standing;  ///< token of the refused try that stands for this wait; empty: none
  /// The rest of its time, at most a lease; zero: this is its last try, or the kind does not ask.
  Milliseconds patience{};
  bool again = false;  ///< it has been refused before
};

class LockScripts {
 public:
  LockScripts(ResourceKeys keys, Milliseconds lease) : keys_(std::move(keys)), lease_(lease) {}
  virtual ~LockScripts() = default;
  LockScripts(const LockScripts&) = delete;
  LockScripts& operator=(const LockScripts&) = delete;

  /// Makes this token an owner, if the lock's rule allows one more; see AcquireReply.
  virtual ScriptCall Acquire(const std::string& token) const = 0;
  /// The same for a caller that waits. A kind that does not tell them apart asks in one way.
  virtual ScriptCall AcquireWaiting(const std::string& token, const Turn& /*turn*/) const {
    return Acquire(token);
  }
  /// A refused AcquireWaiting leaves its token in the server, in the place of `turn.standing`, for
  /// as long as its patience: until a later try of the same wait, or Abandon, takes it away.
  virtual bool leaves_waiters() const { return false; }
  /// Prolongs, never shortens, never re-creates; see ParseFlag.
  virtual ScriptCall Extend(const std::string& token, Milliseconds lease) const = 0;
  /// Compare, delete, wake; see ReleaseReply.
  virtual ScriptCall Release(const std::string& token, std::uint64_t fencing_token) const = 0;
  /// The same for an owner that may not know of its grant yet, and then will not learn of it.
  virtual ScriptCall ForceRelease(const std::string& token, std::uint64_t fencing_token) const {
    return Release(token, fencing_token);
  }
  /// Undoes an acquire whose reply was lost, and bars it from taking effect later; see ParseFlag.
  virtual ScriptCall Abandon(const std::string& token) const = 0;
  /// Overridden by a kind whose hint may say no more than that there is less to wait for, or may be
  /// taken by a client that is not let in at all: what a waiter that took one and gives up leaves
  /// for the next. nullopt: the client that takes a hint is granted the lock, or somebody else is,
  /// whose release leaves the next one.
  virtual std::optional<ScriptCall> HandOn() const { return std::nullopt; }
  /// The holders; see ParseInspection.
  virtual ScriptCall Inspect() const = 0;
  /// It leaves nothing in the server but its owner: no hint, so that waiters poll; no trace of a
  /// release; and no bar, so that an acquire that was given up may still take effect. An acquire is
  /// answered with a flag, see ParseFlag: a grant has no fencing token, and a refusal says nothing.
  virtual bool leaves_owner_alone() const { return false; }

  /// What a refused try is told.
  virtual std::string Refusal() const { return resource() + " is held by somebody else"; }
  /// The answer to a client whose settings differ from those in force, see AcquireReply::limit.
  virtual Status OtherLimit(std::int64_t limit) const;

  /// The resource's name in messages: its first key.
  const std::string& resource() const { return keys_.base; }
  /// The configured one; also the life of wake-up hints.
  Milliseconds lease() const { return lease_; }
  /// Where a waiter sleeps.
  std::string signal() const { return keys_.signal().text(); }

 protected:
  const ResourceKeys& keys() const { return keys_; }
  /// How long an abandoned acquire stays barred, as an argument.
  Number CancelledFor() const;

 private:
  const ResourceKeys keys_;
  const Milliseconds lease_;
};

struct AcquireReply {
  enum class Kind : std::uint8_t { kGranted, kRefused, kCancelled, kOtherLimit };
  Kind kind = Kind::kRefused;
  std::uint64_t fencing_token = 0;  ///< kGranted
  Milliseconds owner_ttl{};  ///< kRefused: until the first owner's lease is over; negative: unknown
  std::int64_t limit = 0;    ///< kOtherLimit: the one in force
};

enum class ReleaseReply : std::uint8_t {
  kNotOwner,         ///< not held, and no trace that it was released: expired or lost
  kReleased,         ///< just now
  kReleasedEarlier,  ///< an earlier execution with this token released it
  kSuperseded,       ///< not held; others were granted since, which may have erased the trace
};

/// kProtocolError if the reply has another shape than the script can give.
Result<AcquireReply> ParseAcquire(const Reply& reply);
Result<ReleaseReply> ParseRelease(const Reply& reply);
/// For Extend: still owned. For Abandon: the token did own, and was removed.
Result<bool> ParseFlag(const Reply& reply);
/// Waiters (-1: unknown), and of each holder token, ms of its lease, and fencing token, in a row.
Result<Inspection> ParseInspection(const Reply& reply);

}  // namespace interlock::internal
