// SPDX-License-Identifier: MIT
//
// Faults on real servers as plain data: the kinds, how each is done, and one planned fault. A
// client's fault strikes at one of its steps (it connects, is about to send, has sent, has a reply,
// enters its section, is about to release), a link's at one of its messages, a server's at a time
// after the beginning. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <interlock/time.h>

#include "sim/faults.h"

namespace interlock::sim::machine {

enum class RealFaultKind : std::uint8_t {
  // Faults of a client.
  kPause,
  // Faults of its link, by the proxy.
  kDelayRequest,
  kDelayReply,
  kLostRequest,
  kLostReply,
  kResetBefore,
  kResetAfter,
  kHalfOpen,
  kPartition,
  kPartitionToServer,
  kPartitionFromServer,
  // Faults of a server, or by its operator.
  kServerKill,
  kServerPause,
  kServerSleep,
  kClientPauseAll,
  kClientPauseWrite,
  kReadonly,
  kOom,
  kBusy,
  kScriptFlush,
  kClientKill,
  kFlushAll,
  kAdminDel,
  // Faults of a primary with replicas.
  kReplicationStop,
  kFailover,
  kSplitBrain,
  kSentinelFailover,
};

enum class RealFaultPlace : std::uint8_t { kClient, kLink, kServer };

struct RealFaultInfo {
  RealFaultKind kind;
  std::string_view name;  ///< that of the simulated fault, if there is one
  RealFaultPlace place;
  FaultKind simulated;  ///< what it stands for
  std::string_view means;
  std::optional<FaultKind> also_simulated = {};
};

/// In the order of the kinds.
std::span<const RealFaultInfo> KnownRealFaults();
const RealFaultInfo& InfoOf(RealFaultKind kind);
std::string_view ToString(RealFaultKind kind);

struct RealFault {
  RealFaultKind kind = RealFaultKind::kPause;
  int client = 0;
  int step = 0;   ///< a client's step, or the number of its message
  Duration at{};  ///< for a server: from the beginning of the run
  Duration length{};
  int node = 0;  ///< index of the server, for a server's fault
  bool operator==(const RealFault&) const = default;
};

}  // namespace interlock::sim::machine
