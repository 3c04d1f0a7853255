// SPDX-License-Identifier: MIT
//
// What a command's arguments tell, above all the reserved ones, which are answered in front of the
// servers and never reach one. By them a foreign client reports its protected section,
// INTERLOCK.ENTER name once it is inside, INTERLOCK.LEAVE name while it still is; and writes to a
// resource that is guarded by fencing tokens: INTERLOCK.WRITE resource token. A client that has a
// lot to do before its first connection that matters says INTERLOCK.READY on one that it closes.
//
// Thread safety: pure functions, and plain data.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

struct GuardedWrite {
  std::string resource;
  std::int64_t token = 0;
};

/// The resources that clients write to, each with the largest fencing token that it has seen.
class GuardedResources {
 public:
  /// Whether the token is not less than any that was accepted before: equal ones are the same
  /// holder's.
  bool Accepts(const GuardedWrite& write) const;
  /// Returns whether it was accepted.
  bool Write(const GuardedWrite& write);

 private:
  std::map<std::string, std::int64_t> largest_;  // by resource
};

/// Whether it is one of the four, even if malformed.
bool IsReport(const sim::redis::Argv& argv);
/// Whether it is INTERLOCK.READY.
bool SaysReady(const sim::redis::Argv& argv);
/// OK; to a write 1 if it was accepted, 0 if a larger token had been seen; or an error that says
/// what is wrong with the command. `queued`: by MULTI, where none of them has a place.
sim::redis::Value AnswerTo(const sim::redis::Argv& argv, bool queued, GuardedResources& resources);
/// Whether it runs a script that the server must already know.
bool RunsByHash(const sim::redis::Argv& argv);
/// The section's name, if the command is a well-formed one of that kind.
std::optional<std::string> Enters(const sim::redis::Argv& argv);
std::optional<std::string> Leaves(const sim::redis::Argv& argv);
/// The same for a write.
std::optional<GuardedWrite> Writes(const sim::redis::Argv& argv);

}  // namespace interlock::scenarios::drive
