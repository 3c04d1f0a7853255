// SPDX-License-Identifier: MIT
//
// Writes a run's histories while it happens, one of each resource, and judges at once what can only
// be judged at the instant: ownership in the server, and keys without a TTL. Also enforces the
// scenario's synchrony class on pauses and delays.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/log/command_log.h"
#include "scenarios/log/fault_bounds.h"
#include "scenarios/log/fault_log.h"
#include "scenarios/log/run_log.h"
#include "scenarios/log/server_data_log.h"
#include "scenarios/run/client_program.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Recorder final : public sim::WorldObserver, public ProgramEvents {
 public:
  /// All references outlive the recorder. `options`: of each resource, in their order. Attach must
  /// be called before the world runs.
  Recorder(RunMemory& memory, const harness::Subject& subject,
           const std::vector<harness::LockOptions>& options, SynchronyClass synchrony, int database,
           GuardKind guard);
  void Attach(sim::World& world, int clients, Duration latency) {
    log_.Attach(world, clients, latency);
  }
  /// Clocks may run at any rate, jump and stand still, see Scenario::gives_up. Else what
  /// faults do to them stays within the drift that every lease lock must allow for.
  void FreeClocks() { log_.free_clocks = true; }

  /// Of each client, before it starts, in their order: what it has configured, and in which process
  /// it is. Where several share one: each says so on its own task, in each of its lives.
  void NoteClient(int client, int process, const ClientPlan& plan) {
    log_.NoteClient(client, process, plan);
  }
  void RunsOnThisTask(int client);

  /// Phase 2 begins.
  void MarkHealed() { log_.MarkHealed(); }
  /// The run is over at `end`: closes open intervals and ignores whatever the teardown causes.
  void Close(VirtualTime end) { log_.Close(end); }

  const std::vector<RecordedResource>& resources() const { return log_.resources; }
  const Users& users() const { return log_.users; }
  const std::vector<Violation>& violations() const { return log_.violations; }
  const GoalSet& goals() const { return log_.goals; }
  const FaultLog& faults() const { return faults_; }
  const ServerDataLog& server_data() const { return server_data_; }

  void OnSend(int process, std::uint64_t number, VirtualTime now) override {
    commands_.OnSend(process, number, now);
  }
  void BeforeCommand(int /*process*/, const sim::redis::Argv& /*argv*/, VirtualTime now) override {
    server_data_.BeforeCommand(now);
  }
  void AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                    const sim::redis::Value* reply, VirtualTime now) override {
    commands_.AfterCommand(process, number, argv, reply, now);
  }
  void OnFault(const sim::Fault& fault, VirtualTime now) override { faults_.OnFault(fault, now); }
  void OnRestart(int process, VirtualTime /*now*/) override { faults_.OnRestart(process); }
  void OnServerChange(int node, sim::ServerChange change, VirtualTime now) override {
    faults_.OnServerChange(node, change, now);
    server_data_.OnServerChange(node, change, now);
  }
  void OnClockChange(int process, VirtualTime now) override { faults_.OnClockChange(process, now); }
  Duration ClipFault(const sim::Fault& fault, Duration wanted, VirtualTime now) override {
    return bounds_.Clip(fault, wanted, now);
  }

  void OnAsk(Party who, const Operation& operation) override;
  void OnStop(Party who) override;
  void OnRefused(Party who, const Status& status) override;
  void OnGranted(Party who, const harness::Hold& granted) override;
  std::function<void()> LossCallOf(Party who) override;
  void OnEnter(Party who) override;
  bool guarded() const override { return log_.guard != GuardKind::kNone; }
  bool OnRead(Party who, const harness::Hold& shown) override;
  void Stall(int client, Duration length) override;
  void OnWrite(Party who, const harness::Hold& shown, std::shared_ptr<Event> answered) override;
  void OnLeave(Party who) override;
  void OnExtend(Party who) override;
  void OnExtended(Party who, const Status& status, const harness::Hold& extended) override;
  void OnAskValid(Party who) override;
  void OnAskedValid(Party who, bool valid, const harness::Hold& asked_of) override;
  void OnLost(Party who) override;
  void OnAwaitedLoss(Party who, bool told) override;
  void OnSetLimit(Party who, int limit) override;
  void OnLimitSet(Party who, const Status& status) override;
  void OnAwaitedCall(Party who, bool called) override;
  void OnRelease(Party who) override;
  void OnReleased(Party who, const Status& status) override;
  void OnDrop(Party who) override;
  void OnInspect(Party who) override;
  void OnInspected(Party who, const Status& status) override;
  void OnForce(Party who, const harness::SeenHolder& holder) override;
  void OnForced(Party who, const Status& status) override;
  void OnCountDown(Party who, int party) override;
  void OnAnswered(Party who, const Status& status) override;
  void Step(int client) override;

 private:
  struct Sent;  ///< a write on its way to what is guarded

  void OnArrived(const Sent& write);
  /// What the clock shows that is furthest behind, of the one server or of these.
  std::int64_t LeastServerMs(int nodes);
  void SetSent(const History& history, ClientHold& record, VirtualTime now) const;
  void NoteBelief(Party who, const harness::Hold& prolonged);
  void EndBelief(Party who);
  /// The lock has told its user that the hold is lost: from now on it knows.
  void NoteToldLost(Party who);
  void NoteLossCall(Party who, std::size_t hold);
  bool MayBeLost(Party who, VirtualTime now);

  RunLog log_;
  ServerDataLog server_data_;
  CommandLog commands_;
  FaultLog faults_;
  FaultBounds bounds_;
};

}  // namespace interlock::scenarios
