// SPDX-License-Identifier: MIT
//
// What clients ask a Sentinel: SENTINEL and its own INFO, ROLE and PUBLISH. Of the other commands
// it knows those that concern connections; all else is unknown to it.
#include "sim/redis/sentinel.h"

#include <algorithm>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

namespace {

Sentinel& Of(Context& c) { return *c.engine.sentinel; }

bool KnowsMaster(Context& c) {
  if (c.args[2] == Of(c).spec().master_name) return true;
  c.Error("ERR No such master with that name");
  return false;
}

void GetMasterAddress(Context& c) {
  const Sentinel& its = Of(c);
  if (c.args[2] != its.spec().master_name) return c.NilArray();
  const MasterAddress& master = its.address(its.CurrentMaster());
  c.Array() = {StringValue(master.host), StringValue(std::to_string(master.port))};
}

// Name, value, name, value ...
class Fields {
 public:
  explicit Fields(std::vector<Value>* out) : out_(out) {}
  void Add(std::string_view name, std::string_view value) {
    out_->push_back(StringValue(name));
    out_->push_back(StringValue(value));
  }
  void Add(std::string_view name, std::int64_t value) { Add(name, std::to_string(value)); }

 private:
  std::vector<Value>* out_;
};

Value DescribeInstance(const Sentinel& its, const Sentinel::Instance& instance) {
  const bool is_master = &instance == &its.master();
  const bool is_sentinel = its.topology().IsSentinel(instance.node);
  const MasterAddress& address = its.address(instance.node);
  const Replication& replication = its.ReplicationOf(instance.node);
  const auto ms_since = [&](std::int64_t us) { return us < 0 ? 0 : (its.now_us() - us) / 1000; };
  std::string name = address.host + ":" + std::to_string(address.port);
  if (is_master) name = its.spec().master_name;
  if (is_sentinel) name = replication.run_id();
  // One that is led does not ping.
  const bool down = instance.down || (its.spec().led && !its.topology().IsUp(instance.node));
  std::string flags = down ? "s_down," : "";
  if (is_master && its.objectively_down()) flags += "o_down,";
  flags += is_master ? "master" : is_sentinel ? "sentinel" : "slave";
  if (is_master && its.in_failover()) flags += ",failover_in_progress";
  std::vector<Value> values;
  Fields fields(&values);
  fields.Add("name", name);
  fields.Add("ip", address.host);
  fields.Add("port", address.port);
  fields.Add("runid", instance.reports_master || instance.info_us >= 0 || is_sentinel
                          ? replication.run_id()
                          : std::string());
  fields.Add("flags", flags);
  fields.Add("link-pending-commands", std::int64_t{0});
  fields.Add("link-refcount", std::int64_t{1});
  fields.Add("last-ping-sent", ms_since(instance.unanswered_since_us));
  fields.Add("last-ok-ping-reply", ms_since(instance.last_pong_us));
  fields.Add("last-ping-reply", ms_since(instance.last_pong_us));
  if (instance.down) fields.Add("s-down-time", ms_since(instance.down_since_us));
  if (is_master && its.objectively_down()) {
    fields.Add("o-down-time", ms_since(instance.down_since_us));
  }
  fields.Add("down-after-milliseconds", its.spec().down_after_us / 1000);
  if (is_sentinel) {
    fields.Add("last-hello-message", ms_since(instance.last_pong_us));
    fields.Add("voted-leader", "?");
    fields.Add("voted-leader-epoch", std::int64_t{0});
    return MapValue(std::move(values));
  }
  fields.Add("info-refresh", ms_since(instance.info_us));
  fields.Add("role-reported", instance.reports_master ? "master" : "slave");
  fields.Add("role-reported-time", ms_since(instance.reported_since_us));
  if (is_master) {
    fields.Add("config-epoch", static_cast<std::int64_t>(its.config_epoch()));
    fields.Add("num-slaves", static_cast<std::int64_t>(its.replicas().size()));
    fields.Add("num-other-sentinels", static_cast<std::int64_t>(its.others().size()));
    fields.Add("quorum", static_cast<std::int64_t>(its.spec().quorum));
    fields.Add("failover-timeout", its.spec().failover_timeout_us / 1000);
    fields.Add("parallel-syncs", std::int64_t{1});
    return MapValue(std::move(values));
  }
  const auto& its_master = replication.master();
  fields.Add("master-link-down-time", std::int64_t{0});
  fields.Add("master-link-status",
             replication.link() == MasterLink::kConnected && its_master ? "ok" : "err");
  fields.Add("master-host", its_master ? its_master->host : "?");
  fields.Add("master-port", its_master ? its_master->port : 0);
  fields.Add("slave-priority", its.topology().engine(instance.node).config().replica_priority);
  fields.Add("slave-repl-offset", replication.offset());
  fields.Add("replica-announced", std::int64_t{1});
  return MapValue(std::move(values));
}

void SentinelMasters(Context& c) { c.Array() = {DescribeInstance(Of(c), Of(c).master())}; }

void SentinelMaster(Context& c) {
  if (KnowsMaster(c)) c.reply = DescribeInstance(Of(c), Of(c).master());
}

void DescribeInstances(Context& c, const std::vector<Sentinel::Instance>& instances) {
  if (!KnowsMaster(c)) return;
  std::vector<Value>& reply = c.Array();
  for (const Sentinel::Instance& one : instances) reply.push_back(DescribeInstance(Of(c), one));
}

void SentinelReplicas(Context& c) { DescribeInstances(c, Of(c).replicas()); }
void OtherSentinels(Context& c) { DescribeInstances(c, Of(c).others()); }

void CheckQuorum(Context& c) {
  if (!KnowsMaster(c)) return;
  const Sentinel& its = Of(c);
  const std::size_t usable =
      1 + static_cast<std::size_t>(std::count_if(its.others().begin(), its.others().end(),
                                                 [](const auto& other) { return !other.down; }));
  const bool quorum = usable >= its.spec().quorum;
  const bool majority = usable >= its.majority();
  const std::string count = std::to_string(usable) + " usable Sentinels. ";
  if (quorum && majority) {
    return c.Status("OK " + count + "Quorum and failover authorization can be reached");
  }
  std::string text = "NOQUORUM " + count;
  if (!quorum) {
    text += "Not enough available Sentinels to reach the specified quorum for this master";
  }
  if (!majority) {
    text += quorum ? "" : ". ";
    text += "Not enough available Sentinels to reach the majority and authorize a failover";
  }
  c.Error(text);
}

void SentinelFailover(Context& c) {
  if (!KnowsMaster(c)) return;
  if (Of(c).in_failover()) return c.Error("INPROG Failover already in progress");
  if (!Of(c).SelectReplica()) return c.Error("NOGOODSLAVE No suitable replica to promote");
  Of(c).ForceFailover();
  c.Ok();
}

void SentinelReset(Context& c) {
  const bool matches = GlobMatch(c.args[2], Of(c).spec().master_name);
  if (matches) Of(c).Reset();
  c.Integer(std::int64_t{matches ? 1 : 0});
}

void SentinelRole(Context& c) {
  c.Array() = {StringValue("sentinel"), ArrayValue({StringValue(Of(c).spec().master_name)})};
}

void SentinelInfo(Context& c) {
  if (c.args.size() != 2 || !EqualsIgnoreCase(c.args[1], "sentinel")) {
    return c.Unmodelled("INFO of a Sentinel but for its section");
  }
  const Sentinel& its = Of(c);
  const MasterAddress& master = its.address(its.master().node);
  const char* status = its.objectively_down() ? "odown" : its.master().down ? "sdown" : "ok";
  c.Verbatim(
      "# Sentinel\r\nsentinel_masters:1\r\nsentinel_tilt:0\r\nsentinel_tilt_since_seconds:-1\r\n"
      "sentinel_running_scripts:0\r\nsentinel_scripts_queue_length:0\r\n"
      "sentinel_simulate_failure_flags:0\r\nmaster0:name=" +
      its.spec().master_name + ",status=" + status + ",address=" + master.host + ":" +
      std::to_string(master.port) + ",slaves=" + std::to_string(its.replicas().size()) +
      ",sentinels=" + std::to_string(its.others().size() + 1) + "\r\n");
}

constexpr Command kOwn[] = {
    {.name = "info", .arity = -1, .flags = 0, .categories = 0, .handler = &SentinelInfo},
    {.name = "publish",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler =
         [](Context& c) {
           c.Error("ERR Only HELLO messages are accepted by Sentinel instances.");
         }},
    {.name = "role", .arity = 1, .flags = 0, .categories = 0, .handler = &SentinelRole},
    {.name = "sentinel", .arity = -2, .flags = kContainer, .categories = 0},
    {.name = "sentinel|ckquorum", .arity = 3, .flags = 0, .categories = 0, .handler = &CheckQuorum},
    {.name = "sentinel|config", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|debug", .arity = -2, .flags = 0, .categories = 0},
    {.name = "sentinel|failover",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &SentinelFailover},
    {.name = "sentinel|flushconfig",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { c.Ok(); }},
    {.name = "sentinel|get-master-addr-by-name",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &GetMasterAddress},
    {.name = "sentinel|help", .arity = 2, .flags = 0, .categories = 0},
    {.name = "sentinel|info-cache", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|is-master-down-by-addr", .arity = 6, .flags = 0, .categories = 0},
    {.name = "sentinel|master",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &SentinelMaster},
    {.name = "sentinel|masters",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = &SentinelMasters},
    {.name = "sentinel|monitor", .arity = 6, .flags = 0, .categories = 0},
    {.name = "sentinel|myid",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { c.String(Of(c).id()); }},
    {.name = "sentinel|pending-scripts",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { c.EmptyArray(); }},
    {.name = "sentinel|remove", .arity = 3, .flags = 0, .categories = 0},
    {.name = "sentinel|replicas",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &SentinelReplicas},
    {.name = "sentinel|reset", .arity = 3, .flags = 0, .categories = 0, .handler = &SentinelReset},
    {.name = "sentinel|sentinels",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &OtherSentinels},
    {.name = "sentinel|set", .arity = -5, .flags = 0, .categories = 0},
    {.name = "sentinel|simulate-failure", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|slaves",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = &SentinelReplicas},
};

// Those that it shares with a server; of the containers all subcommands.
constexpr std::string_view kShared[] = {"acl",      "auth",      "client",     "command",
                                        "hello",    "ping",      "psubscribe", "punsubscribe",
                                        "shutdown", "subscribe", "unsubscribe"};

const Command* FindOwn(std::string_view name) {
  const auto at = std::find_if(std::begin(kOwn), std::end(kOwn),
                               [&](const Command& command) { return command.name == name; });
  return at == std::end(kOwn) ? nullptr : at;
}

}  // namespace

const Command* FindSentinelCommand(const Dialect& dialect, std::string_view name,
                                   std::string_view sub, bool has_sub, bool* known_container) {
  *known_container = false;
  const std::string lower = ToLower(name);
  if (lower == "sentinel") {
    *known_container = true;
    return has_sub ? FindOwn("sentinel|" + ToLower(sub)) : FindOwn(lower);
  }
  if (lower.find('|') == std::string::npos) {
    if (const Command* own = FindOwn(lower)) return own;
  }
  if (std::find(std::begin(kShared), std::end(kShared), lower) == std::end(kShared)) return nullptr;
  return FindCommand(dialect, name, sub, has_sub, known_container);
}

}  // namespace interlock::sim::redis
