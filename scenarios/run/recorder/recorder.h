// SPDX-License-Identifier: MIT
//
// Records a run while it happens. Events of the world and the clients' programs go to the log that
// records them; all of these write to one RunLog, by which the run is judged at its end: nothing
// here judges. What can be seen at one instant only is noted as it was (log/observations.h).
//
//   source      log                          records
//   programs    AttemptLog ... OperatorLog   what clients do and are told; see program_log.h
//   commands    CommandLog                   which commands clients send, and why
//               ServerDataLog                what they do to the servers' data
//   faults      FaultLog                     who may have felt them
//               FaultBounds                  nothing: it limits how long they last
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/run/client_program.h"
#include "scenarios/run/recorder/command_log.h"
#include "scenarios/run/recorder/fault_bounds.h"
#include "scenarios/run/recorder/fault_log.h"
#include "scenarios/run/recorder/program_log.h"
#include "scenarios/run/recorder/run_log.h"
#include "scenarios/run/recorder/server_data_log.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Recorder final : public sim::WorldObserver {
 public:
  /// All references outlive the recorder. `options`: one per resource, in order. Call Attach before
  /// the world runs.
  Recorder(RunMemory& memory, const harness::Subject& subject,
           const std::vector<harness::LockOptions>& options, SynchronyClass synchrony, int database,
           GuardKind guard);
  void Attach(sim::World& world, int clients, Duration latency) {
    log_.Attach(world, clients, latency);
  }
  /// Clocks may run at any rate, jump and stand still, see Scenario::gives_up. Otherwise clock
  /// faults stay within the drift that every lease lock must tolerate.
  void FreeClocks() { log_.free_clocks = true; }

  /// Called for each client before it starts, in order: its configuration, and its process. If
  /// several clients share a process, each calls RunsOnThisTask on its own task, in each
  /// incarnation.
  void NoteClient(int client, int process, const ClientPlan& plan) {
    log_.NoteClient(client, process, plan);
  }
  void RunsOnThisTask(int client);

  /// Phase 2 begins.
  void MarkHealed() { log_.MarkHealed(); }
  /// The run is over at `end`: closes open intervals and ignores the teardown.
  void Close(VirtualTime end) { log_.Close(end); }

  /// The events that the clients' programs report to.
  ProgramEvents& program_events() { return programs_; }

  /// What clients did and were told, in order of time, if the run keeps its events.
  EventLog TakeEvents() { return std::move(log_.events); }

  const std::vector<RecordedResource>& resources() const { return log_.resources; }
  const Users& users() const { return log_.users; }
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

 private:
  RunLog log_;
  ServerDataLog server_data_;
  CommandLog commands_;
  FaultLog faults_;
  FaultBounds bounds_;
  ProgramLog programs_;
};

}  // namespace interlock::scenarios
