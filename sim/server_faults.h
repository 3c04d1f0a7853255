// SPDX-License-Identifier: MIT
//
// How faults of servers, their clocks and their operators strike and end. A fault that is
// impossible now (stopping a server that is down) does nothing, and is not reported. Thread safety:
// none.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/faults.h"
#include "sim/fingerprint.h"
#include "sim/process.h"
#include "sim/servers.h"
#include "sim/shadow.h"
#include "sim/world.h"

namespace interlock::sim {

class Engine;

class ServerFaults {
 public:
  explicit ServerFaults(Engine& engine);

  void StrikeServer(const Process& process, const Fault& fault);
  void StrikeClock(const Process& process, const Fault& fault);
  void StrikeAdmin(Process& process, const Fault& fault);

  /// The fault with this index has lasted its length.
  void OnTimer(std::size_t index) {
    ends_[index].timer = kNoTimer;
    End(index);
  }
  /// All faults are over.
  void Heal();
  /// Tells the shadow which replicas have all of their primary's data, before that changes.
  void TellShadowOfReplicas();
  /// The servers' current faults, and when they end.
  void Describe(FingerprintWriter& writer) const;

 private:
  /// When a fault's effect on a server ends. Several of one kind on one node all end with the last
  /// one.
  struct FaultEnd {
    FaultKind kind = FaultKind::kServerKill;
    int node = 0;
    VirtualTime at{};
    TimerId timer = kNoTimer;  // kNoTimer: it is over
  };

  void Kill(int node, bool machine_off);
  void PauseServer(const Process& process, const Fault& fault);
  /// Answers commands with an error, by the row of the fault.
  void Refuse(const Process& process, const Fault& fault);
  void Failover(const Process& process, const Fault& fault);
  void SplitBrain(const Process& process, const Fault& fault);
  void FailOverShard(const Process& process, const Fault& fault);
  void BeginReshard(const Process& process, const Fault& fault);
  void EndReshard();
  void BeginMigration(const Process& process, const Fault& fault);
  void EndMigration();
  /// The fault's effect on the node ends after its length.
  void EndLater(const Fault& fault, int node);
  void End(std::size_t index);
  void ReportChange(int node, ServerChange change);
  void TellShadowOfPromotion(int node, int except);
  void TellShadow(int node, Shadow::Happening happening);

  Engine& engine_;
  std::vector<FaultEnd> ends_;
  std::vector<bool> drifting_nodes_;
};

}  // namespace interlock::sim
