// SPDX-License-Identifier: MIT
//
// Hand-written histories for the tests of the oracles: short names for what each of them needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios::testing {

inline constexpr Duration kLease = std::chrono::milliseconds(1000);

constexpr VirtualTime Ms(std::int64_t count) { return std::chrono::milliseconds(count); }

/// A lock with a lease of one second, and a run that ended after a hundred.
inline History NewHistory() {
  History history;
  history.lease = kLease;
  history.end = Ms(100'000);
  return history;
}

/// ... of a semaphore.
inline History NewHistoryOfPermits(int permits) {
  History history = NewHistory();
  history.limits = Limits(permits);
  return history;
}

inline void Crash(History& history, int client, VirtualTime when) {
  history.deaths.push_back({client, when});
}

/// A grant as its client saw it, believed over [from, to).
inline ClientHold Believes(int client, VirtualTime from, VirtualTime to) {
  ClientHold hold;
  hold.client = client;
  hold.token = "t" + std::to_string(client);
  hold.asked = from;
  hold.belief = {{from, to}};
  return hold;
}

/// ... whose client was also in its section over [in, out).
inline ClientHold Inside(ClientHold hold, VirtualTime in, VirtualTime out) {
  hold.section = {in, out};
  return hold;
}

/// ... and which was released.
inline ClientHold Released(ClientHold hold, VirtualTime called, VirtualTime returned,
                           StatusCode status = StatusCode::kOk) {
  hold.release_called = called;
  hold.release_returned = returned;
  hold.release_status = status;
  return hold;
}

/// An ownership entry with the token that Believes gives to the same client.
inline ServerHold Owns(int client, VirtualTime granted, VirtualTime promised_until) {
  ServerHold hold;
  hold.client = client;
  hold.token = "t" + std::to_string(client);
  hold.granted = granted;
  hold.renewed = granted;
  hold.promised_until = promised_until;
  return hold;
}

inline ServerHold Ended(ServerHold hold, ServerHoldEnd how, VirtualTime when) {
  hold.end = how;
  hold.ended = when;
  return hold;
}

inline Attempt Asked(int client, Ask ask, VirtualTime asked) {
  Attempt attempt;
  attempt.client = client;
  attempt.ask = ask;
  attempt.asked = asked;
  return attempt;
}

inline Attempt Answered(Attempt attempt, VirtualTime when, StatusCode answer = StatusCode::kOk) {
  attempt.answered = when;
  attempt.answer = answer;
  return attempt;
}

inline std::vector<Judged> PropertiesOf(const std::vector<Violation>& violations) {
  std::vector<Judged> properties;
  for (const Violation& violation : violations) properties.push_back(violation.property);
  return properties;
}

}  // namespace interlock::scenarios::testing
