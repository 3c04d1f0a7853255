// SPDX-License-Identifier: MIT
//
// Writes down what faults do to clients: which may have felt them and until when, which died, whose
// clock went another way, and which server was replaced. What they leave in the servers' data is
// for server_data_log.h.
//
// Thread safety: as the log, see run_log.h.
#pragma once

#include "scenarios/cases/workload.h"
#include "scenarios/log/run_log.h"
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

  /// How many have struck, and which.
  int count() const { return count_; }
  const FaultSet& struck() const { return struck_; }

 private:
  void OnClientFault(const sim::Fault& fault, VirtualTime now);
  void OnDeath(const sim::Fault& fault, VirtualTime now);
  void OnPause(const sim::Fault& fault, VirtualTime now);
  /// Notes a fault that every client may feel.
  void OnServerFault(const sim::Fault& fault, VirtualTime now);
  /// From then on no disturbance that needs no healing lasts.
  void EndsAt(VirtualTime end);
  /// `unheard`: the clients hear of it late, see scenarios::Disturbance.
  void Disturb(int process, bool unheard, VirtualTime now);
  void DelayUsers(const sim::Fault& fault, bool of_requests, VirtualTime now);
  void NoteDelay(int client, Duration length, bool of_requests, VirtualTime now);
  /// Requests of the client arrive later by that length.
  void HoldUp(int client, Duration length, VirtualTime now);
  void SeeClockChange(Party who, VirtualTime now);

  RunLog& log_;
  int primary_ = 0;
  int count_ = 0;
  FaultSet struck_;
};

}  // namespace interlock::scenarios
