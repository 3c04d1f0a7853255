// SPDX-License-Identifier: MIT
//
// What clients on a real server might report, written by hand: records with instants in ms from the
// run's start.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "scenarios/judge/outside.h"
#include "scenarios/run/processes/client_process.h"
#include "scenarios/run/processes/real_history.h"

namespace interlock::scenarios::real {

inline constexpr std::chrono::milliseconds kLease(100);

class Story {
 public:
  Story& Ask(int client, std::int64_t at, scenarios::Ask ask = scenarios::Ask::kTry,
             std::int64_t wait = 0) {
    EventRecord& record = Add(client, EventKind::kAsk, at);
    record.ask = ask;
    record.wait_ns = wait * 1'000'000;
    return *this;
  }
  Story& AskToRead(int client, std::int64_t at) {
    Add(client, EventKind::kAsk, at).shared = true;
    return *this;
  }
  Story& Granted(int client, std::int64_t at, std::int64_t valid_until) {
    Add(client, EventKind::kGranted, at).valid_until_ns = Ns(valid_until);
    return *this;
  }
  /// Of the grant that was told last.
  Story& Tokens(std::uint64_t token, std::uint64_t fencing_token) {
    records_.back().token = token;
    records_.back().fencing_token = fencing_token;
    return *this;
  }
  /// When what was sent before the event that was told last had gone out.
  Story& Sent(std::int64_t at) {
    records_.back().sent_ns = Ns(at);
    return *this;
  }
  /// How many commands its client had sent by the event that was told last.
  Story& Commands(std::uint64_t commands) {
    records_.back().commands = commands;
    return *this;
  }
  Story& Extend(int client, std::int64_t from, std::int64_t to, std::int64_t valid_until,
                StatusCode code = StatusCode::kOk) {
    Add(client, EventKind::kExtend, from);
    EventRecord& record = Add(client, EventKind::kExtended, to);
    record.status = code;
    record.valid_until_ns = Ns(valid_until);
    return *this;
  }
  Story& AskedValid(int client, std::int64_t called, std::int64_t valid_until, bool yes) {
    EventRecord& record = Add(client, EventKind::kAskedValid, called + 1);
    record.called_ns = Ns(called);
    record.valid_until_ns = Ns(valid_until);
    record.yes = yes;
    return *this;
  }
  Story& StandsStill(int client, std::int64_t from, std::int64_t to) {
    Add(client, EventKind::kStops, from);
    Add(client, EventKind::kGoesOn, to);
    return *this;
  }
  Story& Refused(int client, std::int64_t at, StatusCode code = StatusCode::kNotAcquired) {
    Add(client, EventKind::kRefused, at).status = code;
    return *this;
  }
  Story& Section(int client, std::int64_t from, std::int64_t to) {
    Add(client, EventKind::kEnter, from);
    Add(client, EventKind::kLeave, to);
    return *this;
  }
  Story& Release(int client, std::int64_t from, std::int64_t to,
                 StatusCode code = StatusCode::kOk) {
    Add(client, EventKind::kRelease, from);
    Add(client, EventKind::kReleased, to).status = code;
    return *this;
  }
  /// Counts a latch down for the party of its own number.
  Story& CountsDown(int client, std::int64_t from, std::int64_t to) {
    Add(client, EventKind::kCountDown, from).party = client;
    Add(client, EventKind::kAnswered, to).status = StatusCode::kOk;
    return *this;
  }
  Story& LetThrough(int client, std::int64_t at) {
    Add(client, EventKind::kAnswered, at).status = StatusCode::kOk;
    return *this;
  }
  Story& Dies(int client, std::int64_t at) {
    Add(client, EventKind::kDied, at);
    return *this;
  }
  /// A whole uneventful turn.
  Story& Turn(int client, std::int64_t asked, std::int64_t from, std::int64_t to) {
    return Ask(client, asked, scenarios::Ask::kWait)
        .Granted(client, from, from + 99)
        .Section(client, from, to)
        .Release(client, to, to + 1);
  }

  History Told(std::int64_t end = 1000, int permits = 1) const {
    return HistoryOf(records_, {At(0), At(end), kLease, permits, 4});
  }

 private:
  static std::int64_t Ns(std::int64_t ms) { return (5'000 + ms) * 1'000'000; }
  static MonotonicTime At(std::int64_t ms) { return MonotonicTime(Duration(Ns(ms))); }

  EventRecord& Add(int client, EventKind kind, std::int64_t at) {
    EventRecord record;
    record.kind = kind;
    record.client = client;
    record.at_ns = Ns(at);
    return records_.emplace_back(record);
  }

  std::vector<EventRecord> records_;
};

/// The verdict on a run that left no keys.
inline OutsideVerdict JudgeTold(const History& history, const OutsideRules& rules) {
  return JudgeFromOutside({history, rules, {}});
}

}  // namespace interlock::scenarios::real
