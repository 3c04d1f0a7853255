// SPDX-License-Identifier: MIT
//
// The events of one measurement, entry by entry. All figures are computed from it alone, in virtual
// and in wall time alike; trace.jsonl contains it verbatim, so that anybody can recompute them.
//
// Thread safety: that of a std container; in wall time each client has a log of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::scenarios::contend {

enum class Happening : std::uint8_t {
  kAsk,        ///< value: when it was due to ask, in an open loop; otherwise the same instant
  kGranted,    ///< text: the owner's token, if there is one
  kRefused,    ///< value: 1 if its patience ended, 0 on an error; text: the error
  kEnter,      ///< the section begins
  kLeave,      ///< the section ends
  kRelease,    ///< the release is called
  kReleased,   ///< the release returns; value: 1 if told that it was no longer held
  kSend,       ///< a command; value: bytes of its arguments; text: the first one
  kAnswered,   ///< the connection's oldest pending command; value: an Answer
  kWoken,      ///< a server's message ended its sleep; text: the blocked command, or "message"
  kAccess,     ///< to the guarded resource; value: the fencing token it shows
  kOwned,      ///< in the server, only if that is visible; text: token
  kProlonged,  ///< value: time that was left; text: token
  kFreed,      ///< value: 1 if it expired, else 0; text: token
  kFault,      ///< value: when it ends; text: the kind
};

/// The outcome of a command; errors are the server's own.
enum class Answer : std::int64_t { kReply = 0, kError = 1, kNone = 2 };

struct LogEntry {
  std::int64_t at_ns = 0;  ///< since the run's start
  Happening what = Happening::kAsk;
  int client = -1;   ///< -1: none
  int resource = 0;  ///< for kSend and kAnswered: the connection, which serves all resources
  std::int64_t value = 0;
  std::string text = {};
};

using Log = std::vector<LogEntry>;

/// "ask", "granted", …
std::string_view ToString(Happening what);

/// One line of JSON for each entry.
std::string ToJsonLines(const Log& log);

}  // namespace interlock::scenarios::contend
