// SPDX-License-Identifier: MIT
//
// REPLICAOF, SLAVEOF, ROLE, WAIT, WAITAOF, FAILOVER.
#include <limits>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::string_view LinkName(MasterLink link) {
  switch (link) {
    case MasterLink::kConnect:
      return "connect";
    case MasterLink::kConnecting:
      return "connecting";
    case MasterLink::kSync:
      return "sync";
    case MasterLink::kConnected:
      return "connected";
  }
  return "unknown";
}

void ReplicaOf(Context& c) {
  if (c.engine.cluster.enabled()) return c.Error("ERR REPLICAOF not allowed in cluster mode.");
  if (EqualsIgnoreCase(c.args[1], "no") && EqualsIgnoreCase(c.args[2], "one")) {
    c.engine.replication.Promote();
    return c.Ok();
  }
  std::int64_t port = 0;
  if (!ParseInteger(c.args[2], &port) || port < 0 || port > 65535) {
    return c.Error("ERR Invalid master port");
  }
  const auto& master = c.engine.replication.master();
  if (master && master->port == port && EqualsIgnoreCase(master->host, c.args[1])) {
    return c.Status("OK Already connected to specified master");
  }
  if (c.engine.unreplicated) return c.Unmodelled(ToUpper(c.command.name));
  c.Ok();
  c.engine.replication.Follow({std::string(c.args[1]), static_cast<int>(port)});
}

void Role(Context& c) {
  const Replication& replication = c.engine.replication;
  std::vector<Value>& reply = c.Array();
  if (const auto& master = replication.master()) {
    const bool connected = replication.link() == MasterLink::kConnected;
    reply = {StringValue("slave"), StringValue(master->host), IntegerValue(master->port),
             StringValue(LinkName(replication.link())),
             IntegerValue(connected ? replication.offset() : -1)};
    return;
  }
  std::vector<Value> replicas;
  for (const Replication::Replica& replica : replication.replicas()) {
    if (!replica.online) continue;
    replicas.push_back(ArrayValue({StringValue(replica.address.host),
                                   StringValue(std::to_string(replica.address.port)),
                                   StringValue(std::to_string(replica.acknowledged))}));
  }
  reply = {StringValue("master"), IntegerValue(replication.offset()),
           ArrayValue(std::move(replicas))};
}

// Overflows before Redis 7.2 meant for ever.
bool ReadWaitTimeout(Context& c, std::string_view text, std::int64_t* deadline_ms) {
  std::int64_t ms = 0;
  if (!c.ParseInt(text, &ms, "ERR timeout is not an integer or out of range")) return false;
  if (ms < 0) {
    c.Error("ERR timeout is negative");
    return false;
  }
  *deadline_ms = 0;
  if (ms == 0 || !__builtin_add_overflow(ms, c.engine.now_ms(), deadline_ms)) return true;
  if (c.dialect().since_72) {
    c.Error("ERR timeout is out of range");
    return false;
  }
  *deadline_ms = std::numeric_limits<std::int64_t>::max();
  return true;
}

void BlockOrReply(Context& c, Wait wait) {
  wait.offset = c.client.last_write_offset;
  wait.unit = c.client.last_write_unit;
  if (c.engine.replication.IsEnough(wait) || c.client.must_not_block) {
    c.reply = c.engine.replication.Acknowledged(wait);
    return;
  }
  c.engine.blocking.Block(c, {}, std::move(wait));
  c.engine.replication.WantAcknowledgements();
}

void WaitForReplicas(Context& c) {
  if (c.engine.replication.is_replica()) {
    return c.Error(std::string("ERR WAIT cannot be used with replica instances. Please also note "
                               "that ") +
                   (c.dialect().valkey ? "" : "since Redis 4.0 ") +
                   "if a replica is configured to be writable (which is not the default) writes to "
                   "replicas are just local and are not propagated.");
  }
  Wait wait;
  if (!c.ParseInt(c.args[1], &wait.count)) return;
  if (ReadWaitTimeout(c, c.args[2], &wait.deadline_ms)) BlockOrReply(c, std::move(wait));
}

void WaitForDisks(Context& c) {
  constexpr std::string_view kNotPositive = "ERR value is out of range, must be positive";
  std::int64_t own = 0;
  Wait wait;
  wait.for_disks = true;
  if (!c.ParseInt(c.args[1], &own)) return;
  if (own < 0 || own > 1) {
    return c.Error("ERR value is out of range, value must between 0 and 1");
  }
  if (!c.ParseInt(c.args[2], &wait.count, kNotPositive)) return;
  if (wait.count < 0) return c.Error(kNotPositive);
  if (!ReadWaitTimeout(c, c.args[3], &wait.deadline_ms)) return;
  if (c.engine.replication.is_replica()) {
    return c.Error(
        "ERR WAITAOF cannot be used with replica instances. Please also note that writes to "
        "replicas are just local and are not propagated.");
  }
  wait.for_own_disk = own == 1;
  if (wait.for_own_disk && !c.engine.persistence.synced()) return c.Error(kNoAppendOnlyFile);
  BlockOrReply(c, std::move(wait));
}

void Failover(Context& c) {
  if (c.args.size() == 2 && EqualsIgnoreCase(c.args[1], "abort")) {
    return c.Error("ERR No failover in progress.");
  }
  if (c.engine.replication.is_replica()) {
    return c.Error("ERR FAILOVER is not valid when server is a replica.");
  }
  if (c.engine.replication.replicas().empty()) {
    return c.Error("ERR FAILOVER requires connected replicas.");
  }
  c.Unmodelled("FAILOVER");
}

constexpr HandlerRow kReplicationCommands[] = {
    {"replicaof", &ReplicaOf},  {"slaveof", &ReplicaOf},    {"role", &Role},
    {"wait", &WaitForReplicas}, {"waitaof", &WaitForDisks}, {"failover", &Failover},
};

}  // namespace

std::span<const HandlerRow> ReplicationCommands() { return kReplicationCommands; }

}  // namespace interlock::sim::redis
