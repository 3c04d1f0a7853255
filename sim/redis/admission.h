// SPDX-License-Identifier: MIT
//
// The checks between a command's arrival and its execution, in Redis' order (processCommand of
// 7.0): errors in the command, permissions of its client, and conditions under which the server as
// a whole refuses it: out of memory, disk errors, too few replicas, read-only replica, link down,
// loading, a busy script, paused clients.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/context.h"
#include "sim/redis/scripting/script_header.h"

namespace interlock::sim::redis {

/// "ERR wrong number of arguments for ..."
std::string ArityText(const Command& command);
/// Of an unknown subcommand. REQUIRES: two words at least.
std::string UnknownSubcommandText(std::span<const std::string_view> args);

class Admission {
 public:
  explicit Admission(Engine& engine) : engine_(engine) {}

  /// `command`: null if there is none of this name; `container`: its first word is a container of
  /// other commands. True: the command is not executed now. The client has been told why, or waits
  /// for the end of a pause; or Redis would evict in an unmodelled way.
  bool Refuse(Client& client, Arguments args, const Command* command, bool container);
  /// Why this server does not run such a script now; empty: it does. `read_only`: by EVAL_RO or
  /// FCALL_RO.
  std::string_view RefuseScript(const ScriptHeader& header, const Client& client,
                                bool read_only) const;
  /// What a script may do.
  struct ScriptRights {
    bool read_only = false;
    bool has_written = false;  ///< One that has begun to write may go on.
    bool allow_oom = false;
  };
  /// Why it does not run this command of a script now: for want of memory, because it writes, or
  /// because a replica's data are old.
  std::string_view RefuseGrowthInScript(const Command& command, const ScriptRights& rights) const;
  std::string_view RefuseWriteInScript(const Command& command, const ScriptRights& rights) const;
  std::string_view RefuseStaleInScript(const Command& command) const;
  /// Whether the three refuse nothing at present, whatever the command, to a script that may write.
  bool RefusesNothingInScripts() const { return !Impaired() && !out_of_memory_; }
  /// The command's flags; of a script, and of a transaction, what these may do.
  std::uint32_t EffectiveFlags(const Client& client, const Command& command, Arguments args) const;
  /// After the command was queued in a transaction.
  void NoteQueued(Client& client, const Command& command, Arguments args) const;

 private:
  bool NothingInTheWay(const Client& client, const Command& command, Arguments args) const;
  bool Unauthenticated(const Client& client) const;
  std::string RefusalBeforeKeys(const Client& client, const Command& command, Arguments args) const;
  bool OutOfMemory(const Client& client, const Command& command, Arguments args);
  void Reject(Client& client, const Command* command, std::string_view error);
  std::string_view RefuseWrite(const Client& client, const Command& command,
                               std::uint32_t flags) const;
  std::string_view RefuseService(std::uint32_t flags) const;
  bool Impaired() const;
  std::string_view DiskError() const;

  Engine& engine_;
  bool out_of_memory_ = false;  // When the present top-level command began.
};

}  // namespace interlock::sim::redis
