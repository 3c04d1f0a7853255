// SPDX-License-Identifier: MIT
#include "scenarios/run/load/log.h"

#include <utility>

#include <fmt/format.h>

#include "reports/json_text.h"

namespace interlock::scenarios::contend {

std::string_view ToString(Happening what) {
  switch (what) {
    case Happening::kAsk:
      return "ask";
    case Happening::kGranted:
      return "granted";
    case Happening::kRefused:
      return "refused";
    case Happening::kEnter:
      return "enter";
    case Happening::kLeave:
      return "leave";
    case Happening::kRelease:
      return "release";
    case Happening::kReleased:
      return "released";
    case Happening::kSend:
      return "send";
    case Happening::kAnswered:
      return "answered";
    case Happening::kWoken:
      return "woken";
    case Happening::kAccess:
      return "access";
    case Happening::kOwned:
      return "owned";
    case Happening::kProlonged:
      return "prolonged";
    case Happening::kFreed:
      return "freed";
    case Happening::kFault:
      return "fault";
  }
  return "?";
}

namespace {

std::string Quoted(std::string_view text) {
  reports::JsonText json;
  json.String(text);
  std::string quoted = std::move(json).Take();
  quoted.pop_back();  // removes the line end
  return quoted;
}

}  // namespace

std::string ToJsonLines(const Log& log) {
  std::string lines;
  for (std::size_t i = 0; i < log.size(); ++i) {
    const LogEntry& entry = log[i];
    lines +=
        fmt::format(R"({{"seq":{},"at_ns":{},"what":"{}","client":{},"resource":{},"value":{})", i,
                    entry.at_ns, ToString(entry.what), entry.client, entry.resource, entry.value);
    if (!entry.text.empty()) lines += ",\"text\":" + Quoted(entry.text);
    lines += "}\n";
  }
  return lines;
}

}  // namespace interlock::scenarios::contend
