// SPDX-License-Identifier: MIT
//
// Writes a run's history while it happens, and judges at once what can only be judged at the
// instant: ownership in the server, and keys without a TTL. Also enforces the scenario's synchrony
// class on pauses and delays.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/client_program.h"
#include "scenarios/goals.h"
#include "scenarios/guarded_resource.h"
#include "scenarios/history.h"
#include "scenarios/oracles/ledger.h"
#include "scenarios/server_view.h"
#include "scenarios/synchrony.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Recorder : public sim::WorldObserver, public ProgramEvents {
 public:
  /// All references outlive the recorder. Attach must be called before the world runs.
  Recorder(const harness::Subject& subject, const harness::LockOptions& options,
           SynchronyClass synchrony, int database, GuardKind guard);
  void Attach(sim::World& world, int clients, Duration latency);
  /// Clocks may run at any rate, jump and stand still, see Scenario::gives_up. Else what
  /// faults do to them stays within the drift that every lease lock must allow for.
  void FreeClocks() { free_clocks_ = true; }

  /// Phase 2 begins.
  void MarkHealed();
  /// The run is over at `end`: closes open intervals and ignores whatever the teardown causes.
  void Close(VirtualTime end);

  const History& history() const { return history_; }
  const std::vector<Violation>& violations() const { return violations_; }
  const GoalSet& goals() const { return goals_; }
  int faults() const { return faults_; }
  const FaultSet& struck() const { return struck_; }
  const GuardedResource& guarded_resource() const { return guarded_resource_; }
  /// A key that the lock has written outside of its prefix; empty: none.
  const std::string& stray_key() const { return stray_key_; }

  void OnSend(int process, sim::VirtualTime now) override;
  void AfterCommand(int process, const sim::redis::Argv& argv, const sim::redis::Value* reply,
                    sim::VirtualTime now) override;
  void OnFault(const sim::Fault& fault, sim::VirtualTime now) override;
  void OnRestart(int process, sim::VirtualTime now) override;
  void OnServerChange(int node, sim::ServerChange change, sim::VirtualTime now) override;
  void OnClockChange(int process, sim::VirtualTime now) override;
  Duration ClipFault(const sim::Fault& fault, Duration wanted, sim::VirtualTime now) override;

  void OnAsk(int client, const Operation& operation) override;
  void OnRefused(int client, const Status& status) override;
  void OnGranted(int client, const harness::Hold& granted) override;
  void OnEnter(int client) override;
  bool guarded() const override { return guard_ != GuardKind::kNone; }
  bool OnRead(int client, const harness::Hold& shown) override;
  void Stall(int client, Duration length) override;
  void OnWrite(int client, const harness::Hold& shown, std::shared_ptr<Event> answered) override;
  void OnLeave(int client) override;
  void OnExtend(int client) override;
  void OnExtended(int client, const Status& status, const harness::Hold& extended) override;
  void OnAskValid(int client) override;
  void OnAskedValid(int client, bool valid) override;
  void OnRelease(int client) override;
  void OnReleased(int client, const Status& status) override;
  void Step(int client) override;

 private:
  struct ClientState {
    Doing doing = Doing::kNothing;
    std::size_t attempt = 0;  ///< index of its latest attempt
    std::size_t hold = 0;     ///< index of its latest hold
    std::size_t renewal = 0;  ///< index of its latest renewal
    bool inside = false;
    bool silent = false;      ///< a connection of it is half open
    VirtualTime valid_end{};  ///< of its latest hold: the validity's end, or a loss it was told of
    VirtualTime asked_valid{};    ///< when it last asked whether it is valid
    VirtualTime sent{};           ///< its latest command
    MonotonicTime valid_until{};  ///< of its latest hold, on its own clock
    MonotonicTime gives_up{};     ///< the deadline of its latest attempt, on its own clock
    VirtualTime believes_until{-1};
    std::int64_t extend_called_ms = 0;  ///< the least that the server's clock showed since
    std::uint64_t read = 0;             ///< what the guarded resource showed it last
  };
  /// A write on its way to the guarded resource.
  struct Sent {
    int client = 0;
    GuardedResource::Visitor visitor;
    std::uint64_t value = 0;
    VirtualTime at{};
  };

  void OnDelay(const sim::Fault& fault, bool of_requests, VirtualTime now);
  /// A server's fault, which everybody may feel.
  void OnServerFault(const sim::Fault& fault, VirtualTime now);
  /// What the server in view holds; `observable_` is false if the subject does not show it.
  Ledger::Look LookAtServer();
  void OnArrived(const Sent& write);
  Duration ClipPause(const sim::Fault& fault, Duration wanted, VirtualTime now);
  void SyncOwners(int process, VirtualTime now);
  /// The request that made or renewed the grant, and how long ago that is for its client.
  void SetSent(ClientHold& record, VirtualTime now) const;
  void Note(int client, std::string_view text);
  ClientState& state(int client) { return clients_[static_cast<std::size_t>(client)]; }
  ClientHold& hold(int client) { return history_.holds[state(client).hold]; }

  const harness::Subject& subject_;
  const harness::LockOptions& options_;
  const SynchronyClass synchrony_;
  const int database_;
  const GuardKind guard_;
  GuardedResource guarded_resource_;
  sim::World* world_ = nullptr;
  Ledger ledger_;
  History history_;
  std::vector<Violation> violations_;
  GoalSet goals_;
  std::vector<ClientState> clients_;
  /// What the last command found a server at.
  struct Seen {
    std::uint64_t mutations = 0;
    std::uint64_t changes = 0;
  };
  std::array<Seen, kMostNodes> seen_{};
  int primary_ = 0;
  int faults_ = 0;
  FaultSet struck_;
  bool key_without_ttl_ = false;
  std::string stray_key_;
  bool observable_ = true;
  bool free_clocks_ = false;
  bool closed_ = false;
};

}  // namespace interlock::scenarios
