// SPDX-License-Identifier: MIT
#include "sim/machine/redis_topology.h"

#include <chrono>
#include <string>
#include <utility>

namespace interlock::sim::machine {
namespace {

constexpr std::size_t kSlots = 16384;
/// Several times as long as it takes on an otherwise idle machine.
constexpr std::chrono::seconds kTopologyPatience{30};

using Servers = std::vector<std::unique_ptr<RedisServer>>;

Status NotTogether(const std::string& what) {
  return Status(StatusCode::kUnavailable, "redis-servers did not find together: " + what);
}

Status Add(int count, const RedisServerOptions& options, Servers& servers) {
  for (int i = 0; i < count; ++i) {
    Result<std::unique_ptr<RedisServer>> server = RedisServer::Start(options);
    if (!server.ok()) return server.status();
    servers.push_back(std::move(server).value());
  }
  return Status();
}

/// Returns an error if the command is refused or gets no answer.
Status MustTell(RedisServer& server, const std::vector<std::string>& words) {
  const Result<std::string> reply = server.Command(words);
  if (!reply.ok()) return reply.status();
  if (*reply == "OK") return Status();
  return NotTogether(words[0] + " " + words[1] + " was answered " + *reply);
}

Status TellAll(RedisServer& server, const std::vector<std::vector<std::string>>& commands) {
  for (const std::vector<std::string>& words : commands) {
    if (Status told = MustTell(server, words); !told.ok()) return told;
  }
  return Status();
}

Status Await(RedisServer& server, const std::vector<std::string>& words, const std::string& text) {
  if (server.Comes(words, text, kTopologyPatience)) return Status();
  return NotTogether(words[0] + " " + words[1] + " does not come to " + text);
}

/// Periods, in ms, at which a Sentinel asks servers about themselves and announces itself to
/// others.
std::vector<std::string> SentinelPeriods(const std::string& info, const std::string& publish) {
  return {"SENTINEL", "DEBUG", "info-period", info, "publish-period", publish};
}

}  // namespace

Result<std::unique_ptr<RedisTopology>> RedisTopology::Start(const RedisTopologyOptions& options) {
  std::unique_ptr<RedisTopology> topology(new RedisTopology());
  Status together = topology->Launch(options);
  if (together.ok() && options.cluster) together = topology->Cluster(options);
  if (together.ok() && !options.cluster) together = topology->Replicate(options);
  if (together.ok() && options.sentinels > 0) together = topology->Watch(options);
  if (!together.ok()) return together;
  return topology;
}

Status RedisTopology::Launch(const RedisTopologyOptions& options) {
  RedisServerOptions data = options.of;
  data.cluster = options.cluster;
  if (!data.password.empty()) {
    data.arguments.insert(data.arguments.end(),
                          {"--requirepass", data.password, "--masterauth", data.password});
  }
  data.arguments.insert(data.arguments.end(), {"--repl-diskless-sync-delay", "0"});
  if (Status s = Add(options.masters, data, masters_); !s.ok()) return s;
  if (Status s = Add(options.masters * options.replicas, data, replicas_); !s.ok()) return s;
  return Add(options.sentinels, {.sentinel = true}, sentinels_);
}

Status RedisTopology::Replicate(const RedisTopologyOptions& options) {
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    const RedisServer& its_master = master(i / static_cast<std::size_t>(options.replicas));
    const std::string port = std::to_string(its_master.port());
    if (Status s = MustTell(replica(i), {"REPLICAOF", "127.0.0.1", port}); !s.ok()) return s;
  }
  for (const auto& one : replicas_) {
    Status in_step = Await(*one, {"INFO", "replication"}, "master_link_status:up");
    if (!in_step.ok()) return in_step;
  }
  return Status();
}

/// With the usual periods the Sentinels would take several seconds to discover each other.
Status RedisTopology::Watch(const RedisTopologyOptions& options) {
  const std::string name(kMasterName);
  const std::string port = std::to_string(master().port());
  const std::string quorum = std::to_string(options.sentinels / 2 + 1);
  const std::string patience = std::to_string(kSentinelPatience.count());
  for (const auto& one : sentinels_) {
    Status told = TellAll(*one, {SentinelPeriods("200", "100"),
                                 {"SENTINEL", "MONITOR", name, "127.0.0.1", port, quorum},
                                 {"SENTINEL", "SET", name, "down-after-milliseconds", patience},
                                 {"SENTINEL", "SET", name, "failover-timeout", "5000"}});
    if (told.ok() && !options.of.password.empty()) {
      told = MustTell(*one, {"SENTINEL", "SET", name, "auth-pass", options.of.password});
    }
    if (!told.ok()) return told;
  }
  const std::string all = "slaves=" + std::to_string(options.replicas) +
                          ",sentinels=" + std::to_string(options.sentinels);
  for (const auto& one : sentinels_) {
    Status found = Await(*one, {"INFO", "sentinel"}, all);
    if (found.ok()) found = MustTell(*one, SentinelPeriods("10000", "2000"));
    if (!found.ok()) return found;
  }
  return Status();
}

Status RedisTopology::Cluster(const RedisTopologyOptions& options) {
  if (Status s = ShareSlots(); !s.ok()) return s;
  Servers* const all[] = {&masters_, &replicas_};
  const auto everywhere = [&](const std::vector<std::string>& words, const std::string& text) {
    Status status;
    for (const Servers* some : all) {
      for (const auto& one : *some) {
        if (status.ok()) status = Await(*one, words, text);
      }
    }
    return status;
  };
  const std::string known = "cluster_known_nodes:" + std::to_string(masters() + replicas());
  if (Status s = everywhere({"CLUSTER", "INFO"}, known); !s.ok()) return s;
  for (std::size_t i = 0; i < replicas(); ++i) {
    RedisServer& its_master = master(i / static_cast<std::size_t>(options.replicas));
    const Result<std::string> id = its_master.Command({"CLUSTER", "MYID"});
    if (!id.ok()) return id.status();
    Status in_step = Await(replica(i), {"CLUSTER", "REPLICATE", *id}, "OK");
    if (in_step.ok()) in_step = Await(replica(i), {"INFO", "replication"}, "master_link_status:up");
    // Every voting node has to know it as a replica.
    if (in_step.ok()) in_step = everywhere({"CLUSTER", "NODES"}, "slave " + *id);
    if (!in_step.ok()) return in_step;
  }
  return everywhere({"CLUSTER", "INFO"}, "cluster_state:ok");
}

std::size_t RedisTopology::owner(int slot) const {
  return static_cast<std::size_t>(slot) * masters() / kSlots;
}

Status RedisTopology::ShareSlots() {
  const auto first = [this](std::size_t i) { return (i * kSlots + masters() - 1) / masters(); };
  for (std::size_t i = 0; i < masters(); ++i) {
    // Nodes with equal epochs would have to resolve that conflict first.
    Status told = TellAll(master(i), {{"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)},
                                      {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first(i)),
                                       std::to_string(first(i + 1) - 1)}});
    if (told.ok() && i > 0) told = Introduce(master(i));
    if (!told.ok()) return told;
  }
  for (const auto& one : replicas_) {
    if (Status s = Introduce(*one); !s.ok()) return s;
  }
  return Status();
}

Status RedisTopology::Introduce(RedisServer& node) {
  return MustTell(node, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(master().port()),
                         std::to_string(master().bus_port())});
}

}  // namespace interlock::sim::machine
