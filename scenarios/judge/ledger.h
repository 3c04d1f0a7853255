// SPDX-License-Identifier: MIT
//
// Follows the ownership entries in each server, command by command, and judges what can only be
// judged at that instant: server-level exclusion (LK001, LK013), foreign release (LK005 a), foreign
// extend (LK006). A promise lasts to its deadline even if another client's command removes the
// entry.
//
// Who made an entry is first known from the connection that carried the command, as tokens need
// not be unique; a hand-over is nobody's until its new owner shows the token. What a release or an
// extension makes is one, and so is what carries a token that another client's request has shown
// last.
//
// Of a lock over a quorum of servers each server is judged by itself: see judge/quorum.h for what
// they make together.
//
// What a server loses, gets back, or has from another one is nobody's doing: it is taken note of,
// and convicts nobody. All instants are on the virtual clock; each deadline is on its server's own,
// and moves with that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// What a client is in the middle of; decides whether a change is a grant, an extension or a
/// release, its own or one that it forces upon others.
enum class Doing : std::uint8_t {
  kNothing,
  kAsking,
  kExtending,
  kReleasing,
  kForcing,
  kSettingLimit
};

inline constexpr std::int64_t kNoDeadline = INT64_MAX;

/// An ownership entry as read from the server, its deadline on the virtual clock (exclusive).
struct SeenOwner {
  std::string token;
  VirtualTime promised_until = kOpen;
  std::int64_t expires_at_ms = kNoDeadline;  ///< the same on the server's own clock
  bool shared = false;                       ///< a reader's
  Duration left_open{};                      ///< see ServerHold
};

class Ledger {
 public:
  explicit Ledger(bool semaphore) : semaphore_(semaphore) {}

  /// A server, and what it holds now.
  struct Look {
    int node = 0;
    std::int64_t now_ms = 0;  ///< on its own clock
    std::vector<SeenOwner> owners;
    std::int64_t ttl_ms = kNoDeadline;  ///< the end of the key that the lock looked at last
  };

  /// After a command of `client` that changed data of that server.
  void Sync(int client, Doing doing, VirtualTime now, const Look& look, History& history,
            std::vector<Violation>& violations);

  /// Of the history's entries, those before this one had ended when Sync was last called, and
  /// promised nothing any more: a lock that grants on and on must not make each command dearer.
  std::size_t settled() const { return settled_; }

  /// The server's data may be other than its clients' commands left it (lost, restored, that of
  /// another server) or, if `clock_only`, its clock was set or runs at another rate.
  static void Rebase(VirtualTime now, const Look& look, bool clock_only, History& history);
  /// Another server has taken over: what this one holds counts no more.
  static void Lose(VirtualTime now, int node, History& history);

  /// The client learns of a grant with this token, which it asked for at `asked`: the entry is its
  /// own, whoever made it.
  static void Claim(int client, const std::string& token, VirtualTime asked, History& history);

  /// A release of `hold` was answered "released": was it? (LK005 b) Of what the server has
  /// forgotten, within its promise, either answer will do.
  static void JudgeReleased(const ClientHold& hold, VirtualTime now, const History& history,
                            std::vector<Violation>& violations);
  /// An extend of `hold` that was called at `called` was answered "extended": did it own at that
  /// time? (LK006 b) `called_ms` is the least that the server's clock has shown since.
  static void JudgeExtended(const ClientHold& hold, VirtualTime called, std::int64_t called_ms,
                            VirtualTime now, const History& history,
                            std::vector<Violation>& violations);

 private:
  /// Whose a new entry is, and under whose limit it was asked for; -1: nobody knows.
  struct Grantee {
    int client = -1;
    int under = -1;
  };
  void Settle(VirtualTime now, std::span<const ServerHold> holds);
  void Grant(Grantee grantee, const SeenOwner& owner, VirtualTime now, const Look& look,
             History& history, std::vector<Violation>& violations) const;

  const bool semaphore_;
  std::size_t settled_ = 0;
};

/// The latest entry of this client and token, on whatever server; of a quorum the one with whose
/// end the quorum ends. nullptr if there was none.
const ServerHold* FindServerHold(const History& history, int client, const std::string& token);

}  // namespace interlock::scenarios
