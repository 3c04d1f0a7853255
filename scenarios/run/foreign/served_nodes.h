// SPDX-License-Identifier: MIT
//
// The fake servers of a run of foreign clients: one, or several masters that know nothing of each
// other; or what a client library discovers by itself: a primary with a replica and the Sentinels
// that watch it, or the masters of a cluster with a replica each. Addresses are the servers' own
// names for each other; see node_addresses.h for what clients are told.
//
// What is said to be judged together is one place to whoever uses it: a key is held there once,
// whichever server has it now. All times are Unix times in us. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/held_data.h"
#include "sim/faults.h"
#include "sim/redis/server.h"
#include "sim/redis/topology.h"
#include "sim/servers.h"
#include "sim/shards.h"

namespace interlock::scenarios::drive {

class ServedNodes {
 public:
  ServedNodes(const DriveOptions& options, std::int64_t epoch_us);

  /// Sentinels come last.
  int count() const { return servers_.count(); }
  sim::redis::Server& server(int node) { return servers_.at(node); }
  bool IsSentinel(int node) const { return node >= servers_.with_data(); }
  /// Whether it runs.
  bool Serves(int node) const { return servers_.Serves(node); }
  /// What servers tell of each other are addresses by which nobody reaches them.
  bool TellAddresses() const { return servers_.replicated() || servers_.clustered(); }
  const sim::redis::MasterAddress& address(int node) const { return servers_.address(node); }

  /// Each deadline on the way is met at its own time. REQUIRES: not before the last time.
  void SetTime(std::int64_t unix_us);
  /// The earliest timeout or key expiry in any server; nullopt: none.
  std::optional<std::int64_t> NextTimerUs();

  /// The primary that a replica can replace while a command for that node waits: in a cluster the
  /// node itself, and else the only one. nullopt: there is none, or slots are moving.
  std::optional<int> Replaceable(int node);
  /// Its machine is gone with what it had not sent yet, and a replica takes its place. Its clients'
  /// connections are the caller's to break. REQUIRES: Replaceable(node) is that node.
  void FailOver(int node);
  /// A primary that is gone comes back as a replica without data. False: none is gone.
  bool BringBack();

  /// Executes an operator's command; nobody sees the reply.
  void ExecuteAsOperator(int node, const sim::redis::Argv& argv);
  /// Whether slots can begin to move: of a cluster whose masters all serve, where some have keys,
  /// and none is moving.
  bool CanMoveSlots();
  /// The slots that have keys begin to move to the next masters: key by key (kReshard), half of
  /// them now; or at once (kSlotMigration, kLateClaim; Valkey from 9.0 on). REQUIRES:
  /// CanMoveSlots().
  void BeginMove(sim::FaultKind how);
  /// The next masters have the slots. Of kLateClaim, what was written since the beginning is lost.
  /// False: they move on, because a server refuses a key (a client may have paused its writes).
  /// REQUIRES: moving().
  bool EndMove();
  bool moving() const { return moving_.has_value(); }
  /// Whether the command would wait in its server until slots that move at once have moved.
  bool HoldsUp(int node, sim::redis::ClientId client, const sim::redis::Argv& argv);
  /// Until when a move at once must have ended, to lose nothing; nullopt: there is none.
  std::optional<std::int64_t> ClaimByUs() const { return claim_by_us_; }

  /// Number of places; each node with data is part of one.
  int places() const { return TellAddresses() ? 1 : count(); }
  int PlaceOf(int node) const { return TellAddresses() ? 0 : node; }
  /// The data of that place, as its primaries have them.
  HeldMap DataAt(int place);

 private:
  void MoveTo(std::int64_t unix_us);
  bool IsPrimary(int node) const;
  sim::Shards::Execute AsOperator();

  const std::int64_t epoch_us_;
  std::int64_t time_us_;
  sim::redis::Topology topology_;
  sim::redis::TopologySpec spec_;
  sim::Servers servers_;
  std::vector<int> gone_;
  std::optional<sim::FaultKind> moving_;
  std::optional<std::int64_t> claim_by_us_;
};

}  // namespace interlock::scenarios::drive
