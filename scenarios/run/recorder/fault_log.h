// SPDX-License-Identifier: MIT
//
// Records what faults do to clients: which may have felt them and until when, which died, whose
// clock deviated, and which server was replaced. Effects on the servers' data are recorded in
// server_data_log.h.
//
// Thread safety: that of the log, see run_log.h.
#pragma once

#include "scenarios/cases/workload.h"
#include "scenarios/run/recorder/run_log.h"
#include "sim/faults.h"
#include "sim/world.h"

namespace interlock::scenarios {

class FaultLog {
 public:
  explicit FaultLog(RunLog& log) : log_(log) {}

  // See sim::WorldObserver.
  void OnFault(const sim::Fault& fault, VirtualTime now);
  void OnRestart(int process);
  void OnServerChange(int node, sim::ServerChange change, VirtualTime now);
  void OnClockChange(int process, VirtualTime now);

  /// Number of faults that struck, and their kinds.
  int count() const { return count_; }
  const FaultSet& struck() const { return struck_; }

 private:
  /// Adds it to the events that the run keeps.
  void Keep(const sim::FaultInfo& info, const sim::Fault& fault, VirtualTime now);
  void OnClientFault(sim::FaultEffect effect, const sim::Fault& fault, VirtualTime now);
  void OnDeath(const sim::Fault& fault, VirtualTime now);
  void OnPause(const sim::Fault& fault, VirtualTime now);
  /// Records a fault that every client may feel.
  void OnServerFault(const sim::FaultInfo& info, const sim::Fault& fault, VirtualTime now);
  /// After this, no disturbance lasts but those that need healing.
  void EndsAt(VirtualTime end);
  /// `unheard`: the clients learn of it late, see scenarios::Disturbance.
  void Disturb(int process, bool unheard, VirtualTime now);
  void DelayUsers(const sim::Fault& fault, bool of_requests, VirtualTime now);
  void NoteDelay(int client, Duration length, bool of_requests, VirtualTime now);
  /// The client's requests arrive later by that length.
  void HoldUp(int client, Duration length, VirtualTime now);
  void SeeClockChange(Party who, VirtualTime now);

  RunLog& log_;
  int primary_ = 0;
  int count_ = 0;
  FaultSet struck_;
};

}  // namespace interlock::scenarios
