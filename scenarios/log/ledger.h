// SPDX-License-Identifier: MIT
//
// Tracks the ownership entries in each server, command by command, and notes what only that instant
// shows (observations.h): grants beside others, and what happens to the entries of others. A
// promise lasts until its deadline even if another client's command removes the entry.
//
// An entry is first attributed to the connection that carried the command, as tokens need not be
// unique. A hand-over belongs to nobody until its new owner shows the token. Entries made by a
// release or an extension are hand-overs, and so is one with a token last shown by another client's
// request.
//
// For a lock over a quorum, each server is looked at by itself; judge/quorum.h joins them.
//
// Data that a server loses, recovers or receives from another one is nobody's doing: of it nothing
// is noted. All instants are on the virtual clock; each deadline is on its server's own
// clock, and moves with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// What a client is doing; decides whether a change is a grant, an extension or a release, and
/// whether that is its own or forced on others.
enum class Doing : std::uint8_t {
  kNothing,
  kAsking,
  kExtending,
  kReleasing,
  kForcing,
  kSettingLimit
};

inline constexpr std::int64_t kNoDeadline = INT64_MAX;

/// An ownership entry as read from the server; its deadline is on the virtual clock (exclusive).
struct SeenOwner {
  std::string token;
  VirtualTime promised_until = kOpen;
  std::int64_t expires_at_ms = kNoDeadline;  ///< the same on the server's own clock
  bool shared = false;                       ///< held by a reader
  Duration left_open{};                      ///< see ServerHold
};

class Ledger {
 public:
  /// A server and its current entries.
  struct Look {
    int node = 0;
    std::int64_t now_ms = 0;  ///< on its own clock
    std::vector<SeenOwner> owners;
    std::int64_t ttl_ms = kNoDeadline;  ///< when the key that the lock looked at last expires
  };

  /// Call after a command of `client` that changed data on that server.
  void Sync(int client, Doing doing, VirtualTime now, const Look& look, History& history);

  /// Number of leading entries of the history that had ended, and promised nothing any more, at the
  /// last Sync. Skipping them keeps the cost of a command from growing with the number of grants.
  std::size_t settled() const { return settled_; }

  /// The server's data may have changed other than by clients' commands (lost, restored, copied
  /// from another server) or, if `clock_only`, its clock was set or changed its rate.
  static void Rebase(VirtualTime now, const Look& look, bool clock_only, History& history);
  /// Another server has taken over: this one's entries no longer count.
  static void Lose(VirtualTime now, int node, History& history);

  /// The client learns of a grant with this token, which it asked for at `asked`: the entry is now
  /// attributed to it, whoever made it.
  static void Claim(int client, const std::string& token, VirtualTime asked, History& history);

 private:
  /// Who owns a new entry, and under whose limit it was asked for; -1: not known.
  struct Grantee {
    int client = -1;
    int under = -1;
  };
  void Settle(VirtualTime now, std::span<const ServerHold> holds);
  /// The entries that were not there before the command.
  void GrantToNewcomers(int client, Doing doing, VirtualTime now, const Look& look,
                        History& history) const;
  void Grant(Grantee grantee, const SeenOwner& owner, VirtualTime now, const Look& look,
             History& history) const;

  std::size_t settled_ = 0;
};

}  // namespace interlock::scenarios
