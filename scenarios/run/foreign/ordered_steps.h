// SPDX-License-Identifier: MIT
//
// The steps of a run of foreign clients as one choice each, for a search of all of them: which
// client's command comes next, whether a fault strikes there, and whether time passes instead.
// Commands take no time. 0 is calm: the client that went last goes on, and nothing goes wrong.
//
// Bounds (see OrderBounds): time passes a few times while a client has a new command ready, and
// beyond that only if none has. A client that repeats its command without time passing counts as
// polling, and beyond the bound it comes after everybody else. Both are functions of what each
// client did, whatever the order of what commutes.
//
// Two steps of different clients commute if the server shows no common key that either writes (see
// sim/redis/footprint.h). Reports of sections commute with nothing but commands that name no lock's
// key. What involves time, a fault, another client, the end of a client or a repeated command
// commutes with nothing.
//
// Non-guarantee: what clients send without waiting at the gate has no order (see gate.h). Thread
// safety: that of ForeignProcess.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <interlock/time.h>

#include "scenarios/run/foreign/drive_state.h"
#include "scenarios/run/foreign/fault_injector.h"
#include "scenarios/run/foreign/time_keeper.h"
#include "sim/choices.h"
#include "sim/redis/footprint.h"

namespace interlock::scenarios::drive {

/// A step that may come next.
struct PossibleStep {
  int client = -1;               ///< -1: time passes
  std::uint64_t connection = 0;  ///< of the client, counted from 1
  const sim::redis::Argv* argv = nullptr;
  std::optional<PlacedFault> fault = {};
};

/// Follows a run.
class StepWatch {
 public:
  virtual ~StepWatch() = default;
  StepWatch() = default;
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;

  /// What the step before this one has touched. Not called for a run's last step.
  virtual void OnTaken(sim::redis::Footprint touched) = 0;
  /// These are possible now. Returns false if the run need not go on; otherwise one of them is
  /// chosen, by a draw if there are several.
  virtual bool OnSteps(std::span<const PossibleStep> steps, Duration now) = 0;
};

class OrderedSteps {
 public:
  OrderedSteps(DriveState& state, TimeKeeper& time, FaultInjector& faults)
      : state_(state),
        time_(time),
        faults_(faults),
        clients_(static_cast<std::size_t>(state.options.clients)) {}

  /// Chooses a step and takes it. Returns false if the run need not go on. REQUIRES: `ready` is not
  /// empty.
  bool Step(const std::vector<Parked>& ready);
  /// Nobody is ready, so time is about to pass without a choice.
  void Wait();

 private:
  struct Client {
    sim::redis::Argv last;  // command
    std::int64_t last_us = 0;
    std::uint64_t repeats = 0;
    bool blocked = false;  // by its last command
  };
  /// A step that has begun.
  struct Begun {
    PossibleStep step;
    sim::redis::Argv argv;
    int node;
    bool repeats;
    std::size_t events;  // so many before it
    std::int64_t time_us;
  };

  Client& Of(int client) { return clients_[static_cast<std::size_t>(client)]; }
  const Client& Of(int client) const { return clients_[static_cast<std::size_t>(client)]; }
  bool Repeats(const Parked& parked) const;
  bool IsHeldBack(const Parked& parked) const;
  std::vector<Parked> Offered(const std::vector<Parked>& ready, bool& time);
  std::size_t Pick(const std::vector<PossibleStep>& steps);
  void Take(const PossibleStep& step, const Parked& parked);
  void Begin(const PossibleStep& step, const Parked* parked);
  void EndStep();
  sim::redis::Footprint Touched(const Begun& step);
  bool NamesLock(const sim::redis::Argv& argv) const;

  DriveState& state_;
  TimeKeeper& time_;
  FaultInjector& faults_;
  std::vector<Client> clients_;
  std::uint64_t polls_ = 0;  // times that time has passed while a client was ready
  std::optional<Begun> begun_;
  sim::redis::Footprint footprint_;  // of begun_, as the server notes it
  std::set<std::string> words_;      // long ones that clients have sent
};

}  // namespace interlock::scenarios::drive
