// SPDX-License-Identifier: MIT
//
// Writes a run's histories while it happens, one of each resource, and judges at once what can only
// be judged at the instant: ownership in the server, and keys without a TTL. Also enforces the
// scenario's synchrony class on pauses and delays.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/synchrony.h"
#include "scenarios/judge/keys.h"
#include "scenarios/log/dealing.h"
#include "scenarios/log/recorded_resource.h"
#include "scenarios/log/run_memory.h"
#include "scenarios/log/server_view.h"
#include "scenarios/log/users.h"
#include "scenarios/run/client_program.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Recorder : public sim::WorldObserver, public ProgramEvents {
 public:
  using Resource = RecordedResource;

  /// All references outlive the recorder. `options`: of each resource, in their order. Attach must
  /// be called before the world runs.
  Recorder(RunMemory& memory, const harness::Subject& subject,
           const std::vector<harness::LockOptions>& options, SynchronyClass synchrony, int database,
           GuardKind guard);
  ~Recorder() override;
  void Attach(sim::World& world, int clients, Duration latency);
  /// Clocks may run at any rate, jump and stand still, see Scenario::gives_up. Else what
  /// faults do to them stays within the drift that every lease lock must allow for.
  void FreeClocks() { free_clocks_ = true; }

  /// Of each client, before it starts, in their order: what it has configured, and in which process
  /// it is. Where several share one: each says so on its own task, in each of its lives.
  void NoteClient(int client, int process, const ClientPlan& plan);
  void RunsOnThisTask(int client);

  /// Phase 2 begins.
  void MarkHealed();
  /// The run is over at `end`: closes open intervals and ignores whatever the teardown causes.
  void Close(VirtualTime end);

  const std::vector<Resource>& resources() const { return resources_; }
  const Users& users() const { return users_; }
  const std::vector<Violation>& violations() const { return violations_; }
  const GoalSet& goals() const { return goals_; }
  int faults() const { return faults_; }
  const FaultSet& struck() const { return struck_; }
  /// A key may be any resource's, so these are the limits of all together.
  const KeyLimits& key_limits() const { return key_limits_; }
  /// A key that the lock has written outside of its prefix; empty: none.
  const std::string& stray_key() const { return stray_key_; }

  void OnSend(int process, std::uint64_t number, sim::VirtualTime now) override;
  void BeforeCommand(int process, const sim::redis::Argv& argv, sim::VirtualTime now) override;
  void AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                    const sim::redis::Value* reply, sim::VirtualTime now) override;
  void OnFault(const sim::Fault& fault, sim::VirtualTime now) override;
  void OnRestart(int process, sim::VirtualTime now) override;
  void OnServerChange(int node, sim::ServerChange change, sim::VirtualTime now) override;
  void OnClockChange(int process, sim::VirtualTime now) override;
  Duration ClipFault(const sim::Fault& fault, Duration wanted, sim::VirtualTime now) override;

  void OnAsk(Party who, const Operation& operation) override;
  void OnStop(Party who) override;
  void OnRefused(Party who, const Status& status) override;
  void OnGranted(Party who, const harness::Hold& granted) override;
  std::function<void()> LossCallOf(Party who) override;
  void OnEnter(Party who) override;
  bool guarded() const override { return guard_ != GuardKind::kNone; }
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

  void OnDelay(int client, Duration length, bool of_requests, VirtualTime now);
  void HoldUp(int client, Duration length, VirtualTime now);
  /// A command of somebody who is dead.
  void NoteServed(int process, VirtualTime now);
  void NoteSending(Party who, std::uint64_t number, VirtualTime now);
  /// A server's fault, which everybody may feel.
  void OnServerFault(const sim::Fault& fault, VirtualTime now);
  Duration ClipPause(const sim::Fault& fault, Duration wanted, VirtualTime now) const;
  /// Of the dealings of these clients, whatever they have to do with each resource.
  bool AnyDealing(Users::Range clients, bool (*holds)(const Dealing& one, VirtualTime now)) const;
  /// What the server in view holds, if the subject shows it. Valid until the next look.
  const Ledger::Look& LookAtServer(Resource& resource);
  void OnArrived(const Sent& write);
  /// Of a lock that renews by itself: what nobody has asked for is sent, and executed.
  void NoteUnasked(Party who, VirtualTime now);
  void NoteRenewed(int client, VirtualTime now);
  void SeeClockChange(Party who, VirtualTime now);
  /// The data that the server in view has now is no client's doing.
  void Rebase(bool clock_only, VirtualTime now);
  /// Of a semaphore that keeps its limit: a command of its client has changed data.
  void NoteLimits(int client, std::uint64_t number, VirtualTime now);
  /// What the client sent that command for, which may come late; else what it is in the middle of.
  Doing DoingOf(Party who, std::uint64_t number);
  /// `sender`: see Users::SenderOf.
  void SyncOwners(int process, std::optional<int> sender, std::uint64_t number, VirtualTime now);
  void NoteQueued(int client, std::uint64_t number, const sim::redis::Argv& argv);
  void NoteWords(int client, std::uint64_t number, const sim::redis::Argv& argv, VirtualTime now);
  void JudgeKeys(int client, VirtualTime now);
  /// What the clock shows that is furthest behind, of the one server or of these.
  std::int64_t LeastServerMs(int nodes);
  void SetSent(const History& history, ClientHold& record, VirtualTime now) const;
  /// From `first` on, the violations are of this resource.
  void Attribute(std::size_t first, int resource);
  void Note(Party who, std::string_view text);
  void NoteBelief(Party who, const harness::Hold& prolonged);
  void EndBelief(Party who);
  /// The lock has told its user that the hold is lost: from now on it knows.
  void NoteToldLost(Party who);
  void NoteLossCall(Party who, std::size_t hold);
  bool MayBeLost(Party who, VirtualTime now);
  ClientState& state(int client) { return clients_[static_cast<std::size_t>(client)]; }
  Dealing& dealing(Party who) {
    return dealings_[static_cast<std::size_t>(who.client) * resources_.size() +
                     static_cast<std::size_t>(who.resource)];
  }
  Resource& resource(Party who) { return resources_[static_cast<std::size_t>(who.resource)]; }
  History& history(Party who) { return resource(who).history; }
  /// The entries that may still promise something; see Ledger::settled.
  std::span<ServerHold> Unsettled(Party who) {
    return std::span(history(who).server_holds).subspan(resource(who).ledger.settled());
  }
  ClientHold& hold(Party who) { return history(who).holds[dealing(who).hold]; }
  MonotonicTime LocalTime(int client, VirtualTime when) const {
    return world_->LocalTime(users_.ProcessOf(client), when);
  }
  VirtualTime GlobalTime(int client, MonotonicTime local) const {
    return world_->GlobalTime(users_.ProcessOf(client), local);
  }
  /// The shortest that any client asks for.
  Duration lease() const { return shortest_lease_; }

  RunMemory& memory_;
  const harness::Subject& subject_;
  const harness::Traits traits_;
  const SynchronyClass synchrony_;
  const int database_;
  const GuardKind guard_;
  sim::World* world_ = nullptr;
  std::vector<Resource> resources_;
  std::vector<Violation> violations_;
  GoalSet goals_;
  Users users_;
  std::vector<ClientState> clients_;
  std::vector<Dealing> dealings_;  // a client's stand together
  std::array<SeenServer, kMostNodes> seen_{};
  int primary_ = 0;
  int faults_ = 0;
  FaultSet struck_;
  KeyLimits key_limits_;
  bool lives_too_long_ = false;  ///< a key, or an ownership entry: said once
  std::string stray_key_;
  Ledger::Look look_;  ///< the last one, for its memory
  std::string note_;   ///< the last one that named its resource, for its memory
  Duration shortest_lease_ = kOpen;
  bool free_clocks_ = false;
  bool closed_ = false;
};

}  // namespace interlock::scenarios
