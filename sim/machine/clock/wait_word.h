// SPDX-License-Identifier: MIT
//
// What a client's process publishes about its only thread: that it runs, or that it waits for
// something that only the driver can give it. This spares the driver looks into /proc, which are
// slow, and the time that must pass between two of them.
//
// Before the thread blocks, it publishes kLooks with a new number; looks, without blocking, at all
// that it is about to wait for (files, the clock); publishes kWaits with the same number if there
// is nothing (or kSleeps); and blocks. Then it publishes kRuns. It is still if it waits, and that
// look came after everything that the driver has given it: bytes, the end of a connection, a later
// time.
//
// Why that can be told. The driver gives, and then reads the word; the client stores kLooks n, and
// then looks. All these are sequentially consistent, because a socket's queue is read and written
// under its lock. So if the driver reads a number below n, look n finds the gift; and a wait with a
// number above the one that the driver has read is no wait for that gift. A client that is known to
// be still in wait n when it is given something leaves wait n because of that, and so needs only a
// number above n, however fast it is.
//
// What a still client has sent, it has sent before it published kWaits, so the driver reads the
// word first, then its sockets, and the word again. A loaded network stack may hold back for
// microseconds what goes through it, in either direction. So a wait for files must last for a while
// if the client has no command at the gate, which may be on its way; and any wait if the client got
// something while it was busy, because one gift may have ended its wait while the next was on its
// way.
//
// A wait is published only if nothing else can end it, and nobody else can act for the client: the
// process is the one that the driver has started, has one thread and no child, waits only to read,
// and has armed no timer of the kernel's, with which it may also keep back what it sends. Any other
// is kHidden, and found out about from /proc. Stopping and continuing the process does not end a
// published wait. Non-guarantee: a signal from elsewhere, or another process's use of the client's
// files, is not noticed, as in /proc.
//
// Thread safety: lock-free, between processes; written by the one thread of the process published.
#pragma once

#include <atomic>
#include <cstdint>

namespace interlock::sim::machine {

enum class WaitPhase : std::uint32_t {
  kRuns,
  kLooks,   ///< for what it would wait for
  kWaits,   ///< for files, and perhaps a time
  kSleeps,  ///< for a time alone
  kHidden,  ///< it may wait, but not for the driver alone
  kEnds,    ///< it is about to exit
};

struct WaitWord {
  std::atomic<std::uint32_t> word = 0;     ///< a futex: the number of the look, and the phase
  std::atomic<std::uint32_t> watched = 0;  ///< the driver waits for the futex
  std::atomic<std::int32_t> process = 0;   ///< whose word it is; 0: nobody's yet
};

inline constexpr std::uint32_t kPhaseBits = 3;

constexpr std::uint32_t WordOf(std::uint32_t number, WaitPhase phase) {
  return number << kPhaseBits | static_cast<std::uint32_t>(phase);
}
constexpr std::uint32_t NumberOf(std::uint32_t word) { return word >> kPhaseBits; }
constexpr WaitPhase PhaseOf(std::uint32_t word) {
  return static_cast<WaitPhase>(word & ((1U << kPhaseBits) - 1));
}

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace interlock::sim::machine
