// SPDX-License-Identifier: MIT
#include "sim/redis/cluster.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/crc.hpp>

#include "sim/redis/command_keys.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

std::size_t KeySlot(std::string_view key) {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close != open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  boost::crc_xmodem_t crc;
  crc.process_bytes(key.data(), key.size());
  return crc.checksum() % kSlots;
}

// Summary of the keys of a command, or of all commands of a transaction.
struct Cluster::Query {
  Verdict verdict = Verdict::kServe;
  bool writes = false;
  bool asking = false;
  bool shard_channel = false;
  std::optional<std::size_t> slot;
  std::optional<std::size_t> target;  // kMoved, kAsk
  std::string_view first_key;
  bool several_keys = false;
  std::size_t missing = 0;
  std::size_t present = 0;
};

void Cluster::SetView(ClusterView view) {
  if (!state_) state_.emplace(engine_);
  state_->view = std::move(view);
  const ClusterView& v = state_->view;
  state_->healthy = std::ranges::all_of(v.owner.runs(), [&v](const SlotOwners::Run& run) {
    return run.node != kNoNode && !v.nodes[static_cast<std::size_t>(run.node)].failed;
  });
  SendAwayBlocked();
  migrations().OnView();
}

std::optional<std::size_t> Cluster::FindNode(std::string_view id) const {
  for (std::size_t i = 0; i < view().nodes.size(); ++i) {
    if (view().nodes[i].id == id) return i;
  }
  return std::nullopt;
}

std::string Cluster::Address(std::size_t node) const {
  const ClusterNode& n = view().nodes[node];
  return n.host + ":" + std::to_string(n.port);
}

void Cluster::AddKeys(const Command& command, std::span<const std::string_view> args,
                      Query* query) const {
  if ((command.flags & kWrite) != 0) query->writes = true;
  if ((command.flags & kAsking) != 0) query->asking = true;
  const bool shard =
      command.name == "spublish" || command.name == "ssubscribe" || command.name == "sunsubscribe";
  if (shard) query->shard_channel = true;
  for (const std::size_t position : KeyPositions(command, args)) {
    if (query->verdict != Verdict::kServe) return;
    const std::string_view key = args[position];
    const std::size_t slot = KeySlot(key);
    if (!query->slot) {
      query->slot = slot;
      query->first_key = key;
      if (view().owner[slot] == kNoNode) query->verdict = Verdict::kUnbound;
    } else if (*query->slot != slot) {
      query->verdict = Verdict::kCrossSlot;
    } else if (key != query->first_key) {
      query->several_keys = true;
    }
    const bool moves = !state_->migrating.empty() || !state_->importing.empty();
    if (shard || !moves) continue;
    const bool exists = engine_.keyspace.Peek(0, key) != nullptr;
    ++(exists ? query->present : query->missing);
  }
}

void Cluster::Decide(const Client& client, Query* query) const {
  if (query->verdict != Verdict::kServe || !query->slot) return;
  if (!IsHealthy()) {
    query->verdict = Verdict::kDown;
    return;
  }
  const auto owner = static_cast<std::size_t>(view().owner[*query->slot]);
  const bool own = owner == view().myself;
  const auto leaving = state_->migrating.find(*query->slot);
  if (own && leaving != state_->migrating.end() && query->missing > 0) {
    query->verdict = query->present > 0 ? Verdict::kTryAgain : Verdict::kAsk;
    query->target = FindNode(leaving->second);
    return;
  }
  if (state_->importing.contains(*query->slot) && (client.asking || query->asking)) {
    if (query->several_keys && query->missing > 0) query->verdict = Verdict::kTryAgain;
    return;
  }
  const bool own_master = myself().master_id == view().nodes[owner].id;
  if (own_master && (client.reads_replica || query->shard_channel) && !query->writes) return;
  if (own) return;
  query->verdict = Verdict::kMoved;
  query->target = owner;
}

Cluster::Query Cluster::Ask(const Client& client, const Command& command,
                            std::span<const std::string_view> args) const {
  Query query;
  if (command.name == "exec") {
    if (!client.in_multi) return query;
    for (const Argv& argv : client.queue) {
      const std::vector<std::string_view> queued(argv.begin(), argv.end());
      const Command* of_queue = FindCommand(engine_.dialect(), queued);
      AddKeys(*of_queue, queued, &query);
    }
  } else {
    AddKeys(command, args, &query);
    // Which keys are there is only judged by the EXEC.
    if (client.in_multi && engine_.dialect().IsIn(kValkeyFrom90)) query.missing = 0;
  }
  Decide(client, &query);
  return query;
}

std::string Cluster::Refusal(const Client& client, const Command& command,
                             std::span<const std::string_view> args) const {
  const Query query = Ask(client, command, args);
  switch (query.verdict) {
    case Verdict::kServe:
      return {};
    case Verdict::kMoved:
      return "MOVED " + std::to_string(*query.slot) + " " + Address(*query.target);
    case Verdict::kAsk:
      return "ASK " + std::to_string(*query.slot) + " " + Address(*query.target);
    case Verdict::kCrossSlot:
      return "CROSSSLOT Keys in request don't hash to the same slot";
    case Verdict::kTryAgain:
      return "TRYAGAIN Multiple keys request during rehashing of slot";
    case Verdict::kUnbound:
      return "CLUSTERDOWN Hash slot not served";
    case Verdict::kDown:
      return "CLUSTERDOWN The cluster is down";
  }
  return {};
}

std::optional<std::size_t> Cluster::SlotOf(const Command& command,
                                           std::span<const std::string_view> args) {
  const std::vector<std::size_t> keys = KeyPositions(command, args);
  if (keys.empty()) return std::nullopt;
  return KeySlot(args[keys.front()]);
}

std::string Cluster::ScriptRefusal(const Client& client, const Command& command,
                                   std::span<const std::string_view> args) const {
  const Query query = Ask(client, command, args);
  if (query.verdict == Verdict::kServe) return {};
  const Dialect& dialect = engine_.dialect();
  const std::string named = "'" + std::string(command.name) + "'";
  if (dialect.IsIn(kValkeyFrom90)) {
    return query.verdict == Verdict::kDown
               ? "ERR Can not execute a command " + named + " while the cluster is down"
               : "ERR Attempted to access a non local key in a cluster node";
  }
  if (query.verdict == Verdict::kDown) {
    return "ERR Script attempted to execute a command while the cluster is down";
  }
  if (dialect.since_72 && query.verdict == Verdict::kUnbound) {
    return "ERR Script attempted to access a slot not served";
  }
  if (dialect.since_72 && query.verdict == Verdict::kCrossSlot) {
    return "ERR Command " + named +
           " in script attempted to access keys that don't hash to the same slot";
  }
  return "ERR Script attempted to access a non local key in a cluster node";
}

// Redis checks its blocked clients periodically; here, on a new view.
void Cluster::SendAwayBlocked() {
  for (std::size_t i = 0; i < engine_.clients.all().size(); ++i) {
    Client* client = engine_.clients.all()[i].get();
    if (client == nullptr || !client->wait || client->wait->keys.empty()) continue;
    const std::size_t slot = KeySlot(client->wait->keys.front());
    const std::int16_t owner = view().owner[slot];
    std::string error;
    if (!IsHealthy()) {
      error = "CLUSTERDOWN The cluster is down";
    } else if (static_cast<std::size_t>(owner) != view().myself &&
               !state_->importing.contains(slot)) {
      error = "MOVED " + std::to_string(slot) + " " + Address(static_cast<std::size_t>(owner));
    }
    if (error.empty()) continue;
    engine_.blocking.Unblock(*client);
    engine_.blocking.ReplyError(*client, error);
  }
}

}  // namespace interlock::sim::redis
