// SPDX-License-Identifier: MIT
#include "sim/machine/real_fault.h"

#include <array>
#include <cstddef>

namespace interlock::sim::machine {

std::span<const RealFaultInfo> KnownRealFaults() {
  using enum RealFaultKind;
  using enum RealFaultPlace;
  static constexpr auto kKnown = std::to_array<RealFaultInfo>({
      {kPause, "pause", kClient, FaultKind::kPause, "SIGSTOP, later SIGCONT, to a client",
       FaultKind::kExpiry},
      {kDelayRequest, "delay-request", kLink, FaultKind::kDelayRequest,
       "the proxy holds a request back"},
      {kDelayReply, "delay-reply", kLink, FaultKind::kDelayReply, "the proxy holds a reply back"},
      {kLostRequest, "lost-request", kLink, FaultKind::kLostRequest,
       "a request, and what follows it, never arrives"},
      {kLostReply, "lost-reply", kLink, FaultKind::kLostReply,
       "a reply, and what follows it, never arrives"},
      {kResetBefore, "reset-before", kLink, FaultKind::kResetBefore,
       "reset, the request is not delivered"},
      {kResetAfter, "reset-after", kLink, FaultKind::kResetAfter, "reset when the reply is there"},
      {kHalfOpen, "half-open", kLink, FaultKind::kHalfOpen,
       "silent both ways; the server keeps its end"},
      {kPartition, "partition", kLink, FaultKind::kPartition, "for a while nothing passes"},
      {kPartitionToServer, "partition-to-server", kLink, FaultKind::kPartitionToServer,
       "for a while no request passes"},
      {kPartitionFromServer, "partition-from-server", kLink, FaultKind::kPartitionFromServer,
       "for a while no reply passes"},
      // Stands for a power loss, too; but the kernel lives on, so no more is lost than by a kill.
      {kServerKill, "server-kill", kServer, FaultKind::kServerKill, "SIGKILL, later started again",
       FaultKind::kServerPowerLoss},
      {kServerPause, "server-pause", kServer, FaultKind::kServerPause,
       "SIGSTOP, later SIGCONT, to a server"},
      {kServerSleep, "server-sleep", kServer, FaultKind::kServerPause, "DEBUG SLEEP"},
      {kClientPauseAll, "client-pause-all", kServer, FaultKind::kServerPause, "CLIENT PAUSE ALL"},
      {kClientPauseWrite, "client-pause-write", kServer, FaultKind::kServerPause,
       "CLIENT PAUSE WRITE"},
      {kReadonly, "readonly", kServer, FaultKind::kReadonly,
       "a replica for a while: writes are refused"},
      {kOom, "oom", kServer, FaultKind::kOom, "CONFIG SET maxmemory 1, later 0"},
      {kBusy, "busy", kServer, FaultKind::kBusy, "a script that runs for long"},
      {kScriptFlush, "script-flush", kServer, FaultKind::kScriptFlush, "SCRIPT FLUSH"},
      {kClientKill, "client-kill", kServer, FaultKind::kClientKill, "CLIENT KILL TYPE normal"},
      {kFlushAll, "flush-all", kServer, FaultKind::kFlushAll, "FLUSHALL"},
      {kAdminDel, "admin-del", kServer, FaultKind::kAdminDel,
       "an operator deletes a key of the lock", FaultKind::kEvict},
      {kReplicationStop, "replication-stop", kServer, FaultKind::kReplicationStop,
       "a replica is cut off for a while"},
      {kFailover, "failover", kServer, FaultKind::kFailover,
       "REPLICAOF NO ONE, the primary is killed"},
      {kSplitBrain, "split-brain", kServer, FaultKind::kSplitBrain,
       "REPLICAOF NO ONE, the primary goes on"},
      {kSentinelFailover, "sentinel-failover", kServer, FaultKind::kFailover,
       "SIGKILL; the Sentinels promote"},
  });
  static_assert(kKnown.size() == static_cast<std::size_t>(kSentinelFailover) + 1, "a row each");
  return kKnown;
}

const RealFaultInfo& InfoOf(RealFaultKind kind) {
  return KnownRealFaults()[static_cast<std::size_t>(kind)];
}

std::string_view ToString(RealFaultKind kind) { return InfoOf(kind).name; }

}  // namespace interlock::sim::machine
