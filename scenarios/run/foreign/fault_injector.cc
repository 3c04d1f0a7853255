// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/fault_injector.h"

#include <cstdlib>

#include <fmt/format.h>

#include "scenarios/run/foreign/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::FaultKind;
using sim::Lane;

/// The most steps for which a stopped client is passed over, or a message is on its way.
constexpr std::uint32_t kLongestDelay = 12;

}  // namespace

void FaultInjector::Begin() {
  if (state_.options.orders) return;
  budget_.DrawSwarm(state_.choices);
  const std::size_t first = state_.choices.recorded(Lane::kFault);
  if (const auto client = budget_.DrawClockAtStart(state_.choices, state_.options.clients)) {
    ShiftClock(*client, "its start");
    NoteChoices(first);
  }
}

/// Of the latest fault.
void FaultInjector::NoteChoices(std::size_t first) {
  state_.run.faults.back().first_choice = first;
  state_.run.faults.back().last_choice = state_.choices.recorded(Lane::kFault);
}

void FaultInjector::CountDown() {
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (state_.crew.stopped(client) && state_.crew.CountDown(client)) GoOn(client);
  }
  for (std::size_t i = state_.delays.size(); i > 0; --i) {
    if (--state_.delays[i - 1].steps == 0) EndDelay(i - 1);
  }
  if (back_in_ > 0 && --back_in_ == 0 && state_.gate.nodes().BringBack()) {
    state_.world.Log(-1, EventKind::kFault, FaultDetails{"the old primary is back, as a replica"});
  }
  if (moved_in_ > 0 && --moved_in_ == 0) EndMove();
}

/// Returns whether none are moving then. What is held up is tried again.
bool FaultInjector::EndMove() {
  state_.world.EndMove();
  moved_in_ = state_.gate.nodes().moving() ? 1 : 0;
  return moved_in_ == 0;
}

void FaultInjector::GoOn(int client) {
  state_.crew.Continue(client);
  state_.world.Log(client, EventKind::kGoesOn);
}

bool FaultInjector::GoOnEarly() {
  if (!state_.delays.empty()) {
    EndDelay(0);
    return true;
  }
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.stopped(client)) continue;
    GoOn(client);
    return true;
  }
  return moved_in_ > 0 && EndMove();
}

void FaultInjector::EndDelay(std::size_t number) {
  const MessageDelay ended = state_.delays[number];
  state_.delays.erase(state_.delays.begin() + static_cast<std::ptrdiff_t>(number));
  if (!state_.crew.alive(ended.client)) return;
  state_.world.Log(ended.client, EventKind::kFault,
                   FaultDetails{ended.of_reply ? "the reply arrives" : "the command arrives"});
  if (ended.of_reply) state_.gate.HandOver(ended.connection);
}

FaultBudget::Place FaultInjector::PlaceOf(const Parked& parked) const {
  FaultBudget::Place place;
  place.alone = state_.crew.CountAlive() == 1;
  place.owns = state_.holds.Owns(parked.client);
  place.names = state_.holds.NamesItsOwn(parked.client, *parked.argv);
  place.ends = state_.holds.NextEnd(state_.Only(parked.client)).has_value();
  place.by_hash = RunsByHash(*parked.argv);
  place.primary = state_.gate.nodes().Replaceable(parked.node).has_value();
  place.movable = budget_.AllowsMoves() && state_.gate.nodes().CanMoveSlots();
  return place;
}

std::vector<PlacedFault> FaultInjector::Possible(const Parked& parked, bool blocked) const {
  std::vector<PlacedFault> possible;
  for (const Strike strike : budget_.Possible(PlaceOf(parked))) {
    possible.push_back({strike});
    const bool both = (strike == Strike::kCrash && blocked) || strike == Strike::kFailover;
    if (both) possible.push_back({strike, true});
  }
  if (state_.gate.nodes().moving()) possible.push_back({Strike::kReshard, true, true});
  return possible;
}

void FaultInjector::Fault(FaultKind kind, int client, const std::string& command,
                          std::string_view words) {
  state_.run.faults.push_back({kind, client, command, state_.world.events()});
  state_.world.Disturbed(kind, client);
  state_.world.Log(client, EventKind::kFault, FaultDetails{std::string(words)});
  if (kind == FaultKind::kPause || kind == FaultKind::kExpiry) {
    state_.world.Log(client, EventKind::kStops, StopDetails{});
  }
  state_.Progressed();
}

void FaultInjector::Execute(const Parked& parked) {
  const std::size_t first = state_.choices.recorded(Lane::kFault);
  const std::size_t faults = state_.run.faults.size();
  const std::optional<Strike> strike = budget_.Draw(state_.choices, PlaceOf(parked));
  const std::string text = sim::redis::ToText(*parked.argv);
  const bool instead = strike && StrikeInstead(*strike, parked, text);
  if (state_.run.faults.size() > faults) NoteChoices(first);
  if (!instead) Perform(parked, Gate::Outcome::kAnswered);
}

void FaultInjector::ExecuteWith(const Parked& parked, const std::optional<PlacedFault>& fault) {
  if (fault && fault->ends) EndMove();
  if (!fault || fault->ends) return Perform(parked, Gate::Outcome::kAnswered);
  budget_.Spend(fault->strike);
  const std::string text = sim::redis::ToText(*parked.argv);
  if (fault->strike == Strike::kCrash) return CrashAt(parked, text, !fault->before);
  if (fault->strike == Strike::kExpiry) return ExpireOwn(parked.client, text);
  if (fault->strike == Strike::kFailover) return FailOver(parked, text, !fault->before);
  if (!StrikeInstead(fault->strike, parked, text)) Perform(parked, Gate::Outcome::kAnswered);
}

/// Returns false if the command is still to be executed.
bool FaultInjector::StrikeInstead(Strike strike, const Parked& parked, const std::string& command) {
  switch (strike) {
    case Strike::kPause:
    case Strike::kExpiry:
      StopClient(parked.client, command, strike == Strike::kExpiry);
      return true;
    case Strike::kLostRequest:
      state_.world.Log(parked.client, EventKind::kSend, SendDetails{.command = command});
      Fault(FaultKind::kResetBefore, parked.client, command, "reset-before: it is not executed");
      state_.gate.Release(parked.connection, Gate::Outcome::kRequestLost);
      return true;
    case Strike::kLostReply:
      Fault(FaultKind::kResetAfter, parked.client, command, "reset-after: the reply is lost");
      Perform(parked, Gate::Outcome::kReplyLost);
      return true;
    case Strike::kDelayedRequest:
    case Strike::kDelayedReply:
      DelayThat(parked, command, strike == Strike::kDelayedReply);
      return true;
    case Strike::kForgottenScripts:
      Fault(FaultKind::kScriptFlush, parked.client, command, "script-flush");
      state_.gate.Operate({"SCRIPT", "FLUSH"});
      return false;
    case Strike::kClock:
      ShiftClock(parked.client, command);
      return false;
    case Strike::kFailover:
      FailOver(parked, command, state_.choices.Draw(Lane::kFault, 2) == 1);
      back_in_ = 1 + state_.choices.Draw(Lane::kFault, kLongestDelay);
      return true;
    case Strike::kReshard:
    case Strike::kSlotMigration:
    case Strike::kLateClaim:
      MoveSlots(strike, parked, command);
      moved_in_ = 1 + state_.choices.Draw(Lane::kFault, kLongestDelay);
      return false;
    case Strike::kCrash:
      break;
  }
  Crash(parked, command);
  return true;
}

void FaultInjector::Crash(const Parked& parked, const std::string& command) {
  // The client dies before the command, or after it.
  CrashAt(parked, command, state_.choices.Draw(Lane::kFault, 2) == 1);
}

void FaultInjector::CrashAt(const Parked& parked, const std::string& command, bool executed) {
  // A report counts only if it is answered: only then the client is where it says.
  const bool reports = IsReport(*parked.argv) && state_.options.orders.has_value();
  state_.run.owner_died = state_.run.owner_died || state_.holds.Owns(parked.client);
  // The client is killed first, because one that sees its connection break sends something else.
  state_.crew.Kill(parked.client);
  if (executed) {
    Perform(parked, reports ? Gate::Outcome::kReplyWithheld : Gate::Outcome::kReplyLost);
  }
  Fault(FaultKind::kCrash, parked.client, command,
        !executed ? "crash, before " + command
        : reports ? "crash, after " + command
                  : "crash, before the reply");
  state_.run.owner_died = state_.run.owner_died || state_.holds.Owns(parked.client);
  state_.world.Ended(parked.client, true);
  state_.gate.Drop(parked.client);
}

/// The machine of the primary is lost before the command, or after it and before the reply.
void FaultInjector::FailOver(const Parked& parked, const std::string& command, bool executed) {
  const int client = parked.client;
  const int node = *state_.gate.nodes().Replaceable(parked.node);
  // What is sent to another server is not lost.
  const bool lost = parked.node == node;
  if (executed) Perform(parked, lost ? Gate::Outcome::kReplyLost : Gate::Outcome::kAnswered);
  std::string words = fmt::format("failover, {} {}", executed ? "after" : "before", command);
  for (const std::string& key : state_.world.FailOver(node, client))
    words += ", and " + key + " is lost";
  Fault(FaultKind::kFailover, client, command, words);
}

/// Slots begin to move before the command.
void FaultInjector::MoveSlots(Strike strike, const Parked& parked, const std::string& command) {
  FaultKind kind = FaultKind::kSlotMigration;
  std::string_view how = "slots move at once, and writes wait";
  if (strike == Strike::kReshard) {
    kind = FaultKind::kReshard;
    how = "slots move key by key";
  } else if (strike == Strike::kLateClaim) {
    kind = FaultKind::kLateClaim;
    how = "slots move at once, and writes wait no more";
  }
  state_.world.BeginMove(kind, parked.client);
  Fault(kind, parked.client, command,
        fmt::format("{}, before {}: {}", sim::ToString(kind), command, how));
}

/// Its command stays at the gate, where others may go first.
void FaultInjector::ExpireOwn(int client, const std::string& command) {
  Fault(FaultKind::kExpiry, client, command,
        fmt::format("pause, before {}, until a key has expired", command));
  state_.world.ExpireByForce(state_.Only(client));
  late_.insert(client);
}

void FaultInjector::Perform(const Parked& parked, Gate::Outcome outcome) {
  if (parked.client != last_ && last_ >= 0) ++state_.run.switches;
  last_ = parked.client;
  ++state_.run.commands;
  if (late_.erase(parked.client) > 0) state_.world.Log(parked.client, EventKind::kGoesOn);
  // Orders are explored without time for commands, so that the commands of two clients commute.
  const std::int64_t limit_us = state_.options.orders ? state_.gate.time_us() : time_.LimitUs();
  if (state_.world.Perform(parked, outcome, limit_us)) state_.Progressed();
}

void FaultInjector::StopClient(int client, const std::string& command, bool past_an_end) {
  state_.crew.Stop(client, 1 + state_.choices.Draw(Lane::kFault, kLongestDelay));
  if (!past_an_end) return Fault(FaultKind::kPause, client, command, "pause, before " + command);
  Fault(FaultKind::kExpiry, client, command,
        fmt::format("pause, before {}, until a key has expired", command));
  state_.world.ExpireByForce(state_.Only(client));
}

/// Changes the clock in one of these ways: by the whole offset or a little, ahead or back; or to a
/// rate that is too fast or too slow.
void FaultInjector::ShiftClock(int client, const std::string& command) {
  constexpr int kLittle = 60;
  constexpr std::int64_t kPpmPerPercent = 10'000;
  struct Shift {
    Duration by;
    int percent;
  };
  std::vector<Shift> shifts;
  const Duration most = state_.options.clock_offset;
  if (most.count() > 0) {
    // A clock that is ahead ends what others still hold, so it is listed twice.
    shifts.insert(shifts.end(),
                  {{most, 0}, {most, 0}, {-most, 0}, {most / kLittle, 0}, {-most / kLittle, 0}});
  }
  const int percent = state_.options.clock_rate_percent;
  if (percent > 0) shifts.insert(shifts.end(), {{{}, percent}, {{}, -percent}});
  const Shift shift =
      shifts[state_.choices.Draw(Lane::kFault, static_cast<std::uint32_t>(shifts.size()))];
  state_.clock->ShiftWallClock(client, shift.by / std::chrono::microseconds(1),
                               shift.percent * kPpmPerPercent);
  if (shift.percent != 0) {
    return Fault(FaultKind::kClientClockRate, client, command,
                 fmt::format("its clock goes {} % too {}", std::abs(shift.percent),
                             shift.percent > 0 ? "fast" : "slow"));
  }
  Fault(FaultKind::kClientClockJump, client, command,
        fmt::format("its clock is set {} {}", TimeText(shift.by.count() > 0 ? shift.by : -shift.by),
                    shift.by.count() > 0 ? "ahead" : "back"));
}

void FaultInjector::DelayThat(const Parked& parked, const std::string& command, bool reply) {
  const std::uint32_t steps = 1 + state_.choices.Draw(Lane::kFault, kLongestDelay);
  const MessageDelay delay{parked.connection, parked.client, reply, steps};
  if (reply) {
    Perform(parked, Gate::Outcome::kReplyWithheld);
    Fault(FaultKind::kDelayReply, delay.client, command, "delay-reply: it is on its way");
  } else {
    Fault(FaultKind::kDelayRequest, delay.client, command, command + " is on its way");
  }
  state_.delays.push_back(delay);
}

}  // namespace interlock::scenarios::drive
