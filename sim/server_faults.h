// SPDX-License-Identifier: MIT
//
// How the faults of servers, their clocks and their operator strike, and how they end. What cannot
// happen now (a server that is down cannot be stopped) does not, and is not reported. Thread
// safety: none.
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

  /// The one of this number has lasted for its length.
  void OnTimer(std::size_t index) {
    ends_[index].timer = kNoTimer;
    End(index);
  }
  /// All are over.
  void Heal();
  /// Which replicas have all that their primary has now, before that changes.
  void TellShadowOfReplicas();
  /// What servers suffer now, and until when.
  void Describe(FingerprintWriter& writer) const;

 private:
  /// When what a fault did to a server is over. Several of one kind on one node: the last one's end
  /// is that of all.
  struct FaultEnd {
    FaultKind kind = FaultKind::kServerKill;
    int node = 0;
    VirtualTime at{};
    TimerId timer = kNoTimer;  // kNoTimer: it is over
  };

  void Kill(int node, bool machine_off);
  void PauseServer(const Process& process, const Fault& fault);
  void Failover(const Process& process, const Fault& fault);
  void SplitBrain(const Process& process, const Fault& fault);
  /// What the fault has brought upon the node ends after its length.
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
