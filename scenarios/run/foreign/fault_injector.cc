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
constexpr std::uint32_t kLongestPause = 12;

}  // namespace

void FaultInjector::Begin() {
  budget_.DrawSwarm(state_.choices);
  if (const auto client = budget_.DrawClockAtStart(state_.choices, state_.options.clients)) {
    ShiftClock(*client, "its start");
  }
}

void FaultInjector::CountDown() {
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (state_.crew.stopped(client) && state_.crew.CountDown(client)) GoOn(client);
  }
  for (std::size_t i = state_.delays.size(); i > 0; --i) {
    if (--state_.delays[i - 1].steps == 0) EndDelay(i - 1);
  }
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
  return false;
}

void FaultInjector::EndDelay(std::size_t number) {
  const MessageDelay ended = state_.delays[number];
  state_.delays.erase(state_.delays.begin() + static_cast<std::ptrdiff_t>(number));
  if (!state_.crew.alive(ended.client)) return;
  state_.world.Log(ended.client, EventKind::kFault,
                   FaultDetails{ended.of_reply ? "the reply arrives" : "the command arrives"});
  if (ended.of_reply) state_.gate.HandOver(ended.connection);
}

std::optional<Strike> FaultInjector::DrawFault(const Parked& parked) {
  FaultBudget::Place place;
  place.alone = state_.crew.CountAlive() == 1;
  place.owns = state_.holds.Owns(parked.client);
  place.names = state_.holds.NamesItsOwn(parked.client, *parked.argv);
  place.ends = state_.holds.NextEnd(state_.Only(parked.client)).has_value();
  place.by_hash = RunsByHash(*parked.argv);
  return budget_.Draw(state_.choices, place);
}

void FaultInjector::Fault(FaultKind kind, int client, const std::string& command,
                          std::string_view words) {
  state_.run.faults.push_back({kind, client, command});
  state_.world.Disturbed(kind, client);
  state_.world.Log(client, EventKind::kFault, FaultDetails{std::string(words)});
  if (kind == FaultKind::kPause || kind == FaultKind::kExpiry) {
    state_.world.Log(client, EventKind::kStops, StopDetails{});
  }
  state_.Progressed();
}

void FaultInjector::Execute(const Parked& parked) {
  const std::optional<Strike> strike = DrawFault(parked);
  const std::string text = sim::redis::ToText(*parked.argv);
  if (strike && StrikeInstead(*strike, parked, text)) return;
  Perform(parked, Gate::Outcome::kAnswered);
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
    case Strike::kCrash:
      break;
  }
  Crash(parked, command);
  return true;
}

void FaultInjector::Crash(const Parked& parked, const std::string& command) {
  // The client dies before the command, or after it.
  const bool sent = state_.choices.Draw(Lane::kFault, 2) == 1;
  state_.run.owner_died = state_.run.owner_died || state_.holds.Owns(parked.client);
  // The client is killed first, because one that sees its connection break sends something else.
  state_.crew.Kill(parked.client);
  if (sent) Perform(parked, Gate::Outcome::kReplyLost);
  Fault(FaultKind::kCrash, parked.client, command,
        sent ? "crash, before the reply" : "crash, before " + command);
  state_.run.owner_died = state_.run.owner_died || state_.holds.Owns(parked.client);
  state_.world.Ended(parked.client, true);
  state_.gate.Drop(parked.client);
}

void FaultInjector::Perform(const Parked& parked, Gate::Outcome outcome) {
  if (parked.client != last_ && last_ >= 0) ++state_.run.switches;
  last_ = parked.client;
  ++state_.run.commands;
  if (state_.world.Perform(parked, outcome, time_.LimitUs())) state_.Progressed();
}

void FaultInjector::StopClient(int client, const std::string& command, bool past_an_end) {
  state_.crew.Stop(client, 1 + state_.choices.Draw(Lane::kFault, kLongestPause));
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
  const std::uint32_t steps = 1 + state_.choices.Draw(Lane::kFault, kLongestPause);
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
