// SPDX-License-Identifier: MIT
//
// The inside of RunClients (see drive_run.h): the loop is in drive_run.cc, faults are in
// drive_faults.cc, time is in drive_time.cc, and how a run is ended is in drive_end.cc. Thread
// safety: as ForeignProcess.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/run/foreign/crew.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/fault_budget.h"
#include "scenarios/run/foreign/gated_world.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

class Drive {
 public:
  /// `clock`: null: the machine's.
  Drive(const DriveOptions& options, sim::Choices& choices, sim::machine::VirtualClock* clock);

  Result<DriveRun> Run();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  struct Note {
    std::uint32_t passed_over = 0;  // times, though it was ready
    std::uint64_t vain_since = 0;   // commands, when something changed last
    bool looked_at = false;         // what clock it has
    bool own_clock = false;
    bool spins = false;  // it runs on and on, and the others go on without it
  };
  /// A command, or a reply, that is on its way for some steps.
  struct Delay {
    std::uint64_t connection = 0;
    int client = 0;
    bool of_reply = false;
    std::uint32_t steps = 0;
  };

  // The loop.
  bool Settle();
  bool LookAtAll();
  Duration WorkOf(int client);
  bool NoteSpinners(const std::vector<Duration>& worked);
  void Disturb();
  void Over(int client);
  void Step();
  std::vector<Parked> Ready() const;
  void LookAtClocks(const std::vector<Parked>& ready);
  std::optional<std::size_t> Starving(const std::vector<Parked>& ready) const;
  void WaitForSomebody();
  bool GoOnEarly();
  void Finish();

  // Its end.
  void Progressed();
  bool StandsStill() const;
  bool IsStranded(int client) const;
  std::uint64_t InVain() const;
  bool Stuck();
  bool AtBound();
  bool IsFruitless();
  bool SleepsSince(std::int64_t unix_us) const;
  void StandStillForEver();
  bool SomebodyMoves();
  std::string Standing() const;
  void Deadlock(std::string_view what);
  void NobodyGotAny(std::string_view slug, std::string_view what);

  // Faults.
  void Execute(const Parked& parked);
  std::optional<Strike> DrawFault(const Parked& parked);
  bool StrikeInstead(Strike strike, const Parked& parked, const std::string& command);
  void Fault(sim::FaultKind kind, int client, const std::string& command, std::string_view words);
  void Crash(const Parked& parked, const std::string& command);
  void StopClient(int client, const std::string& command, bool past_an_end);
  void DelayThat(const Parked& parked, const std::string& command, bool reply);
  void ShiftClock(int client, const std::string& command);
  void Perform(const Parked& parked, Gate::Outcome outcome);
  void GoOn(int client);
  void EndDelay(std::size_t number);
  void CountDown();
  bool IsDelayed(std::uint64_t connection) const;

  // Time.
  std::vector<bool> Only(int client) const;
  std::vector<bool> Kept() const;
  std::int64_t LimitUs() const;
  void AdvanceTo(std::int64_t unix_us);
  std::optional<std::int64_t> NextAlarmUs() const;
  bool SomebodySleeps() const;
  bool CanHurry() const;
  void Sleep(Duration at_most);
  void SleepByMachine(Duration at_most);

  const DriveOptions& options_;
  sim::Choices& choices_;
  sim::machine::VirtualClock* clock_;
  GatedWorld world_;
  Gate& gate_;
  Holds& holds_;
  Crew crew_;
  FaultBudget budget_;
  std::vector<Note> notes_;  // by client
  std::vector<Delay> delays_;
  std::uint64_t fruits_ = 0;    // when it was looked last
  std::uint64_t fruit_at_ = 0;  // commands, when the last one came
  std::int64_t fruit_us_ = 0;   // the same, of the servers' clock
  int last_ = -1;
  bool over_ = false;  // nothing more can be learnt
  SteadyTime began_;
  SteadyTime progressed_;
  DriveRun run_;
};

}  // namespace interlock::scenarios::drive
