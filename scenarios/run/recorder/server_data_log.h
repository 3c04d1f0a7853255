// SPDX-License-Identifier: MIT
//
// Tracks the servers' data, command by command: lock owners (see log/ledger.h), and how long keys
// live. Changes between commands, by expiry, replication or a fault, are no client's doing.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/cases/workload.h"
#include "scenarios/log/key_limits.h"
#include "scenarios/log/ledger.h"
#include "scenarios/run/recorder/run_log.h"
#include "sim/world.h"

namespace interlock::scenarios {

class ServerDataLog {
 public:
  ServerDataLog(RunLog& log, int database);

  /// A command of a client is about to be executed by the server in view.
  void BeforeCommand(VirtualTime now);
  /// The server's data was rolled back or lost, its clock was set, or another one replaces it.
  void OnServerChange(int node, sim::ServerChange change, VirtualTime now);

  /// The effect of a command on the server in view.
  struct Effect {
    bool mutated = false;  ///< data or TTLs changed
    bool changed = false;  ///< the same, not counting keys that merely expired
  };
  /// The effect since the last call, or since the data last changed by no client's doing.
  Effect TakeEffect();
  /// The process's `number`th command has mutated data. `sender`: see Users::SenderOf.
  void SyncOwners(int process, std::optional<int> sender, std::uint64_t number, VirtualTime now);
  /// Notes the first key that lives too long, and one without the lock's prefix.
  void LookAtKeys(int client, VirtualTime now);

  /// The combined limits of all resources, as a key may belong to any of them.
  const KeyLimits& key_limits() const { return key_limits_; }
  /// The first key or ownership entry that was left with longer to live than it may.
  const std::optional<OutlivingKey>& outliving() const { return outliving_; }
  /// A key that the lock has written outside its prefix; empty: none.
  const std::string& stray_key() const { return stray_key_; }

 private:
  /// What the server in view holds, if the subject shows it. Valid until the next look.
  const Ledger::Look& LookAtServer(RecordedResource& resource);
  /// Accepts the present data of the server in view as no client's doing.
  void Rebase(bool clock_only, VirtualTime now);
  /// Why the client sent that command, which may arrive late; otherwise what it is doing now.
  Doing DoingOf(Party who, std::uint64_t number);
  void NoteOutliving(std::optional<OutlivingKey> found, Party of, VirtualTime now);
  SeenServer& seen() { return seen_[static_cast<std::size_t>(log_.world->server_node())]; }

  RunLog& log_;
  const int database_;
  std::array<SeenServer, kMostNodes> seen_{};
  KeyLimits key_limits_;
  std::optional<OutlivingKey> outliving_;
  std::string stray_key_;
  Ledger::Look look_;  ///< the last one, kept to reuse its memory
};

}  // namespace interlock::scenarios
