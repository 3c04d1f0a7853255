// SPDX-License-Identifier: MIT
//
// Follows the ownership entries in the server, command by command, and judges what can only be
// judged at that instant: server-level exclusion (LK001, LK013), foreign release (LK005 a), foreign
// extend (LK006). A promise lasts to its deadline even if another client's command removes the
// entry.
//
// Who made an entry is first known from the connection that carried the command, as tokens need
// not be unique; a hand-over is nobody's until its new owner shows the token.
#pragma once

#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/history.h"

namespace interlock::scenarios {

/// What a client is in the middle of; decides whether a change is a grant, an extension or a
/// release.
enum class Doing : std::uint8_t { kNothing, kAsking, kExtending, kReleasing };

/// An ownership entry as read from the server, its deadline on the virtual clock (exclusive).
struct SeenOwner {
  std::string token;
  VirtualTime promised_until = kOpen;
};

class Ledger {
 public:
  Ledger(int permits, bool semaphore) : permits_(permits), semaphore_(semaphore) {}

  /// After a command of `client` that changed data; `owners` is what the server holds now.
  void Sync(int client, Doing doing, VirtualTime now, const std::vector<SeenOwner>& owners,
            History& history, std::vector<Violation>& violations);

  /// The client learns of a grant with this token, which it asked for at `asked`: the entry is its
  /// own, whoever made it.
  static void Claim(int client, const std::string& token, VirtualTime asked, History& history);

  /// A release of `hold` was answered "released": was it? (LK005 b)
  static void JudgeReleased(const ClientHold& hold, VirtualTime now, const History& history,
                            std::vector<Violation>& violations);
  /// An extend of `hold` was answered "extended": did it own at that time? (LK006 b)
  static void JudgeExtended(const ClientHold& hold, VirtualTime called, VirtualTime now,
                            const History& history, std::vector<Violation>& violations);

 private:
  void Grant(int client, const SeenOwner& owner, VirtualTime now, History& history,
             std::vector<Violation>& violations) const;

  const int permits_;
  const bool semaphore_;
};

/// The latest entry of this client and token; nullptr if there was none.
const ServerHold* FindServerHold(const History& history, int client, const std::string& token);

}  // namespace interlock::scenarios
