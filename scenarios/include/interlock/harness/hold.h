// SPDX-License-Identifier: MIT
//
// What a lock under test grants: as its holder sees it, and as an operator does.
//
// Thread safety: each object is used by one task at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::harness {

/// One grant, as its holder sees it. Its destructor must not reach the server: destroyed without a
/// Release (an exception, a handle that nobody kept, as in `forgotten`), it gives nothing back, and
/// its entry stays until its lease ends. Its renewal may end at once, and must in time for
/// Bounds::KeptAliveAtMost, with nobody left to ask for its end (LK014). Other holds of the same
/// client go on as if nothing had happened.
class Hold {
 public:
  virtual ~Hold() = default;

  /// The token that stands in the server as the owner of this grant, from its first instant to its
  /// last; empty if the lock has no owner tokens.
  virtual std::string owner_token() const = 0;

  /// The number that a guarded resource compares: larger for each later grant of the resource.
  /// nullopt: this lock has no fencing tokens, and a guarded resource must accept everything.
  virtual std::optional<std::uint64_t> fencing_token() const { return std::nullopt; }

  /// What a user is told that asks now whether the lease is still held; it may look at the clock.
  /// "Yes" is wrong (LK014) from 1 ms after the end of the validity on, and at once when the lock
  /// has reported a loss itself. Nothing that was over revives: "yes" with a later valid_until()
  /// than before needs a renewal that the server has made, of an entry of its own (LK006). nullopt:
  /// the lock offers no such question, and its users compare valid_until() themselves.
  virtual std::optional<bool> valid() const { return std::nullopt; }

  /// The end of the holder's own belief, on its Runtime's clock; kNever for a lock without leases.
  /// It is read at the grant, after each Extend(), and whenever valid() has said yes, or, without a
  /// valid(), whenever it was reached: a lock that renews by itself moves it.
  virtual MonotonicTime valid_until() const = 0;

  /// Set when the user is told that the lease is lost: when valid_until() is reached, or 1 ms later
  /// at the latest (LK014). A holder waits for it while it works, and leaves its section when it is
  /// set. It lives as long as the hold. nullptr: the lock does not report losses.
  virtual Event* lost() { return nullptr; }

  /// Calls `callback` once, soon after lost() is set, and never after Release() has returned.
  /// `callback` neither waits nor calls the lock. False: the lock offers no such call.
  virtual bool OnLost(std::function<void()> /*callback*/) { return false; }

  /// Prolongs the lease to a full length from now, at least. Only called if Traits say
  /// `can_extend`. It is called from inside the section, when half of the work is done or
  /// valid_until() is reached, so it must return before valid_until(): an Extend that hangs keeps
  /// its user inside (LK003). Called when the lease is over, it answers kLeaseLost or kNotOwner at
  /// once, and asks nobody.
  virtual Status Extend() {
    return Status(StatusCode::kInvalidArgument, "extend is not supported");
  }

  /// If Traits say `several`: the grant of one of the resources, in the order of their names, as
  /// long as this lives. It is never extended or released by itself.
  virtual const Hold& Part(std::size_t /*index*/) const { return *this; }

  /// kOk: released just now. kNotOwner or kLeaseLost: it was no longer held. Must not throw.
  virtual Status Release() = 0;
};

/// A holder as an operator sees it.
struct SeenHolder {
  /// What Hold::owner_token() shows; for a lock that nests, the token of one of its holds.
  std::string token;
  std::uint64_t fencing_token = 0;  ///< if ForceRelease needs it
};

}  // namespace interlock::harness
