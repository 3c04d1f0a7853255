// SPDX-License-Identifier: MIT
//
// An event log as text: interlock.log/1, one JSON object on each line, the first of which says what
// was logged (see reports/schema/log.schema.json). Clients in processes of their own report in the
// same lines.
//
// Guarantee: what is written is read back as it was, but for bytes that are not UTF-8. A member at
// its default is not written. Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include <interlock/result.h>

#include "scenarios/log/event.h"

namespace interlock::scenarios {

inline constexpr std::string_view kLogFormat = "interlock.log/1";

/// What the first line says.
struct LogHeader {
  std::string lock = {};
  std::string scenario = {};  ///< or "load"
  Duration lease{};
  int permits = 1;
  int clients = 1;
  int resources = 1;
  bool operator==(const LogHeader&) const = default;
};

struct LogFile {
  LogHeader header;
  EventLog events;
};

std::string ToLine(const LogHeader& header);
std::string ToLine(const LogEvent& event);
std::string ToText(const LogHeader& header, const EventLog& events);

/// kInvalidArgument: the line is none, with what was found and what would be right.
Result<LogEvent> ReadEvent(std::string_view line);
/// The same; the message begins with the line's number.
Result<LogFile> ReadLog(std::string_view text);

}  // namespace interlock::scenarios
