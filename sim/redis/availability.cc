// SPDX-License-Identifier: MIT
//
// When the server as a whole refuses a command that it would otherwise execute: the disk fails,
// replicas are too few, it is a replica itself, its link is down, it is loading.
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::string_view kNoReplicas = "NOREPLICAS Not enough good replicas to write.";
constexpr std::string_view kReadOnlyReplica =
    "READONLY You can't write against a read only replica.";
constexpr std::string_view kMasterDown =
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
constexpr std::string_view kIsLoading = "LOADING Redis is loading the dataset in memory";

}  // namespace

// EXEC is what its transaction holds, and a script what its first line says.
std::uint32_t Engine::EffectiveFlags(const Client& client, const Command& command,
                                     Arguments args) const {
  std::uint32_t flags = command.flags;
  if (command.name == "exec") {
    for (const Argv& argv : client.queue) {
      bool container = false;
      const Command* queued =
          FindCommand(argv[0], argv.size() > 1 ? std::string_view(argv[1]) : std::string_view(),
                      argv.size() > 1, &container);
      const std::vector<std::string_view> words(argv.begin(), argv.end());
      const std::uint32_t queued_flags = EffectiveFlags(client, *queued, words);
      flags |= queued_flags & (kWrite | kMayReplicate | kDenyOom);
      flags &= queued_flags | ~(kStale | kLoading);
    }
  } else if (command.name.starts_with("eval")) {
    flags = scripting.FlagsOf(args[1], command.name.starts_with("evalsha"), flags);
  }
  return flags;
}

std::string_view Engine::RefuseWrite(const Client& client, const Command& command,
                                     std::uint32_t flags) const {
  const bool write = (flags & kWrite) != 0;
  if (write || command.name == "ping") {
    if (const std::string_view error = persistence.DiskError(); !error.empty()) return error;
  }
  if (!write) return {};
  if (replication.TooFewReplicas()) return kNoReplicas;
  return replication.ReadOnly(client) ? kReadOnlyReplica : std::string_view();
}

std::string_view Engine::RefuseService(std::uint32_t flags) const {
  if ((flags & kStale) == 0 && replication.Stale()) return kMasterDown;
  if ((flags & kLoading) == 0 && persistence.loading()) return kIsLoading;
  return {};
}

bool Engine::Impaired() const {
  return replication.is_replica() || replication.TooFewReplicas() || persistence.loading() ||
         !persistence.DiskError().empty();
}

std::string_view Engine::RefuseScript() const {
  return replication.Stale() ? kMasterDown : std::string_view();
}

std::string_view Engine::RefuseInScript(const Command& command, bool has_written,
                                        bool allow_oom) const {
  if ((command.flags & kStale) == 0 && replication.Stale()) {
    return "ERR Can not execute the command on a stale replica";
  }
  if (has_written) return {};  // What has begun to write may go on.
  if ((command.flags & kWrite) != 0) {
    if (replication.is_replica() && config().replica_read_only != 0) return kReadOnlyReplica;
    if (const std::string_view error = persistence.DiskError(); !error.empty()) return error;
    if (replication.TooFewReplicas()) return kNoReplicas;
  }
  const bool full = out_of_memory_ && !allow_oom && (command.flags & kDenyOom) != 0;
  return full ? kOutOfMemory : std::string_view();
}

}  // namespace interlock::sim::redis
