// SPDX-License-Identifier: MIT
//
// What clients ask a Sentinel: SENTINEL and its own INFO, ROLE and PUBLISH. Of the other commands
// it knows those that concern connections; all else is unknown to it.
#include <algorithm>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/sentinel.h"
#include "sim/redis/text.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

namespace {

constexpr std::string_view kNoSuchMaster = "ERR No such master with that name";

Sentinel& Of(Context& c) { return *c.engine.sentinel; }

constexpr Command kOwn[] = {
    {.name = "info",
     .arity = -1,
     .flags = 0,
     .categories = 0,
     .handler =
         [](Context& c) {
           if (c.args.size() == 2 && EqualsIgnoreCase(c.args[1], "sentinel")) {
             return c.Verbatim(Of(c).Info());
           }
           c.Unmodelled("INFO of a Sentinel but for its section");
         }},
    {.name = "publish",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler =
         [](Context& c) {
           c.Error("ERR Only HELLO messages are accepted by Sentinel instances.");
         }},
    {.name = "role",
     .arity = 1,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Role(c); }},
    {.name = "sentinel", .arity = -2, .flags = kContainer, .categories = 0},
    {.name = "sentinel|ckquorum",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).CheckQuorum(c); }},
    {.name = "sentinel|config", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|debug", .arity = -2, .flags = 0, .categories = 0},
    {.name = "sentinel|failover",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Failover(c); }},
    {.name = "sentinel|flushconfig",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { c.Ok(); }},
    {.name = "sentinel|get-master-addr-by-name",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).GetMasterAddress(c); }},
    {.name = "sentinel|help", .arity = 2, .flags = 0, .categories = 0},
    {.name = "sentinel|info-cache", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|is-master-down-by-addr", .arity = 6, .flags = 0, .categories = 0},
    {.name = "sentinel|master",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Master(c); }},
    {.name = "sentinel|masters",
     .arity = 2,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Masters(c); }},
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
     .handler = [](Context& c) { Of(c).Replicas(c); }},
    {.name = "sentinel|reset",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Reset(c); }},
    {.name = "sentinel|sentinels",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Sentinels(c); }},
    {.name = "sentinel|set", .arity = -5, .flags = 0, .categories = 0},
    {.name = "sentinel|simulate-failure", .arity = -3, .flags = 0, .categories = 0},
    {.name = "sentinel|slaves",
     .arity = 3,
     .flags = 0,
     .categories = 0,
     .handler = [](Context& c) { Of(c).Replicas(c); }},
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

}  // namespace

const Command* Sentinel::Find(std::string_view name, std::string_view sub, bool has_sub,
                              bool* container) {
  *container = false;
  const std::string lower = ToLower(name);
  if (lower == "sentinel") {
    *container = true;
    return has_sub ? FindOwn("sentinel|" + ToLower(sub)) : FindOwn(lower);
  }
  if (lower.find('|') == std::string::npos) {
    if (const Command* own = FindOwn(lower)) return own;
  }
  if (std::find(std::begin(kShared), std::end(kShared), lower) == std::end(kShared)) return nullptr;
  return FindCommand(name, sub, has_sub, container);
}

bool Sentinel::Knows(Context& context, std::string_view name) const {
  if (name == spec_.master_name) return true;
  context.Error(kNoSuchMaster);
  return false;
}

void Sentinel::GetMasterAddress(Context& c) const {
  if (c.args[2] != spec_.master_name) return c.NilArray();
  const MasterAddress& its = address(CurrentMaster());
  c.Array() = {StringValue(its.host), StringValue(std::to_string(its.port))};
}

Value Sentinel::DescribeInstance(const Instance& instance) const {
  const bool is_master = &instance == &master_;
  const bool is_sentinel = topology_.IsSentinel(instance.node);
  const MasterAddress& its = address(instance.node);
  const Replication& replication = ReplicationOf(instance.node);
  const auto ms_since = [&](std::int64_t us) { return us < 0 ? 0 : (now_us() - us) / 1000; };
  std::string name = its.host + ":" + std::to_string(its.port);
  if (is_master) name = spec_.master_name;
  if (is_sentinel) name = replication.run_id();
  std::string flags = instance.down ? "s_down," : "";
  if (is_master && objectively_down_) flags += "o_down,";
  flags += is_master ? "master" : is_sentinel ? "sentinel" : "slave";
  if (is_master && stage_ != Stage::kNone) flags += ",failover_in_progress";
  std::vector<Value> values;
  Fields fields(&values);
  fields.Add("name", name);
  fields.Add("ip", its.host);
  fields.Add("port", its.port);
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
  if (is_master && objectively_down_) fields.Add("o-down-time", ms_since(instance.down_since_us));
  fields.Add("down-after-milliseconds", spec_.down_after_us / 1000);
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
    fields.Add("config-epoch", static_cast<std::int64_t>(config_epoch_));
    fields.Add("num-slaves", static_cast<std::int64_t>(replicas_.size()));
    fields.Add("num-other-sentinels", static_cast<std::int64_t>(sentinels_.size()));
    fields.Add("quorum", static_cast<std::int64_t>(spec_.quorum));
    fields.Add("failover-timeout", spec_.failover_timeout_us / 1000);
    fields.Add("parallel-syncs", std::int64_t{1});
    return MapValue(std::move(values));
  }
  const auto& its_master = replication.master();
  fields.Add("master-link-down-time", std::int64_t{0});
  fields.Add("master-link-status",
             replication.link() == MasterLink::kConnected && its_master ? "ok" : "err");
  fields.Add("master-host", its_master ? its_master->host : "?");
  fields.Add("master-port", its_master ? its_master->port : 0);
  fields.Add("slave-priority", topology_.server(instance.node).engine().config().replica_priority);
  fields.Add("slave-repl-offset", replication.offset());
  fields.Add("replica-announced", std::int64_t{1});
  return MapValue(std::move(values));
}

void Sentinel::Masters(Context& c) const { c.Array() = {DescribeInstance(master_)}; }

void Sentinel::Master(Context& c) const {
  if (Knows(c, c.args[2])) c.reply = DescribeInstance(master_);
}

void Sentinel::Replicas(Context& c) const {
  if (!Knows(c, c.args[2])) return;
  std::vector<Value>& reply = c.Array();
  for (const Instance& replica : replicas_) reply.push_back(DescribeInstance(replica));
}

void Sentinel::Sentinels(Context& c) const {
  if (!Knows(c, c.args[2])) return;
  std::vector<Value>& reply = c.Array();
  for (const Instance& sentinel : sentinels_) reply.push_back(DescribeInstance(sentinel));
}

void Sentinel::CheckQuorum(Context& c) const {
  if (!Knows(c, c.args[2])) return;
  const std::size_t usable =
      1 + static_cast<std::size_t>(std::count_if(sentinels_.begin(), sentinels_.end(),
                                                 [](const Instance& it) { return !it.down; }));
  const bool quorum = usable >= spec_.quorum;
  const bool majority = usable >= (sentinels_.size() + 1) / 2 + 1;
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

void Sentinel::Failover(Context& c) {
  if (!Knows(c, c.args[2])) return;
  if (stage_ != Stage::kNone) return c.Error("INPROG Failover already in progress");
  if (!SelectReplica()) return c.Error("NOGOODSLAVE No suitable replica to promote");
  forced_ = true;
  StartFailover();
  c.Ok();
}

void Sentinel::Reset(Context& c) {
  if (!GlobMatch(c.args[2], spec_.master_name)) return c.Integer(std::int64_t{0});
  Publish("+reset-master", DescribeMaster());
  StartOver(master_.node);
  c.Integer(std::int64_t{1});
}

void Sentinel::Role(Context& c) const {
  c.Array() = {StringValue("sentinel"), ArrayValue({StringValue(spec_.master_name)})};
}

std::string Sentinel::Info() const {
  const MasterAddress& its = address(master_.node);
  const char* status = objectively_down_ ? "odown" : master_.down ? "sdown" : "ok";
  return "# Sentinel\r\nsentinel_masters:1\r\nsentinel_tilt:0\r\nsentinel_tilt_since_seconds:-1\r\n"
         "sentinel_running_scripts:0\r\nsentinel_scripts_queue_length:0\r\n"
         "sentinel_simulate_failure_flags:0\r\nmaster0:name=" +
         spec_.master_name + ",status=" + status + ",address=" + its.host + ":" +
         std::to_string(its.port) + ",slaves=" + std::to_string(replicas_.size()) +
         ",sentinels=" + std::to_string(sentinels_.size() + 1) + "\r\n";
}

}  // namespace interlock::sim::redis
