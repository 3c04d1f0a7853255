// SPDX-License-Identifier: MIT
//
// The gated servers, their judges, and the log of events: everything visible of a run of foreign
// clients goes through here, so that no command or expiry escapes the judges.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <interlock/time.h>

#include "scenarios/log/event.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/fencing.h"
#include "scenarios/run/foreign/gate.h"
#include "scenarios/run/foreign/grant_order.h"
#include "scenarios/run/foreign/holds.h"
#include "scenarios/run/foreign/refusals.h"
#include "scenarios/run/foreign/renewals.h"
#include "scenarios/run/foreign/sections.h"
#include "sim/faults.h"
#include "sim/machine/virtual_clock.h"

namespace interlock::scenarios::drive {

class GatedWorld {
 public:
  /// `clock`: the clients' clock, moved with the servers'; null: they use the machine's.
  GatedWorld(const DriveOptions& options, std::int64_t epoch_us, sim::machine::VirtualClock* clock);

  Gate& gate() { return gate_; }
  Holds& holds() { return holds_; }
  const Sections& sections() const { return sections_; }
  const Fencing& fencing() const { return fencing_; }
  const Renewals& renewals() const { return renewals_; }
  /// Number of grants, entries into sections and client ends so far.
  std::uint64_t fruits() const { return holds_.grants() + sections_.entries() + ended_; }
  /// The node's machine is gone, and its replica takes over, as a command of the client waits.
  /// Returns the keys that are lost, or what they were before.
  std::vector<std::string> FailOver(int node, int client);
  /// A cluster's slots begin to move, as a command of the client waits; see ServedNodes. They have
  /// moved when EndMove() is called, or before time passes ServedNodes::ClaimByUs().
  void BeginMove(sim::FaultKind how, int client);
  /// Does nothing if none are moving, or if they cannot end yet.
  void EndMove();
  /// A fault meets the client.
  void Disturbed(sim::FaultKind kind, int client);
  /// The process is gone. `killed`: by a fault.
  void Ended(int client, bool killed);
  /// Nobody is left: judges leftovers, and clients that gave up though nobody held the lock.
  void AllEnded();
  /// Whether a client has reported a section, or a lock's key was granted.
  bool KnowsLocks() const { return sections_.any() || holds_.grants() > 0; }
  /// Whether a client was ever refused.
  bool SomebodyWasRefused() const { return refusals_.any() || holds_.asked().any_refused(); }
  /// Whether the client is inside, owns a lock, or visibly waits for one.
  bool IsConcerned(int client) const;
  /// Whether it has asked for a lock, and has not got it since, or waits to be told something.
  bool IsAsking(int client) const;
  /// How many of its commands were executed since time last moved.
  std::uint64_t SentAtThisTime(int client) const {
    return gate_.executed(client) - sent_before_[static_cast<std::size_t>(client)];
  }
  Duration now() const { return std::chrono::microseconds(gate_.time_us() - epoch_us_); }
  std::int64_t now_ms() const { return gate_.time_us() / 1'000; }

  /// Receives what has arrived; waits up to `at_most`. Returns whether anything has.
  bool Poll(Duration at_most);

  /// Executes a command, a millisecond later but not beyond the limit. True: it changed data,
  /// reported a section, or wrote to a guarded resource.
  bool Perform(const Parked& parked, Gate::Outcome outcome, std::int64_t limit_us);
  /// Advances the clock, unless it is already later. True: something has expired.
  bool AdvanceTo(std::int64_t unix_us);
  /// The same, past the end of the next thing that `owners` own, as a fault.
  void ExpireByForce(const std::vector<bool>& owners);
  /// Whether no client waits for anything that ends by itself.
  bool NothingEnds() const;

  /// `client`: -1 for the servers.
  void Log(int client, EventKind kind, EventDetails details = {}, int resource = 0);
  /// Number of events so far.
  std::size_t events() const { return events_.size(); }
  const EventLog& log() const { return events_; }
  EventLog TakeEvents() { return std::move(events_); }

  /// The new ones, with their places among the events.
  void TakeFindings(DriveRun& run);

 private:
  std::vector<std::string> JudgeAcross(int place, int client, const std::function<void()>& change);
  void DelayAll();
  void ClaimBefore(std::int64_t unix_us);
  void SetTime(std::int64_t unix_us);
  void NoteAnswers();
  bool NoteExpired();
  bool NobodyHoldsBut(int asker) const;
  bool Report(int client, const sim::redis::Argv& argv);
  bool Write(int client, const GuardedWrite& write, bool accepted);
  void NoteChanges();

  const int clients_;
  const std::int64_t epoch_us_;
  sim::machine::VirtualClock* clock_;
  Gate gate_;
  Findings findings_;
  Holds holds_;
  GrantOrder grant_order_;
  Sections sections_;
  Fencing fencing_;
  Renewals renewals_;
  Refusals refusals_;
  std::vector<bool> alive_;                 // clients
  std::vector<std::uint64_t> sent_before_;  // by client: what was executed until time last moved
  EventLog events_;
  std::uint64_t ended_ = 0;  // clients
  static constexpr int kNobody = -1;
  int acting_ = kNobody;  // whose command takes its time
  int mover_ = kNobody;   // at whose command slots began to move
  Findings given_up_;     // by clients that were refused though nobody held it
};

}  // namespace interlock::scenarios::drive
