// SPDX-License-Identifier: MIT
#include "sim/machine/real_fault.h"

namespace interlock::sim::machine {

const std::array<RealFaultInfo, kRealFaults>& KnownRealFaults() {
  using enum RealFaultKind;
  using enum RealFaultPlace;
  static const std::array<RealFaultInfo, kRealFaults> kKnown = {{
      {kPause, "pause", kClient, "SIGSTOP, later SIGCONT, to a client"},
      {kDelayRequest, "delay-request", kLink, "the proxy holds a request back"},
      {kDelayReply, "delay-reply", kLink, "the proxy holds a reply back"},
      {kLostRequest, "lost-request", kLink, "a request, and what follows it, never arrives"},
      {kLostReply, "lost-reply", kLink, "a reply, and what follows it, never arrives"},
      {kResetBefore, "reset-before", kLink, "reset, the request is not delivered"},
      {kResetAfter, "reset-after", kLink, "reset when the reply is there"},
      {kHalfOpen, "half-open", kLink, "silent both ways; the server keeps its end"},
      {kPartition, "partition", kLink, "for a while nothing passes"},
      {kPartitionToServer, "partition-to-server", kLink, "for a while no request passes"},
      {kPartitionFromServer, "partition-from-server", kLink, "for a while no reply passes"},
      {kServerKill, "server-kill", kServer, "SIGKILL, later started again"},
      {kServerPause, "server-pause", kServer, "SIGSTOP, later SIGCONT, to a server"},
      {kServerSleep, "server-sleep", kServer, "DEBUG SLEEP"},
      {kClientPauseAll, "client-pause-all", kServer, "CLIENT PAUSE ALL"},
      {kClientPauseWrite, "client-pause-write", kServer, "CLIENT PAUSE WRITE"},
      {kReadonly, "readonly", kServer, "a replica for a while: writes are refused"},
      {kOom, "oom", kServer, "CONFIG SET maxmemory 1, later 0"},
      {kBusy, "busy", kServer, "a script that runs for long"},
      {kScriptFlush, "script-flush", kServer, "SCRIPT FLUSH"},
      {kClientKill, "client-kill", kServer, "CLIENT KILL TYPE normal"},
      {kFlushAll, "flush-all", kServer, "FLUSHALL"},
      {kAdminDel, "admin-del", kServer, "an operator deletes a key of the lock"},
      {kReplicationStop, "replication-stop", kServer, "a replica is cut off for a while"},
      {kFailover, "failover", kServer, "REPLICAOF NO ONE, the primary is killed"},
      {kSplitBrain, "split-brain", kServer, "REPLICAOF NO ONE, the primary goes on"},
      {kSentinelFailover, "sentinel-failover", kServer, "SIGKILL; the Sentinels promote"},
  }};
  return kKnown;
}

const RealFaultInfo& InfoOf(RealFaultKind kind) {
  return KnownRealFaults()[static_cast<std::size_t>(kind)];
}

std::string_view ToString(RealFaultKind kind) { return InfoOf(kind).name; }

}  // namespace interlock::sim::machine
