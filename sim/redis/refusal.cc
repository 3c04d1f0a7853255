// SPDX-License-Identifier: MIT
#include "sim/redis/refusal.h"

#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

std::string NoteRefusal(Server& server, ClientId client, const Argv& argv, std::string_view error) {
  Engine& engine = server.engine();
  Client* found = engine.clients.Find(client);
  if (found == nullptr || !found->in_multi) return std::string(error);
  bool container = false;
  const Command* command = FindCommand(engine.dialect(), argv[0], {}, false, &container);
  if (command == nullptr || command->name != "exec") {
    found->queue_failed = true;
    return std::string(error);
  }
  engine.DiscardTransaction(*found);
  if (error.starts_with("ERR ")) error.remove_prefix(4);
  return "EXECABORT Transaction discarded because of: " + std::string(error);
}

}  // namespace interlock::sim::redis
