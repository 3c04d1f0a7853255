// SPDX-License-Identifier: MIT
//
// A server as a node of a Redis Cluster: which commands it serves, and where it redirects others.
// The rules are those of getNodeByQuery in 7.0 with the default configuration: full coverage
// required, and no reads while the cluster is down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/cluster_view.h"
#include "sim/redis/command_table.h"
#include "sim/redis/slot_migrations.h"

namespace interlock::sim::redis {

class Engine;
struct Client;

/// The view, and what only this node knows: slots being migrated, with the other node's id.
struct ClusterState {
  explicit ClusterState(Engine& engine) : migrations(engine) {}

  ClusterView view;
  std::map<std::size_t, std::string> migrating;
  std::map<std::size_t, std::string> importing;
  SlotMigrations migrations;
  bool healthy = false;  // follows from the view; every command checks it
};

class Cluster {
 public:
  explicit Cluster(Engine& engine) : engine_(engine) {}
  void Reset() { state_.reset(); }

  bool enabled() const { return state_.has_value(); }
  /// REQUIRES: enabled().
  const ClusterView& view() const { return state_->view; }
  /// Redirects clients that are blocked on keys which the node no longer serves, and ends exports
  /// of slots that have been claimed.
  void SetView(ClusterView view);

  /// Whether every slot is served by a working master.
  bool IsHealthy() const { return state_->healthy; }
  const ClusterNode& myself() const { return view().nodes[view().myself]; }
  std::optional<std::size_t> FindNode(std::string_view id) const;
  /// Slots being migrated from or to this node, with the other one's id.
  std::map<std::size_t, std::string>& migrating() { return state_->migrating; }
  std::map<std::size_t, std::string>& importing() { return state_->importing; }

  /// Whole slots, from or to this node.
  SlotMigrations& migrations() { return state_->migrations; }

  /// Why this node does not serve the command: MOVED, ASK, CROSSSLOT, TRYAGAIN, CLUSTERDOWN. Empty:
  /// it does. For an EXEC, judged by its queue.
  std::string Refusal(const Client& client, const Command& command,
                      std::span<const std::string_view> args) const;
  /// The same for a command of a script.
  std::string ScriptRefusal(const Client& client, const Command& command,
                            std::span<const std::string_view> args) const;
  /// The slot of the first key; none without keys.
  static std::optional<std::size_t> SlotOf(const Command& command,
                                           std::span<const std::string_view> args);

 private:
  enum class Verdict : std::uint8_t {
    kServe,
    kMoved,
    kAsk,
    kCrossSlot,
    kTryAgain,
    kUnbound,
    kDown,
  };
  struct Query;

  void AddKeys(const Command& command, std::span<const std::string_view> args, Query* query) const;
  Query Ask(const Client& client, const Command& command,
            std::span<const std::string_view> args) const;
  void Decide(const Client& client, Query* query) const;
  std::string Address(std::size_t node) const;
  void SendAwayBlocked();

  Engine& engine_;
  std::optional<ClusterState> state_;
};

}  // namespace interlock::sim::redis
