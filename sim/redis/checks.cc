// SPDX-License-Identifier: MIT
//
// What stands between a command and its execution, in Redis' order (processCommand of 7.0).
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

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

std::string UnknownSubcommandText(Arguments args) {
  return OneLine("ERR unknown subcommand '" + std::string(UntilNul(args[1]).substr(0, 128)) +
                 "'. Try " + ToUpper(args[0]) + " HELP.");
}

std::string ArityText(const Command& command) {
  return "ERR wrong number of arguments for '" + std::string(command.name) + "' command";
}

bool IsLocal(const Client& client) {
  return client.address.empty() || client.address.starts_with("127.") ||
         client.address.starts_with("::1") || client.address.starts_with("[::1]") ||
         client.address.starts_with("/");
}

// Redis reads large arguments into memory of their own, where they count like data.
std::size_t SizeOfLarge(Arguments args) {
  constexpr std::size_t kLarge = std::size_t{32} << 10;
  std::size_t size = 0;
  for (const std::string_view arg : args) size += arg.size() >= kLarge ? arg.size() : 0;
  return size;
}

// DEBUG, and MODULE, which nothing here ever enables.
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

}  // namespace

void Context::ArityError() { Error(ArityText(command)); }

void Engine::Reject(Client& client, const Command* command, std::string_view error) {
  if (command != nullptr) ++statistics.Of(*command).rejected;
  if (command != nullptr && command->name == "exec") {
    DiscardTransaction(client);
    statistics.CountError("EXECABORT");
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    Emit(client, ErrorValue("EXECABORT Transaction discarded because of: " + std::string(error)));
    return;
  }
  statistics.CountError(error);
  if (client.in_multi) client.queue_failed = true;
  Emit(client, ErrorValue(error));
}

// What concerns the command and its client alone.
std::string Engine::RefusalBeforeKeys(const Client& client, const Command& command,
                                      Arguments args) const {
  if (!ArityMatches(command, args.size())) return ArityText(command);
  if ((command.flags & kProtected) != 0) {
    const std::string error = ProtectedText(config_, client, command);
    if (!error.empty()) return error;
  }
  if (!client.authenticated && !config_.requirepass.empty() && (command.flags & kNoAuth) == 0) {
    return "NOAUTH Authentication required.";
  }
  if (client.in_multi && (command.flags & kNoMulti) != 0) {
    return "ERR Command not allowed inside a transaction";
  }
  return {};
}

// Room is made before the command, whatever it is. A queue grows too, so nothing joins it.
bool Engine::OutOfMemory(const Client& client, const Command& command, Arguments args) {
  out_of_memory_ = false;
  if (config_.maxmemory == 0 || script_busy_) return false;
  const bool grows = (EffectiveFlags(client, command, args) & kDenyOom) != 0;
  const bool unmodelled_policy =
      config_.maxmemory_policy == kVolatileLfu || config_.maxmemory_policy == kAllkeysLfu;
  // Whoever wants to leave such a policy must be able to.
  if (unmodelled_policy && !grows) return false;
  out_of_memory_ = !memory.MakeRoom(SizeOfLarge(args));
  if (!out_of_memory_) return false;
  const bool ends_queue = command.name == "exec" || command.name == "discard" ||
                          command.name == "quit" || command.name == "reset";
  return (client.in_multi && !ends_queue) || grows;
}

// Nearly always so, and then none of what follows needs to be asked for itself.
bool Engine::NothingInTheWay(const Client& client, const Command& command, Arguments args) const {
  return ArityMatches(command, args.size()) && (command.flags & kProtected) == 0 &&
         client.authenticated && !client.in_multi && !client.subscribed() && !unmodelled &&
         !cluster.enabled() && config_.maxmemory == 0 && !script_busy_ && !pause.active() &&
         !Impaired();
}

bool Engine::Refuse(Client& client, Arguments args, const Command* command, bool container) {
  if (command == nullptr) {
    Reject(client, nullptr, container ? UnknownSubcommandText(args) : UnknownCommandText(args));
    return true;
  }
  if (NothingInTheWay(client, *command, args)) {
    out_of_memory_ = false;
    return false;
  }
  std::string error = RefusalBeforeKeys(client, *command, args);
  if (error.empty() && cluster.enabled() && !client.from_master) {
    if (const std::string refusal = cluster.Refusal(client, *command, args); !refusal.empty()) {
      // The one refusal of an EXEC that is no EXECABORT.
      if (command->name == "exec") DiscardTransaction(client);
      if (client.in_multi) client.queue_failed = true;
      statistics.CountError(refusal);
      Emit(client, ErrorValue(refusal));
      return true;
    }
  }
  if (error.empty() && OutOfMemory(client, *command, args)) error = kOutOfMemory;
  if (unmodelled) return true;  // How Redis would have made room.
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
  if (error.empty() && script_busy_ && (command->flags & kAllowBusy) == 0) {
    error = kBusyScript;
  }
  if (!error.empty()) {
    Reject(client, command, error);
    return true;
  }
  if (pause.active() && pause.Holds(EffectiveFlags(client, *command, args))) {
    pause.Hold(client, Argv(args.begin(), args.end()));
    return true;
  }
  return false;
}

}  // namespace interlock::sim::redis
