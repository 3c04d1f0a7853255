// SPDX-License-Identifier: MIT
//
// What stands between a command and its execution, in Redis' order (processCommand of 7.0): what is
// wrong with the command, what its client may not do, and when the server as a whole refuses what
// it would otherwise execute: there is no memory, the disk fails, replicas are too few, it is a
// replica itself, its link is down, it is loading, a script is busy, clients are paused.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/context.h"

namespace interlock::sim::redis {

/// "ERR wrong number of arguments for ..."
std::string ArityText(const Command& command);

class Admission {
 public:
  explicit Admission(Engine& engine) : engine_(engine) {}

  /// `command`: null: there is none of this name; `container`: but others with its first word.
  /// True: the command is not executed now. The client has been told why, or waits for the end of a
  /// pause; or how Redis would have made room is not modelled.
  bool Refuse(Client& client, Arguments args, const Command* command, bool container);
  /// Why this server runs no script now, or not this command of one; empty: it does.
  std::string_view RefuseScript() const;
  std::string_view RefuseInScript(const Command& command, bool has_written, bool allow_oom) const;

 private:
  bool NothingInTheWay(const Client& client, const Command& command, Arguments args) const;
  std::string RefusalBeforeKeys(const Client& client, const Command& command, Arguments args) const;
  bool OutOfMemory(const Client& client, const Command& command, Arguments args);
  void Reject(Client& client, const Command* command, std::string_view error);
  std::uint32_t EffectiveFlags(const Client& client, const Command& command, Arguments args) const;
  std::string_view RefuseWrite(const Client& client, const Command& command,
                               std::uint32_t flags) const;
  std::string_view RefuseService(std::uint32_t flags) const;
  bool Impaired() const;

  Engine& engine_;
  bool out_of_memory_ = false;  // When the present top-level command began.
};

}  // namespace interlock::sim::redis
