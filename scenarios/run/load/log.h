// SPDX-License-Identifier: MIT
//
// What happened in one measurement, entry by entry: all figures are worked out from this alone, in
// virtual and in wall time alike, and trace.jsonl has it as it is, so that anybody can work them
// out again.
//
// Thread safety: as any std container; in wall time each client has a log of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::scenarios::contend {

enum class Happening : std::uint8_t {
  kAsk,        ///< value: when it should have asked, in an open loop; else the same instant
  kGranted,    ///< text: the owner's token, if there is one
  kRefused,    ///< value: 1 at the end of its patience, 0 by an error; text: the error
  kEnter,      ///< the section begins
  kLeave,      ///< and ends
  kRelease,    ///< the release is called
  kReleased,   ///< and has returned; value: 1 if it was told that it was no longer held
  kSend,       ///< a command; value: bytes of its words; text: the first of them
  kAnswered,   ///< the oldest command under way of its connection; value: an Answer
  kWoken,      ///< a server's message ended its sleep; text: the command that slept, or "message"
  kAccess,     ///< to what is guarded; value: the fencing token that it shows
  kOwned,      ///< in the server, only if it can be looked into; text: token
  kProlonged,  ///< value: what was left of it; text: token
  kFreed,      ///< value: 1 because its time was over, else 0; text: token
  kFault,      ///< value: when it ends; text: what it is
};

/// What came back for a command; errors are the server's own.
enum class Answer : std::int64_t { kReply = 0, kError = 1, kNone = 2 };

struct LogEntry {
  std::int64_t at_ns = 0;  ///< since the run's start
  Happening what = Happening::kAsk;
  int client = -1;   ///< -1: none
  int resource = 0;  ///< for kSend and kAnswered: the connection, for it serves them all
  std::int64_t value = 0;
  std::string text = {};
};

using Log = std::vector<LogEntry>;

/// "ask", "granted", …
std::string_view ToString(Happening what);

/// One line of JSON for each entry.
std::string ToJsonLines(const Log& log);

}  // namespace interlock::scenarios::contend
