// SPDX-License-Identifier: MIT
//
// A measurement's log assembled into requests, and ownerships in the server. Thread safety: pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/log/event.h"

namespace interlock::scenarios::contend {

inline constexpr std::int64_t kNotYet = std::numeric_limits<std::int64_t>::max();

enum class Ending : std::uint8_t { kOpen, kGranted, kAbandoned, kFailed };

struct Request {
  int client = 0;
  int resource = 0;
  std::int64_t intended = 0;
  std::int64_t asked = 0;
  std::int64_t answered = kNotYet;
  Ending ending = Ending::kOpen;
  bool contended = false;  ///< another client held it or asked for it on arrival
  std::string token;
  std::int64_t entered = kNotYet;
  std::int64_t left = kNotYet;
  std::int64_t release_called = kNotYet;
  std::int64_t released = kNotYet;
  bool told_lost = false;  ///< the release was told that it was no longer held
};

/// One ownership in the server.
struct Ownership {
  int client = -1;  ///< -1: no client was told that it owns it
  int resource = 0;
  std::int64_t from = 0;
  std::int64_t to = kNotYet;
  bool expired = false;
  std::optional<std::size_t> request;  ///< the one that it answered
};

struct Told {
  std::vector<Request> requests;      ///< in order of arrival
  std::vector<Ownership> ownerships;  ///< likewise
};

/// The event's instant, in nanoseconds.
inline std::int64_t NsOf(const LogEvent& event) { return event.at_latest.count(); }

Told Assemble(const EventLog& log);

}  // namespace interlock::scenarios::contend
