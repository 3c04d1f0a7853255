// SPDX-License-Identifier: MIT
//
// CLIENT: information about, and control of, connections.
#include <limits>

#include "sim/redis/commands/client_filter.h"
#include "sim/redis/commands/client_list.h"
#include "sim/redis/commands/connection.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void UnknownForm(Context& c) {
  c.Error(OneLine("ERR unknown subcommand or wrong number of arguments for '" +
                  std::string(UntilNul(c.args[1]).substr(0, 128)) + "'. Try CLIENT HELP."));
}

void ClientSetName(Context& c) {
  if (!ValidClientName(c, c.args[2])) return;
  c.client.name = c.args[2];
  c.Ok();
}

void ClientGetName(Context& c) {
  if (!c.client.name.empty()) c.String(c.client.name);
}

// Redis lists them in the order of the ids, as often as they are asked for.
void ListByIds(Context& c) {
  std::string lines;
  for (const std::string_view word : c.args.subspan(3)) {
    std::int64_t id = 0;
    if (!c.ParseInt(word, &id, "ERR Invalid client ID")) return;
    const Client* client = c.engine.clients.Find(static_cast<ClientId>(id));
    if (client != nullptr) lines += ClientLine(c, *client);
  }
  c.Verbatim(lines);
}

void ClientList(Context& c) {
  const bool by_ids = c.args.size() > 3 && EqualsIgnoreCase(c.args[2], "id");
  if (by_ids && !c.dialect().valkey) return ListByIds(c);
  ClientFilter filter;
  if (!ParseListFilter(c, &filter)) return;
  std::string lines;
  for (const std::unique_ptr<Client>& client : c.engine.clients.all()) {
    if (client != nullptr && Matches(c, filter, *client)) lines += ClientLine(c, *client);
  }
  c.Verbatim(lines);
}

std::int64_t KillMatching(Context& c, const ClientFilter& filter) {
  std::int64_t killed = 0;
  for (const std::unique_ptr<Client>& client : c.engine.clients.all()) {
    if (client == nullptr || !Matches(c, filter, *client)) continue;
    ++killed;
    if (client->id == c.client.id) {
      c.client.close_after_reply = true;
    } else {
      c.engine.Close(*client);
    }
  }
  return killed;
}

void ClientKill(Context& c) {
  ClientFilter filter;
  if (c.args.size() == 3) {  // The old form: an address, possibly its own.
    filter.address = c.args[2];
    return KillMatching(c, filter) == 0 ? c.Error("ERR No such client") : c.Ok();
  }
  filter.skip_me = true;
  if (ParseKillFilter(c, &filter)) c.Integer(KillMatching(c, filter));
}

void ClientPause(Context& c) {
  if (c.args.size() > 4 && !c.dialect().valkey) return UnknownForm(c);
  Pause::Scope scope = Pause::Scope::kAll;
  if (c.args.size() == 4) {
    if (EqualsIgnoreCase(c.args[3], "write")) {
      scope = Pause::Scope::kWrites;
    } else if (!EqualsIgnoreCase(c.args[3], "all")) {
      return c.Error("ERR CLIENT PAUSE mode must be WRITE or ALL");
    }
  }
  std::int64_t ms = 0;
  if (!c.ParseInt(c.args[2], &ms, "ERR timeout is not an integer or out of range")) return;
  if (ms < 0) return c.Error("ERR timeout is negative");
  std::int64_t end_ms = 0;
  // On overflow the pause is over before it began.
  if (ms == 0 || __builtin_add_overflow(ms, c.engine.now_ms(), &end_ms)) end_ms = 0;
  c.engine.pause.Begin(scope, end_ms, "client_pause");
  c.Ok();
}

void ClientUnpause(Context& c) {
  c.engine.pause.End();
  c.Ok();
}

void ClientUnblock(Context& c) {
  bool error = false;
  if (c.args.size() > 4 && !c.dialect().valkey) return UnknownForm(c);
  if (c.args.size() == 4) {
    error = EqualsIgnoreCase(c.args[3], "error");
    if (!error && !EqualsIgnoreCase(c.args[3], "timeout")) {
      return c.Error("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    }
  }
  std::int64_t id = 0;
  if (!c.ParseInt(c.args[2], &id)) return;
  Client* target = c.engine.clients.Find(static_cast<ClientId>(id));
  if (target == nullptr || !target->wait) return c.Integer(std::int64_t{0});
  // Before Redis 7.2 the command counts as failed, whatever its answer.
  CommandCounts& counts = c.engine.statistics.Of(*target->last_command);
  if (error || !c.dialect().since_72) {
    ++(c.dialect().valkey ? counts.rejected : counts.failed);
  }
  if (error) {
    c.engine.blocking.ReplyError(*target, "UNBLOCKED client unblocked via CLIENT UNBLOCK");
  } else {
    c.engine.blocking.ReplyTimeout(*target);
  }
  c.engine.blocking.Unblock(*target);
  c.Integer(std::int64_t{1});
}

void ClientReply(Context& c) {
  const bool on = EqualsIgnoreCase(c.args[2], "on");
  const bool known =
      on || EqualsIgnoreCase(c.args[2], "off") || EqualsIgnoreCase(c.args[2], "skip");
  // In this case Redis sends an array without its elements, or elements without their array.
  if (c.client.captured != nullptr && known && !(on && c.client.replies == Replies::kOn)) {
    return c.Unmodelled("CLIENT REPLY inside MULTI");
  }
  if (on) {
    c.client.replies = Replies::kOn;
    return c.Ok();
  }
  c.silent = true;
  if (EqualsIgnoreCase(c.args[2], "off")) {
    c.client.replies = Replies::kOff;
  } else if (!EqualsIgnoreCase(c.args[2], "skip")) {
    c.silent = false;
    c.Error(kSyntax);
  } else if (c.client.replies != Replies::kOff) {
    c.client.replies = Replies::kSkipNext;
  }
}

void ClientNoEvict(Context& c) {
  const bool on = EqualsIgnoreCase(c.args[2], "on");
  if (!on && !EqualsIgnoreCase(c.args[2], "off")) return c.Error(kSyntax);
  c.client.no_evict = on;
  c.Ok();
}

void ClientNoTouch(Context& c) {
  const bool on = EqualsIgnoreCase(c.args[2], "on");
  if (!on && !EqualsIgnoreCase(c.args[2], "off")) return c.Error(kSyntax);
  c.client.no_touch = on;
  c.Ok();
}

void ClientSetInfo(Context& c) {
  const bool is_name = EqualsIgnoreCase(c.args[2], "lib-name");
  const std::string option(UntilNul(c.args[2]));
  if (!is_name && !EqualsIgnoreCase(c.args[2], "lib-ver")) {
    return c.Error(OneLine("ERR Unrecognized option '" + option + "'"));
  }
  if (!IsPlainName(UntilNul(c.args[3]))) {
    return c.Error("ERR " + option + " cannot contain spaces, newlines or special characters.");
  }
  (is_name ? c.client.library : c.client.library_version) = c.args[3];
  c.Ok();
}

// What the server does not know it ignores.
void ClientCapa(Context& c) {
  for (const std::string_view word : c.args.subspan(2)) {
    if (EqualsIgnoreCase(word, "redirect")) c.client.follows_redirects = true;
  }
  c.Ok();
}

constexpr HandlerRow kClientCommands[] = {
    {"client|id", [](Context& c) { c.Integer(static_cast<std::int64_t>(c.client.id)); }},
    {"client|setname", &ClientSetName},
    {"client|getname", &ClientGetName},
    {"client|info", [](Context& c) { c.Verbatim(ClientLine(c, c.client)); }},
    {"client|list", &ClientList},
    {"client|kill", &ClientKill},
    {"client|pause", &ClientPause},
    {"client|unpause", &ClientUnpause},
    {"client|unblock", &ClientUnblock},
    {"client|reply", &ClientReply},
    {"client|no-evict", &ClientNoEvict},
    {"client|no-touch", &ClientNoTouch},
    {"client|setinfo", &ClientSetInfo},
    {"client|capa", &ClientCapa},
};

}  // namespace

std::span<const HandlerRow> ClientCommands() { return kClientCommands; }

}  // namespace interlock::sim::redis
