// SPDX-License-Identifier: MIT
//
// The kinds of primitives that the harness judges. What any kind may promise or not is in Traits: a
// lock over a quorum of servers, one that takes several resources at once, or one that lasts as
// long as its connection is still a mutex, a semaphore or a readers/writer lock, and judged as
// such.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <optional>
#include <variant>

namespace interlock::harness {

/// A lock with one holder at a time, judged by LK001 to LK003.
struct Exclusive {
  bool operator==(const Exclusive&) const = default;
};

/// A semaphore: as many holders at a time as LockOptions::permits, judged by LK013 in place of
/// LK001 to LK003. Nothing is judged of the order of what holders write.
struct Permits {
  /// For a semaphore that keeps its limit in the server: a client that gives another limit in
  /// LockOptions::permits than the one in force is refused with kInvalidArgument. The first grant
  /// puts its limit in force, while a permit is out and for this long after the last grant; each
  /// permit lasts as long as its own client's lease, which may be half of another's. More than 0:
  /// Lock::SetLimit works, and a client that gives 0 follows whichever is in force, refused while
  /// none is. REQUIRES: Owners() shows the permits.
  std::optional<std::chrono::milliseconds> limit_stands = std::nullopt;
  bool operator==(const Permits&) const = default;
};

/// A readers/writer lock: one writer or any number of readers, judged by LK001 to LK003, where
/// readers do not conflict with each other. The shared ways to acquire work.
struct Readers {
  bool prefers_writers = false;  ///< new readers are refused, and wait, while a writer waits: LK012
  bool operator==(const Readers&) const = default;
};

/// Opens when LockOptions::parties different ones have counted down, and stays open: a request is a
/// wait for that. A client that is let through has a Hold that is never asked anything, nor
/// released. Judged by LK001 (it opens too early), LK009 (too late), LK010 (it refuses), LK011 and
/// LK015.
struct Latch {
  bool operator==(const Latch&) const = default;
};

using Kind = std::variant<Exclusive, Permits, Readers, Latch>;

}  // namespace interlock::harness
