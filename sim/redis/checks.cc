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
  if (command != nullptr && command->name == "exec") {
    DiscardTransaction(client);
    if (error.starts_with("ERR ")) error.remove_prefix(4);
    Emit(client, ErrorValue("EXECABORT Transaction discarded because of: " + std::string(error)));
    return;
  }
  if (client.in_multi) client.queue_failed = true;
  Emit(client, ErrorValue(error));
}

bool Engine::Refuse(Client& client, Arguments args, const Command* command, bool container) {
  if (command == nullptr) {
    Reject(client, nullptr, container ? UnknownSubcommandText(args) : UnknownCommandText(args));
    return true;
  }
  if (!ArityMatches(*command, args.size())) {
    Reject(client, command, ArityText(*command));
    return true;
  }
  if ((command->flags & kProtected) != 0) {
    const std::string error = ProtectedText(config_, client, *command);
    if (!error.empty()) {
      Reject(client, command, error);
      return true;
    }
  }
  if (!client.authenticated && !config_.requirepass.empty() && (command->flags & kNoAuth) == 0) {
    Reject(client, command, "NOAUTH Authentication required.");
    return true;
  }
  if (client.in_multi && (command->flags & kNoMulti) != 0) {
    Reject(client, command, "ERR Command not allowed inside a transaction");
    return true;
  }
  if (cluster.enabled() && !client.from_master) {
    if (const std::string refusal = cluster.Refusal(client, *command, args); !refusal.empty()) {
      // The one refusal of an EXEC that is no EXECABORT.
      if (command->name == "exec") DiscardTransaction(client);
      if (client.in_multi) client.queue_failed = true;
      Emit(client, ErrorValue(refusal));
      return true;
    }
  }
  const bool impaired = Impaired();
  const std::uint32_t flags = impaired ? EffectiveFlags(client, *command, args) : command->flags;
  if (const auto error = RefuseWrite(client, *command, flags); impaired && !error.empty()) {
    Reject(client, command, error);
    return true;
  }
  if (client.protocol == 2 && client.subscribed() && (command->flags & kSubscriber) == 0) {
    Reject(client, command,
           "ERR Can't execute '" + std::string(command->name) +
               "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in "
               "this context");
    return true;
  }
  if (const auto error = RefuseService(flags); impaired && !error.empty()) {
    Reject(client, command, error);
    return true;
  }
  if (script_busy_ && (command->flags & kAllowBusy) == 0) {
    Reject(
        client, command,
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.");
    return true;
  }
  if (pause.active() && pause.Holds(EffectiveFlags(client, *command, args))) {
    pause.Hold(client, Argv(args.begin(), args.end()));
    return true;
  }
  return false;
}

}  // namespace interlock::sim::redis
