// SPDX-License-Identifier: MIT
//
// Commands that are executed, and faults that strike there.
#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "scenarios/run/foreign/drive.h"
#include "scenarios/run/foreign/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::FaultKind;
using sim::Lane;

/// Steps at most for which a stopped client is passed over, and a message is on its way.
constexpr std::uint32_t kLongestPause = 12;

}  // namespace

void Drive::CountDown() {
  for (int client = 0; client < crew_.size(); ++client) {
    if (crew_.stopped(client) && crew_.CountDown(client)) GoOn(client);
  }
  for (std::size_t i = delays_.size(); i > 0; --i) {
    if (--delays_[i - 1].steps == 0) EndDelay(i - 1);
  }
}

void Drive::GoOn(int client) {
  crew_.Continue(client);
  world_.Row(client, "goes on", reports::RowKind::kFault, reports::SpanChange::kPauseEnd);
}

bool Drive::IsDelayed(std::uint64_t connection) const {
  return std::any_of(delays_.begin(), delays_.end(), [connection](const Delay& one) {
    return !one.of_reply && one.connection == connection;
  });
}

void Drive::EndDelay(std::size_t number) {
  const Delay ended = delays_[number];
  delays_.erase(delays_.begin() + static_cast<std::ptrdiff_t>(number));
  if (!crew_.alive(ended.client)) return;
  world_.Row(ended.client, ended.of_reply ? "the reply arrives" : "the command arrives",
             reports::RowKind::kFault);
  if (ended.of_reply) gate_.HandOver(ended.connection);
}

std::optional<Strike> Drive::DrawFault(const Parked& parked) {
  FaultBudget::Place place;
  place.alone = crew_.CountAlive() == 1;
  place.owns = holds_.Owns(parked.client);
  place.names = holds_.NamesItsOwn(parked.client, *parked.argv);
  place.ends = holds_.NextEnd(Only(parked.client)).has_value();
  place.by_hash = RunsByHash(*parked.argv);
  return budget_.Draw(choices_, place);
}

void Drive::Fault(FaultKind kind, int client, const std::string& command, std::string_view words) {
  run_.faults.push_back({kind, client, command});
  world_.Row(client, std::string(words), reports::RowKind::kFault,
             kind == FaultKind::kPause || kind == FaultKind::kExpiry
                 ? reports::SpanChange::kPauseBegin
                 : reports::SpanChange::kNone);
  Progressed();
}

void Drive::Execute(const Parked& parked) {
  const std::optional<Strike> strike = DrawFault(parked);
  const std::string text = sim::redis::ToText(*parked.argv);
  if (strike && StrikeInstead(*strike, parked, text)) return;
  Perform(parked, Gate::Outcome::kAnswered);
}

/// False: the command is still to be executed.
bool Drive::StrikeInstead(Strike strike, const Parked& parked, const std::string& command) {
  switch (strike) {
    case Strike::kPause:
    case Strike::kExpiry:
      StopClient(parked.client, command, strike == Strike::kExpiry);
      return true;
    case Strike::kLostRequest:
      world_.Row(parked.client, command);
      Fault(FaultKind::kResetBefore, parked.client, command, "reset-before: it is not executed");
      gate_.Release(parked.connection, Gate::Outcome::kRequestLost);
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
      gate_.Operate({"SCRIPT", "FLUSH"});
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

void Drive::Crash(const Parked& parked, const std::string& command) {
  // Before the command, or behind it.
  const bool sent = choices_.Draw(Lane::kFault, 2) == 1;
  run_.owner_died = run_.owner_died || holds_.Owns(parked.client);
  // First, for a client that sees its connection break sends something else.
  crew_.Kill(parked.client);
  if (sent) Perform(parked, Gate::Outcome::kReplyLost);
  Fault(FaultKind::kCrash, parked.client, command,
        sent ? "crash, before the reply" : "crash, before " + command);
  run_.owner_died = run_.owner_died || holds_.Owns(parked.client);
  world_.Ended(parked.client, true);
  gate_.Drop(parked.client);
}

void Drive::Perform(const Parked& parked, Gate::Outcome outcome) {
  if (parked.client != last_ && last_ >= 0) ++run_.switches;
  last_ = parked.client;
  ++run_.commands;
  if (world_.Perform(parked, outcome, LimitUs())) Progressed();
}

void Drive::StopClient(int client, const std::string& command, bool past_an_end) {
  crew_.Stop(client, 1 + choices_.Draw(Lane::kFault, kLongestPause));
  if (!past_an_end) return Fault(FaultKind::kPause, client, command, "pause, before " + command);
  Fault(FaultKind::kExpiry, client, command,
        fmt::format("pause, before {}, until a key has expired", command));
  world_.ExpireByForce(Only(client));
}

/// Its choices: by all, or by little, ahead or back; too fast, or too slow.
void Drive::ShiftClock(int client, const std::string& command) {
  constexpr int kLittle = 60;
  constexpr std::int64_t kPpmPerPercent = 10'000;
  struct Shift {
    Duration by;
    int percent;
  };
  std::vector<Shift> shifts;
  const Duration most = options_.clock_offset;
  if (most.count() > 0) {
    // A clock that is ahead makes an end of what others still hold.
    shifts.insert(shifts.end(),
                  {{most, 0}, {most, 0}, {-most, 0}, {most / kLittle, 0}, {-most / kLittle, 0}});
  }
  const int percent = options_.clock_rate_percent;
  if (percent > 0) shifts.insert(shifts.end(), {{{}, percent}, {{}, -percent}});
  const Shift shift =
      shifts[choices_.Draw(Lane::kFault, static_cast<std::uint32_t>(shifts.size()))];
  clock_->ShiftWallClock(client, shift.by / std::chrono::microseconds(1),
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

void Drive::DelayThat(const Parked& parked, const std::string& command, bool reply) {
  const std::uint32_t steps = 1 + choices_.Draw(Lane::kFault, kLongestPause);
  const Delay delay{parked.connection, parked.client, reply, steps};
  if (reply) {
    Perform(parked, Gate::Outcome::kReplyWithheld);
    Fault(FaultKind::kDelayReply, delay.client, command, "delay-reply: it is on its way");
  } else {
    Fault(FaultKind::kDelayRequest, delay.client, command, command + " is on its way");
  }
  delays_.push_back(delay);
}

}  // namespace interlock::scenarios::drive
