// SPDX-License-Identifier: MIT
//
// Executes commands of foreign clients, and the faults that strike there.
//
// Determinism: which fault strikes is a function of the choices. Thread safety: that of
// ForeignProcess.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/foreign/drive_state.h"
#include "scenarios/run/foreign/fault_budget.h"
#include "scenarios/run/foreign/time_keeper.h"

namespace interlock::scenarios::drive {

struct PlacedFault {
  Strike strike = Strike::kCrash;
  bool before = false;  ///< the crash or failover comes before the command, not after it
  bool ends = false;    ///< nothing strikes: slots that are moving have moved before the command
};

class FaultInjector {
 public:
  FaultInjector(DriveState& state, TimeKeeper& time)
      : state_(state), time_(time), budget_(state.options) {}

  /// Draws which faults this run may have, and sets clocks before their clients can read them.
  void Begin();
  /// Executes the parked command, or strikes instead of it or beside it.
  void Execute(const Parked& parked);
  /// The faults that can be placed there. A crash comes after the command, because before it is
  /// after the client's last one, unless that has `blocked`: then it also comes before. So does a
  /// failover, because commands of others are lost with it.
  std::vector<PlacedFault> Possible(const Parked& parked, bool blocked) const;
  /// Executes the command, or strikes with this fault.
  void ExecuteWith(const Parked& parked, const std::optional<PlacedFault>& fault);
  /// A step is over: counts down stopped clients and delayed messages.
  void CountDown();
  /// Ends one fault's delay, stop or move of slots early. False: there is none.
  bool GoOnEarly();
  /// The client whose command was executed last; -1: none.
  int last() const { return last_; }

 private:
  FaultBudget::Place PlaceOf(const Parked& parked) const;
  bool StrikeInstead(Strike strike, const Parked& parked, const std::string& command);
  void NoteChoices(std::size_t first);
  void Fault(sim::FaultKind kind, int client, const std::string& command, std::string_view words);
  void Crash(const Parked& parked, const std::string& command);
  void CrashAt(const Parked& parked, const std::string& command, bool executed);
  void ExpireOwn(int client, const std::string& command);
  void StopClient(int client, const std::string& command, bool past_an_end);
  void DelayThat(const Parked& parked, const std::string& command, bool reply);
  void ShiftClock(int client, const std::string& command);
  void FailOver(const Parked& parked, const std::string& command, bool executed);
  void MoveSlots(Strike strike, const Parked& parked, const std::string& command);
  bool EndMove();
  void Perform(const Parked& parked, Gate::Outcome outcome);
  void GoOn(int client);
  void EndDelay(std::size_t number);

  DriveState& state_;
  TimeKeeper& time_;
  FaultBudget budget_;
  int last_ = -1;
  std::uint32_t back_in_ = 0;  // steps until a server that is gone comes back; 0: none does
  // Steps, or times that nobody has anything to send, until slots that are moving have moved.
  std::uint32_t moved_in_ = 0;
  std::set<int> late_;  // clients that ExpireOwn has struck, until their next command
};

}  // namespace interlock::scenarios::drive
