// SPDX-License-Identifier: MIT
//
// What clients on a real server might report, written by hand: events with instants in ms from the
// run's start.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/judge/outside.h"
#include "scenarios/log/event.h"
#include "scenarios/run/processes/real_history.h"

namespace interlock::scenarios::real {

inline constexpr std::chrono::milliseconds kLease(100);

class Story {
 public:
  Story& Ask(int client, std::int64_t at, scenarios::Ask ask = scenarios::Ask::kTry,
             std::int64_t wait = 0) {
    return Add(client, EventKind::kAsk, at, AskDetails{.ask = ask, .patience = At(wait)});
  }
  Story& AskToRead(int client, std::int64_t at) {
    return Add(client, EventKind::kAsk, at, AskDetails{.shared = true});
  }
  Story& Granted(int client, std::int64_t at, std::int64_t valid_until) {
    return Add(client, EventKind::kGranted, at,
               GrantDetails{.valid_until = At(valid_until), .sent = At(-1)});
  }
  /// Of the grant that was told last.
  Story& Tokens(std::string token, std::uint64_t fencing_token) {
    Grant().token = std::move(token);
    if (fencing_token != 0) Grant().fencing_token = fencing_token;
    return *this;
  }
  /// When what was sent before the grant that was told last had gone out.
  Story& Sent(std::int64_t at) {
    Grant().sent = At(at);
    return *this;
  }
  /// How many commands its client had sent by the event that was told last.
  Story& Commands(std::uint64_t commands) {
    EventDetails& details = log_.back().details;
    if (auto* grant = std::get_if<GrantDetails>(&details)) grant->commands = commands;
    if (auto* answer = std::get_if<AnswerDetails>(&details)) answer->commands = commands;
    return *this;
  }
  Story& Extend(int client, std::int64_t from, std::int64_t to, std::int64_t valid_until,
                StatusCode code = StatusCode::kOk) {
    Add(client, EventKind::kExtend, from);
    Add(client, EventKind::kExtended, to, ExtendedDetails{code, At(valid_until)});
    log_.back().at_earliest = At(from);
    return *this;
  }
  Story& AskedValid(int client, std::int64_t called, std::int64_t valid_until, bool yes) {
    Add(client, EventKind::kAskedValid, called + 1, ValidDetails{yes, At(valid_until)});
    log_.back().at_earliest = At(called);
    return *this;
  }
  Story& StandsStill(int client, std::int64_t from, std::int64_t to) {
    return Add(client, EventKind::kStops, from, StopDetails{}).Add(client, EventKind::kGoesOn, to);
  }
  Story& Refused(int client, std::int64_t at, StatusCode code = StatusCode::kNotAcquired) {
    return Add(client, EventKind::kRefused, at, AnswerDetails{code});
  }
  Story& Section(int client, std::int64_t from, std::int64_t to) {
    return Add(client, EventKind::kEnter, from).Add(client, EventKind::kLeave, to);
  }
  Story& Release(int client, std::int64_t from, std::int64_t to,
                 StatusCode code = StatusCode::kOk) {
    return Add(client, EventKind::kRelease, from)
        .Add(client, EventKind::kReleased, to, AnswerDetails{code});
  }
  /// Counts a latch down for the party of its own number.
  Story& CountsDown(int client, std::int64_t from, std::int64_t to) {
    return Add(client, EventKind::kCountDown, from, PartyDetails{client})
        .Add(client, EventKind::kAnswered, to, AnswerDetails{});
  }
  Story& LetThrough(int client, std::int64_t at) {
    return Add(client, EventKind::kAnswered, at, AnswerDetails{});
  }
  Story& Dies(int client, std::int64_t at) {
    return Add(client, EventKind::kDied, at, EndDetails{});
  }
  /// A whole uneventful turn.
  Story& Turn(int client, std::int64_t asked, std::int64_t from, std::int64_t to) {
    return Ask(client, asked, scenarios::Ask::kWait)
        .Granted(client, from, from + 99)
        .Section(client, from, to)
        .Release(client, to, to + 1);
  }

  History Told(std::int64_t end = 1000, int permits = 1) const {
    return HistoryOf(log_, {At(end), kLease, permits, 4});
  }
  const EventLog& log() const { return log_; }

 private:
  static VirtualTime At(std::int64_t ms) { return std::chrono::milliseconds(ms); }

  GrantDetails& Grant() { return std::get<GrantDetails>(log_.back().details); }

  Story& Add(int client, EventKind kind, std::int64_t at, EventDetails details = {}) {
    log_.push_back({At(at), At(at), client, 0, kind, std::move(details)});
    return *this;
  }

  EventLog log_;
};

/// The verdict on a run that left no keys.
inline OutsideVerdict JudgeTold(const History& history, const OutsideRules& rules) {
  return JudgeFromOutside({history, rules, {}});
}

}  // namespace interlock::scenarios::real
