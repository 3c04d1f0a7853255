// SPDX-License-Identifier: MIT
//
// Commands of a connection about itself: PING, SELECT, AUTH, HELLO, RESET, QUIT. There is one user.
#include "sim/redis/commands/connection.h"

#include <algorithm>
#include <limits>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

bool ValidClientName(Context& c, std::string_view name) {
  if (IsPlainName(c.dialect().since_72 ? UntilNul(name) : name)) return true;
  c.Error("ERR Client names cannot contain spaces, newlines or special characters.");
  return false;
}

bool IsPlainName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

namespace {

constexpr std::string_view kWrongPass =
    "WRONGPASS invalid username-password pair or user is disabled.";

void Ping(Context& c) {
  if (c.args.size() > 2) return c.ArityError();
  if (c.client.protocol == 3 || !c.client.subscribed()) {
    return c.args.size() == 1 ? c.Status("PONG") : c.String(c.args[1]);
  }
  c.Array() = {StringValue("pong"), StringValue(c.args.size() == 1 ? "" : c.args[1])};
}

void Echo(Context& c) { c.String(c.args[1]); }

void Select(Context& c) {
  std::int64_t index = 0;
  if (!c.ParseInt(c.args[1], &index)) return;
  if (index < std::numeric_limits<std::int32_t>::min() ||
      index > std::numeric_limits<std::int32_t>::max()) {
    return c.Error("ERR value is out of range, value must between -2147483648 and 2147483647");
  }
  if (index != 0 && c.engine.cluster.enabled()) {
    return c.Error("ERR SELECT is not allowed in cluster mode");
  }
  if (index < 0 || index >= kDatabases) return c.Error("ERR DB index is out of range");
  c.client.database = static_cast<int>(index);
  c.Ok();
}

// There is one user, which accepts any password if none is set.
bool Authenticate(Context& c, std::string_view user, std::string_view password) {
  const bool right = user == "default" && (c.engine.config().requirepass.empty() ||
                                           password == c.engine.config().requirepass);
  if (right) {
    c.client.authenticated = true;
  } else if ((c.client.captured != nullptr || c.client.catches_up) &&
             c.dialect().loses_late_refusals) {
    c.Unmodelled("AUTH with a wrong password inside MULTI or behind a blocked command");
  } else {
    c.Error(kWrongPass);
  }
  return right;
}

void Auth(Context& c) {
  if (c.args.size() > 3) return c.Error(kSyntax);
  if (c.args.size() == 2 && c.engine.config().requirepass.empty()) {
    return c.Error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const bool named = c.args.size() == 3;
  if (Authenticate(c, named ? c.args[1] : "default", c.args.back())) c.Ok();
}

// Reads the options, and acts upon them if asked to.
bool TakeHelloWords(Context& c, bool act) {
  for (std::size_t i = 2; i < c.args.size(); ++i) {
    const std::size_t more = c.args.size() - 1 - i;
    if (EqualsIgnoreCase(c.args[i], "auth") && more >= 2) {
      if (act && !Authenticate(c, c.args[i + 1], c.args[i + 2])) return false;
      i += 2;
    } else if (EqualsIgnoreCase(c.args[i], "setname") && more >= 1) {
      if (!ValidClientName(c, c.args[i + 1])) return false;
      ++i;
      if (act) c.client.name = c.args[i];
    } else {
      c.Error(
          OneLine("ERR Syntax error in HELLO option '" + std::string(UntilNul(c.args[i])) + "'"));
      return false;
    }
  }
  return true;
}

// Before Redis 7.2 every option takes effect at once, even if a later one is wrong; since then all
// are read before. Version 0 means none.
bool TakeHelloOptions(Context& c, std::int64_t* version) {
  if (c.args.size() >= 2) {
    if (!c.ParseInt(c.args[1], version, "ERR Protocol version is not an integer or out of range")) {
      return false;
    }
    if (*version < 2 || *version > 3) {
      c.Error("NOPROTO unsupported protocol version");
      return false;
    }
  }
  if (c.dialect().since_72 && !TakeHelloWords(c, false)) return false;
  return TakeHelloWords(c, true);
}

Value Modules(const Dialect& dialect) {
  if (dialect.module_name.empty()) return ArrayValue();
  return ArrayValue({MapValue(
      {StringValue("name"), StringValue(dialect.module_name), StringValue("ver"), IntegerValue(1),
       StringValue("path"), StringValue(dialect.module_path), StringValue("args"), ArrayValue()})});
}

void Hello(Context& c) {
  std::int64_t version = 0;
  if (!TakeHelloOptions(c, &version)) return;
  if (!c.client.authenticated) {
    return c.Error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO " +
        std::string(c.dialect().since_72 ? "<proto> " : "") +
        "AUTH <user> <pass> option can be used to authenticate the client and select the RESP "
        "protocol version at the same time");
  }
  if (version == 0) version = c.client.protocol;
  if (version > c.engine.highest_protocol) return c.Unmodelled("HELLO 3");
  c.client.protocol = static_cast<int>(version);
  const bool sentinel = c.engine.sentinel != nullptr;
  const std::string_view mode = sentinel                     ? "sentinel"
                                : c.engine.cluster.enabled() ? "cluster"
                                                             : "standalone";
  const std::string_view role = c.engine.replication.is_replica() ? "replica" : "master";
  const Dialect& dialect = c.dialect();
  c.Map() = {StringValue("server"),  StringValue(dialect.valkey ? "valkey" : "redis"),
             StringValue("version"), StringValue(dialect.own_version()),
             StringValue("proto"),   IntegerValue(c.client.protocol),
             StringValue("id"),      IntegerValue(static_cast<std::int64_t>(c.client.id)),
             StringValue("mode"),    StringValue(mode),
             StringValue("role"),    StringValue(role),
             StringValue("modules"), Modules(dialect)};
  if (sentinel) c.reply.elements.erase(c.reply.elements.end() - 4, c.reply.elements.end() - 2);
}

void Quit(Context& c) {
  c.client.close_after_reply = true;
  c.Ok();
}

void Reset(Context& c) {
  c.engine.DiscardTransaction(c.client);
  c.engine.pubsub.Forget(c.client);
  c.engine.tracking.Disable(c.client);
  c.client.database = 0;
  c.client.name.clear();
  c.client.protocol = 2;
  if (c.dialect().since_72) c.client.no_evict = c.client.no_touch = false;
  if (c.client.replies == Replies::kOff) c.client.replies = Replies::kOn;
  c.client.authenticated = c.engine.config().requirepass.empty();
  c.Status("RESET");
}

constexpr HandlerRow kConnectionCommands[] = {
    {"ping", &Ping},
    {"echo", &Echo},
    {"select", &Select},
    {"auth", &Auth},
    {"hello", &Hello},
    {"quit", &Quit},
    {"reset", &Reset},
    {"acl|whoami", [](Context& c) { c.String("default"); }},
    {"acl|users", [](Context& c) { c.Array() = {StringValue("default")}; }},
};

}  // namespace

std::span<const HandlerRow> ConnectionCommands() { return kConnectionCommands; }

}  // namespace interlock::sim::redis
