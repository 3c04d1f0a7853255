// SPDX-License-Identifier: MIT
#include "sim/redis/admission.h"

#include <string>
#include <vector>

#include "sim/redis/disk_errors.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {
namespace {

constexpr const char* kNotAuthenticated = "NOAUTH Authentication required.";

constexpr std::string_view kNoReplicas = "NOREPLICAS Not enough good replicas to write.";
constexpr std::string_view kReadOnlyReplica =
    "READONLY You can't write against a read only replica.";
constexpr std::string_view kMasterDown =
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";
constexpr std::string_view kIsLoading = "LOADING Redis is loading the dataset in memory";

std::string UnknownCommandText(Arguments args) {
  constexpr std::size_t kLimit = 128;
  std::string listed;
  for (std::size_t i = 1; i < args.size() && listed.size() < kLimit; ++i) {
    const std::size_t room = kLimit - listed.size();
    listed.append("'").append(UntilNul(args[i]).substr(0, room)).append("' ");
  }
  std::string text = "ERR unknown command '";
  text.append(UntilNul(args[0]).substr(0, kLimit)).append("', with args beginning with: ");
  return OneLine(text.append(listed));
}

bool IsLocal(const Client& client) {
  return client.address.empty() || client.address.starts_with("127.") ||
         client.address.starts_with("::1") || client.address.starts_with("[::1]") ||
         client.address.starts_with("/");
}

// Redis reads large arguments into separate memory, where they count like data.
std::size_t SizeOfLarge(Arguments args) {
  constexpr std::size_t kLarge = std::size_t{32} << 10;
  std::size_t size = 0;
  for (const std::string_view arg : args) size += arg.size() >= kLarge ? arg.size() : 0;
  return size;
}

// Covers DEBUG, and MODULE, which nothing here ever enables.
std::string ProtectedText(const Config& config, const Client& client, const Command& command) {
  const bool debug = command.name == "debug";
  if (debug && config.enable_debug_command == kAllowed) return {};
  if (debug && config.enable_debug_command == kAllowedLocally && IsLocal(client)) return {};
  const std::string option = debug ? "enable-debug-command" : "enable-module-command";
  return std::string("ERR ") + (debug ? "DEBUG" : "MODULE") + " command not allowed. If the " +
         option +
         " option is set to \"local\", you can run it from a local connection, otherwise you need "
         "to set this option in the configuration file, and then restart the server.";
}

// Where Valkey sends a client that follows redirects (CLIENT CAPA) instead of serving it; empty:
// nowhere.
std::string Redirection(const Engine& engine, const Client& client, std::uint32_t flags) {
  const auto& master = engine.replication.master();
  const bool reads = (flags & kReadOnly) != 0 && !client.reads_replica;
  if (!client.follows_redirects || !master || client.from_master) return {};
  if (!reads && (flags & kWrite) == 0) return {};
  return "REDIRECT " + master->host + ":" + std::to_string(master->port);
}

}  // namespace

std::string UnknownSubcommandText(Arguments args) {
  return OneLine("ERR unknown subcommand '" + std::string(UntilNul(args[1]).substr(0, 128)) +
                 "'. Try " + ToUpper(args[0]) + " HELP.");
}

std::string ArityText(const Command& command) {
  return "ERR wrong number of arguments for '" + std::string(command.name) + "' command";
}

void Admission::NoteQueued(Client& client, const Command& command, Arguments args) const {
  const std::uint32_t flags = EffectiveFlags(client, command, args);
  client.flags_of_some |= flags;
  client.flags_of_all &= flags;
}

// EXEC has the flags that its commands had when they were queued, and a script those of its first
// line. Valkey forgets the queue when one of them is refused.
std::uint32_t Admission::EffectiveFlags(const Client& client, const Command& command,
                                        Arguments args) const {
  std::uint32_t flags = command.flags;
  if (command.name == "exec") {
    if (client.queue_failed && engine_.dialect().valkey) return flags;
    flags |= client.flags_of_some & (kWrite | kMayReplicate | kDenyOom);
    flags &= client.flags_of_all | ~(kStale | kLoading);
  } else if (args.size() > 1 && command.name.starts_with("eval")) {
    flags = engine_.scripting.FlagsOf(args[1], command.name.starts_with("evalsha"), flags);
  } else if (args.size() > 1 && command.name.starts_with("fcall")) {
    flags = engine_.libraries.FlagsOf(args[1], flags);
  }
  return flags;
}

std::string_view Admission::RefuseWrite(const Client& client, const Command& command,
                                        std::uint32_t flags) const {
  const bool write = (flags & kWrite) != 0;
  if (write || command.name == "ping") {
    if (const std::string_view error = DiskError(); !error.empty()) return error;
  }
  if (!write) return {};
  if (engine_.replication.TooFewReplicas()) return kNoReplicas;
  return engine_.replication.ReadOnly(client) ? kReadOnlyReplica : std::string_view();
}

std::string_view Admission::RefuseService(std::uint32_t flags) const {
  if ((flags & kStale) == 0 && engine_.replication.Stale()) return kMasterDown;
  if ((flags & kLoading) == 0 && engine_.persistence.loading()) return kIsLoading;
  return {};
}

bool Admission::Impaired() const {
  return engine_.replication.is_replica() || engine_.replication.TooFewReplicas() ||
         engine_.persistence.loading() || engine_.persistence.disk_failure() != DiskFailure::kNone;
}

std::string_view Admission::DiskError() const {
  return DiskErrorOfCommand(engine_.dialect(), engine_.persistence.disk_failure());
}

// In the order of scriptPrepareForRun. Most are reached only inside of EXEC, which was queued when
// it ran another script, or none.
std::string_view Admission::RefuseScript(const ScriptHeader& header, const Client& client,
                                         bool read_only) const {
  const Replication& replication = engine_.replication;
  if (!header.present) return replication.Stale() ? kMasterDown : std::string_view();
  if (header.no_cluster && engine_.cluster.enabled()) {
    return "ERR Can not run script on cluster, 'no-cluster' flag is set.";
  }
  if (replication.Stale() && !header.allow_stale) {
    return "MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and "
           "'allow-stale' flag is not set on the script.";
  }
  if (header.no_writes) return {};
  if (replication.ReadOnly(client)) {
    return "READONLY Can not run script with write flag on readonly replica";
  }
  const DiskFailure failure = engine_.persistence.disk_failure();
  if (failure != DiskFailure::kNone) return DiskErrorOfScript(engine_.dialect(), failure);
  if (read_only) return "ERR Can not execute a script with write flag using *_ro command.";
  if (replication.TooFewReplicas()) return kNoReplicas;
  if (out_of_memory_ && !header.allow_oom) {
    return "OOM allow-oom flag is not set on the script, can not run it when used memory > "
           "'maxmemory'";
  }
  return {};
}

std::string_view Admission::RefuseGrowthInScript(const Command& command,
                                                 const ScriptRights& rights) const {
  const bool full =
      out_of_memory_ && !rights.has_written && !rights.allow_oom && (command.flags & kDenyOom) != 0;
  return full ? kOutOfMemory : std::string_view();
}

std::string_view Admission::RefuseWriteInScript(const Command& command,
                                                const ScriptRights& rights) const {
  if (rights.read_only && (command.flags & (kWrite | kMayReplicate)) != 0) {
    return "ERR Write commands are not allowed from read-only scripts.";
  }
  if (rights.has_written || (command.flags & kWrite) == 0) return {};
  if (engine_.replication.is_replica() && engine_.config().replica_read_only != 0) {
    return kReadOnlyReplica;
  }
  if (const std::string_view error = DiskError(); !error.empty()) return error;
  return engine_.replication.TooFewReplicas() ? kNoReplicas : std::string_view();
}

std::string_view Admission::RefuseStaleInScript(const Command& command) const {
  const bool old = (command.flags & kStale) == 0 && engine_.replication.Stale();
  return old ? "ERR Can not execute the command on a stale replica" : std::string_view();
}

void Admission::Reject(Client& client, const Command* command, std::string_view error) {
  if (command != nullptr) ++engine_.statistics.Of(*command).rejected;
  if (command != nullptr && command->name == "exec") {
    engine_.DiscardTransaction(client);
    engine_.statistics.CountError("EXECABORT");
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    engine_.outbox.Emit(
        client, ErrorValue("EXECABORT Transaction discarded because of: " + std::string(error)));
    return;
  }
  engine_.statistics.CountError(error);
  if (client.in_multi) client.queue_failed = true;
  engine_.outbox.Emit(client, ErrorValue(error));
}

bool Admission::Unauthenticated(const Client& client) const {
  return !client.authenticated && !engine_.config().requirepass.empty();
}

// Refusals that concern only the command and its client.
std::string Admission::RefusalBeforeKeys(const Client& client, const Command& command,
                                         Arguments args) const {
  if (!ArityMatches(command, args.size())) return ArityText(command);
  if ((command.flags & kProtected) != 0) {
    const std::string error = ProtectedText(engine_.config(), client, command);
    if (!error.empty()) return error;
  }
  if (Unauthenticated(client) && (command.flags & kNoAuth) == 0) return kNotAuthenticated;
  if (client.in_multi && (command.flags & kNoMulti) != 0) {
    return engine_.dialect().names_refused_in_multi
               ? "ERR Command '" + std::string(command.name) + "' not allowed inside a transaction"
               : "ERR Command not allowed inside a transaction";
  }
  return {};
}

// Eviction precedes every command. A transaction's queue grows too, so before Redis 7.2 nothing may
// be queued.
bool Admission::OutOfMemory(const Client& client, const Command& command, Arguments args) {
  out_of_memory_ = false;
  if (engine_.config().maxmemory == 0 || engine_.script_turn.busy()) return false;
  const bool grows = (EffectiveFlags(client, command, args) & kDenyOom) != 0;
  const bool unmodelled_policy = engine_.config().maxmemory_policy == kVolatileLfu ||
                                 engine_.config().maxmemory_policy == kAllkeysLfu;
  // The client must be able to leave such a policy.
  if (unmodelled_policy && !grows) return false;
  out_of_memory_ = !engine_.memory.MakeRoom(SizeOfLarge(args));
  if (!out_of_memory_) return false;
  const bool ends_queue = command.name == "exec" || command.name == "discard" ||
                          command.name == "quit" || command.name == "reset";
  const bool queued = client.in_multi && !ends_queue && !engine_.dialect().since_72;
  return queued || grows;
}

// Nearly always true, which makes the individual checks below unnecessary.
bool Admission::NothingInTheWay(const Client& client, const Command& command,
                                Arguments args) const {
  return ArityMatches(command, args.size()) && (command.flags & kProtected) == 0 &&
         client.authenticated && !client.in_multi && !client.subscribed() && !engine_.unmodelled &&
         !engine_.cluster.enabled() && engine_.config().maxmemory == 0 &&
         !engine_.script_turn.busy() && !engine_.pause.active() && !Impaired();
}

bool Admission::Refuse(Client& client, Arguments args, const Command* command, bool container) {
  if (engine_.dialect().authenticates_first && Unauthenticated(client) &&
      (command == nullptr || (command->flags & kNoAuth) == 0)) {
    Reject(client, command, kNotAuthenticated);
    return true;
  }
  if (command == nullptr) {
    Reject(client, nullptr, container ? UnknownSubcommandText(args) : UnknownCommandText(args));
    return true;
  }
  if (NothingInTheWay(client, *command, args)) {
    out_of_memory_ = false;
    return false;
  }
  std::string error = RefusalBeforeKeys(client, *command, args);
  std::string elsewhere;
  if (error.empty() && engine_.cluster.enabled() && !client.from_master) {
    elsewhere = engine_.cluster.Refusal(client, *command, args);
  } else if (error.empty() && client.follows_redirects) {
    elsewhere = Redirection(engine_, client, EffectiveFlags(client, *command, args));
  }
  if (!elsewhere.empty()) {
    // The only refusal of an EXEC that is not EXECABORT.
    if (command->name == "exec") engine_.DiscardTransaction(client);
    if (client.in_multi) client.queue_failed = true;
    engine_.statistics.CountError(elsewhere);
    engine_.outbox.Emit(client, ErrorValue(elsewhere));
    return true;
  }
  if (error.empty() && OutOfMemory(client, *command, args)) error = kOutOfMemory;
  if (engine_.unmodelled) return true;  // How Redis would have evicted.
  const bool impaired = Impaired();
  const std::uint32_t flags = impaired ? EffectiveFlags(client, *command, args) : command->flags;
  if (error.empty() && impaired) error = RefuseWrite(client, *command, flags);
  if (error.empty() && client.protocol == 2 && client.subscribed() &&
      (command->flags & kSubscriber) == 0) {
    error = "ERR Can't execute '" + std::string(command->name) +
            "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
            "context";
  }
  if (error.empty() && impaired) error = RefuseService(flags);
  if (error.empty() && engine_.script_turn.busy() && (command->flags & kAllowBusy) == 0) {
    error = engine_.script_turn.busy_text();
  }
  if (!error.empty()) {
    Reject(client, command, error);
    return true;
  }
  if (engine_.pause.active() && engine_.pause.Holds(EffectiveFlags(client, *command, args))) {
    engine_.pause.Hold(client, Argv(args.begin(), args.end()));
    return true;
  }
  return false;
}

}  // namespace interlock::sim::redis
