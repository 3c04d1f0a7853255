// SPDX-License-Identifier: MIT
//
// Follows the data of the servers, command by command: the owners of locks there, and how long keys
// live. What can only be judged at that instant is judged at once: ownership (see judge/ledger.h),
// keys without a TTL and those that live too long. Data that changes between two commands, by
// expiry, replication or a fault, is no client's doing, and convicts nobody.
//
// Thread safety: as the log, see run_log.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/cases/workload.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/ledger.h"
#include "scenarios/log/run_log.h"
#include "sim/world.h"

namespace interlock::scenarios {

class ServerDataLog {
 public:
  ServerDataLog(RunLog& log, int database);

  /// A command of a client is about to be executed by the server in view.
  void BeforeCommand(VirtualTime now);
  /// The server's data has been set back or lost, its clock was set, or another one replaces it.
  void OnServerChange(int node, sim::ServerChange change, VirtualTime now);

  /// What a command has done to the server in view.
  struct Effect {
    bool mutated = false;  ///< data or a TTL are other ones
    bool changed = false;  ///< the same, but for keys that have only expired
  };
  /// What that server has done since this was last asked, or since its data was last no client's
  /// doing.
  Effect TakeEffect();
  /// The process's `number`th command has mutated data. `sender`: see Users::SenderOf.
  void SyncOwners(int process, std::optional<int> sender, std::uint64_t number, VirtualTime now);
  /// Whether all keys have a TTL, and the lock's prefix. Each fault of that kind is reported once.
  void JudgeKeys(int client, VirtualTime now);

  /// A key may be any resource's, so these are the limits of all together.
  const KeyLimits& key_limits() const { return key_limits_; }
  /// A key that the lock has written outside of its prefix; empty: none.
  const std::string& stray_key() const { return stray_key_; }

 private:
  /// What the server in view holds, if the subject shows it. Valid until the next look.
  const Ledger::Look& LookAtServer(RecordedResource& resource);
  /// Notes that the present data of the server in view is no client's doing.
  void Rebase(bool clock_only, VirtualTime now);
  /// What the client sent that command for, which may come late; else what it is in the middle of.
  Doing DoingOf(Party who, std::uint64_t number);
  /// `client` has done to the resource what the look shows.
  void JudgeLook(int client, Doing doing, VirtualTime now, const Ledger::Look& look,
                 RecordedResource& resource);
  SeenServer& seen() { return seen_[static_cast<std::size_t>(log_.world->server_node())]; }

  RunLog& log_;
  const int database_;
  std::array<SeenServer, kMostNodes> seen_{};
  KeyLimits key_limits_;
  bool lives_too_long_ = false;  ///< a key, or an ownership entry: said once
  std::string stray_key_;
  Ledger::Look look_;  ///< the last one, for its memory
};

}  // namespace interlock::scenarios
