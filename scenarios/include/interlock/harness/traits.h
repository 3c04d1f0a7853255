// SPDX-License-Identifier: MIT
//
// What a subject promises beyond its kind: which ways to use it work, and what it is judged by.
//
// Thread safety: plain data.
#pragma once

#include <optional>

#include <interlock/harness/kind.h>

namespace interlock::harness {

struct Traits {
  Kind kind = Exclusive{};
  bool can_extend = false;  ///< Hold::Extend works
  bool waits = true;        ///< AcquireUntil really waits; false: it may give up at once
  bool fencing = false;     ///< Hold::fencing_token gives one: fenced writes are then promised
  bool renews = false;      ///< prolongs a lease by itself while it is held
  bool nests = false;       ///< a Hold stands for several of the lock's, each given back by itself
  /// The last eighth of LockOptions::lease, or more of it, is a lock-delay: no holder believes in
  /// it, and others are refused all the same, unless the lock was released. So what is judged of
  /// leases (how long a dead holder keeps others out, how long a key may live) holds as it is. A
  /// lock whose own leases are shorter does not get a shorter delay for that: `chubby.h1` is late
  /// by a tenth of LockOptions::lease, and the holder of a shorter one is late by as much.
  bool lock_delay = false;
  /// The most later requests that may be granted before a waiter that stays connected; 0: first
  /// come, first served. A request's place counts from its first command that changed data or
  /// blocked. nullopt: none is promised, and only starvation counts.
  std::optional<int> bypass_bound = std::nullopt;
  /// Owned while more than half of Environment::nodes, independent masters, have the same owner:
  /// Owners() shows what one of them has. Judged over independent masters, and nowhere else; no
  /// other lock is judged there.
  bool quorum = false;
  /// Works unchanged on a Redis Cluster: all keys of a resource share a slot, by a hash tag. It is
  /// judged on one, too (scenario "cluster").
  bool cluster = false;
  /// Takes all of LockOptions::several or none, `resource` first: it has the lesser name. Owners()
  /// is called for each. Extend and Release answer for all; kLeaseLost: not all were held any more.
  bool several = false;
  /// Clients of one resource may ask for leases of different lengths: each gets its own, and some
  /// ask for a half or a quarter of LockOptions::lease.
  bool own_leases = false;
  bool stops = false;      ///< the waits that take a std::stop_token end when it is requested to
  bool operators = false;  ///< Lock::Inspect and Lock::ForceRelease work; not for latches
  /// One Lock may be used by several tasks of its process at once, each with Holds of its own,
  /// which are never shared. In the scenarios `one-object` and `one-object-permits`, and in no
  /// other, such tasks are judged as if each were a process: they exclude each other, and neither
  /// releases, extends, or ends the renewal of what the other one has. It is not judged which task
  /// does it: the lock may renew for all in a task of its own, or in a call of any of them, and
  /// clean up in the same way what nobody holds any more. Nothing of this is tried with latches and
  /// locks over a quorum.
  bool concurrent = false;
  /// A grant has no lease: it lasts until it is given back, or its connection ends, as the server
  /// sees it. Subject::Owners() shows an entry without an end, and only while its connection is
  /// open (ServerView::IsConnected); Hold::valid_until() is kNever; AuxiliaryKeys() names the keys
  /// that dead clients leave, which may stay for ever. What outlives the connection of its grant is
  /// nobody's, and any newcomer may take it away. A holder whose link or server fails hears of it
  /// late: beliefs and sections (LK002, LK003) are demanded only where neither does. How long a
  /// wait may last in all is not judged, as nobody knows when a dead connection is given up.
  bool lasts_as_connection = false;
  /// ForceRelease tells a holder that was released before (kOk) from one whose lease has run out
  /// (kNotOwner). A lock that keeps no trace of either may answer either.
  bool recalls_releases = false;
  /// It counts a grant once the server has it on disk (WAITAOF), and so it is judged only where all
  /// servers have an append-only file and that command: no Redis 7.0.
  bool on_disk = false;
  /// The lock is code as it is compiled: it calls the C library for sockets, clocks, sleep, random
  /// bytes and threads. In simulation these act upon the simulated world: "redis" is the primary,
  /// and "redis-0", "redis-1" ... are the servers, at any port; clocks and sleep are the client's
  /// own, and so are its process id, its host's name and its threads with their thread_locals. The
  /// order of its threads is drawn as that of clients is. Environment has threads and hiredis
  /// connections then. Static variables of a shared object that is there at the first run are each
  /// client's own, and new in each run; what is linked into the program itself all clients and runs
  /// share: a note of the report names what the lock changed there. A stack has 8 MB. It is
  /// judged by drawn and pinned runs alone: no search can see what it remembers, and no real server
  /// is called "redis". What is not served (fork, files that are written, signals ...) ends the run
  /// and is named; a note says beforehand what a shared object would call of it. Not with
  /// ThreadSanitizer.
  bool posix = false;
  /// Only with `posix`: the slow mode. Each thread of a client is an OS thread, and they pass a
  /// baton, so that one runs at a time, in the order that is drawn. The outcome is the same, at 10
  /// to 30 microseconds a switch, but thread_locals are as in production: of each its own address,
  /// the C library's and those of libraries that are loaded later included. For code that hands the
  /// address of one to another thread (a queue lock whose nodes are thread_local), or tells threads
  /// apart by it. Not for code that waits inside the C library while it holds a lock there: see
  /// sim/posix/README.md.
  bool os_threads = false;
};

}  // namespace interlock::harness
