// SPDX-License-Identifier: MIT
#include "scenarios/log/log_order.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace interlock::scenarios {
namespace {

/// What a client has to do with a resource.
struct Standing {
  bool asks = false;
  bool holds = false;
  bool extends = false;
  bool releases = false;
  VirtualTime held_until = VirtualTime::min();  ///< as far as its client knows
  VirtualTime latest = VirtualTime::min();
};

constexpr const char* kAsksAlready = "waits for it already; give each thread a number of its own";
constexpr const char* kHoldsAlready =
    "holds it already; log a re-entrant lock's outermost acquisition alone, and give each permit "
    "that a client holds a number of its own";
constexpr const char* kRefusedWhy = "was told ok; say why not: not-acquired, timeout, unavailable";

/// When the validity ends that the event speaks of; without a word of it a lease after the call.
VirtualTime End(const LogEvent& event, Duration lease) {
  const auto* grant = std::get_if<GrantDetails>(&event.details);
  const auto* extended = std::get_if<ExtendedDetails>(&event.details);
  const VirtualTime until = grant != nullptr      ? grant->valid_until
                            : extended != nullptr ? extended->valid_until
                                                  : kOpen;
  return until != kOpen ? until : event.at_earliest + lease;
}

/// Takes the event in. Returns what its client has or lacks that does not fit; empty: nothing.
std::string Take(const LogEvent& event, Duration lease, Standing& standing) {
  const auto needs = [](bool there, std::string_view what) {
    return there ? std::string() : fmt::format("has {}", what);
  };
  switch (event.kind) {
    case EventKind::kAsk:
      return std::exchange(standing.asks, true) ? kAsksAlready : "";
    case EventKind::kStop:
      return needs(standing.asks, "asked for nothing");
    case EventKind::kCountDown:
      standing.asks = true;
      return {};
    case EventKind::kRefused:
      if (event.As<AnswerDetails>().status == StatusCode::kOk) return kRefusedWhy;
      [[fallthrough]];
    case EventKind::kAnswered:
      return needs(std::exchange(standing.asks, false), "asked for nothing");
    case EventKind::kGranted:
      if (std::exchange(standing.held_until, End(event, lease)) > event.at_latest) {
        return kHoldsAlready;
      }
      standing.holds = true;
      standing.releases = false;
      return needs(std::exchange(standing.asks, false), "asked for nothing");
    case EventKind::kExtend:
      standing.extends = true;
      return needs(standing.holds, "been granted nothing");
    case EventKind::kExtended:
      standing.held_until = event.As<ExtendedDetails>().status == StatusCode::kOk
                                ? End(event, lease)
                                : event.at_latest;
      return needs(std::exchange(standing.extends, false), "called no extension");
    case EventKind::kDied:
      standing.asks = false;
      standing.held_until = event.at_latest;
      return {};
    case EventKind::kRelease:
      standing.releases = true;
      standing.held_until = event.at_latest;
      return needs(standing.holds, "been granted nothing");
    case EventKind::kReleased:
      return needs(std::exchange(standing.releases, false), "called no release");
    case EventKind::kDrop:
      standing.held_until = event.at_latest;
      [[fallthrough]];
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kAskedValid:
      return needs(standing.holds, "been granted nothing");
    default:
      return {};
  }
}

/// Far more than any log spans, so that instants and lengths can be added without care.
constexpr Duration kFarthest = std::chrono::hours(24 * 365 * 50);
/// Two of these can be subtracted. Time of day, counted from 1970, is nearer.
constexpr Duration kLargest(std::int64_t{1} << 62);
constexpr int kMostClients = 100'000;

/// Finds an instant or a length that is too far.
struct Farthest {
  void Time(std::string_view name, VirtualTime time) {
    if (time != kOpen) Instant(name, time);
  }
  void Instant(std::string_view name, VirtualTime time) {
    const bool large = time > kLargest || time < -kLargest;
    if (large || time - start > kFarthest || start - time > kFarthest) found = name;
  }
  void Length(std::string_view name, Duration length) {
    if (length > kFarthest || length < Duration{}) found = name;
  }
  template <typename T>
  void Value(std::string_view /*name*/, const T& /*value*/) {}

  VirtualTime start;
  std::string_view found = {};
};

std::string WhatIsTooFar(const LogEvent& event, VirtualTime start) {
  Farthest farthest{start};
  farthest.Instant("at_ns", event.at_earliest);
  farthest.Instant("at_ns", event.at_latest);
  EventDetails details = event.details;
  VisitDetails(details, farthest);
  if (farthest.found.empty()) return {};
  return fmt::format("{} is negative, or more than 50 years from the first event", farthest.found);
}

/// Only servers and faults are nobody's.
bool NeedsClient(EventKind kind) {
  using enum EventKind;
  return kind != kOwned && kind != kProlonged && kind != kFreed && kind != kExpired &&
         kind != kFault;
}

std::string WhatIsWrong(const LogEvent& event, const LogFile& file,
                        std::map<std::pair<int, int>, Standing>& standings) {
  const LogHeader& header = file.header;
  if (event.client >= header.clients) {
    return fmt::format("client {}, but there are {}, from 0 on", event.client, header.clients);
  }
  if (event.resource < 0 || event.resource >= header.resources) {
    return fmt::format("resource {}, but there are {}, from 0 on", event.resource,
                       header.resources);
  }
  const VirtualTime start = file.events.front().at_earliest;
  if (std::string far = WhatIsTooFar(event, start); !far.empty()) return far;
  if (event.client < 0 && NeedsClient(event.kind)) return "it needs a client, from 0 on";
  if (event.client < 0) return {};
  Standing& standing = standings[{event.client, event.resource}];
  if (event.at_latest < standing.latest) {
    return fmt::format("client {} did that before its last line", event.client);
  }
  standing.latest = event.at_latest;
  const std::string lacks = Take(event, header.lease, standing);
  return lacks.empty()
             ? lacks
             : fmt::format("\"{}\", but client {} {}", ToString(event.kind), event.client, lacks);
}

}  // namespace

std::string WhatDoesNotFit(const LogFile& file) {
  if (file.header.clients < 1 || file.header.resources < 1 || file.header.permits < 1) {
    return "line 1: clients, resources and permits must be 1 or more";
  }
  if (file.header.clients > kMostClients || file.header.resources > kMostClients) {
    return fmt::format("line 1: {} clients and {} resources; at most {} of each are judged",
                       file.header.clients, file.header.resources, kMostClients);
  }
  if (file.header.lease < Duration(1) || file.header.lease > kFarthest) {
    return "line 1: lease_ns must be 1 or more, and at most 50 years";
  }
  std::map<std::pair<int, int>, Standing> standings;
  for (std::size_t i = 0; i < file.events.size(); ++i) {
    const std::string wrong = WhatIsWrong(file.events[i], file, standings);
    if (!wrong.empty()) return fmt::format("line {}: {}", i + 2, wrong);
  }
  return {};
}

void Complete(LogFile& file) {
  if (file.events.empty()) return;
  const VirtualTime start = file.events.front().at_earliest;
  std::map<std::pair<int, int>, VirtualTime> called;  // the latest request or extension
  std::map<std::pair<int, int>, VirtualTime> until;   // the end of the latest validity
  for (LogEvent& event : file.events) {
    CountFrom(start, event);
    const std::pair who(event.client, event.resource);
    const auto known = [&](VirtualTime& end) {
      if (end == kOpen) end = std::min(called[who], event.at_earliest) + file.header.lease;
      until[who] = end;
    };
    if (event.kind == EventKind::kAsk || event.kind == EventKind::kExtend) {
      called[who] = event.at_earliest;
    } else if (auto* grant = std::get_if<GrantDetails>(&event.details)) {
      known(grant->valid_until);
    } else if (auto* extended = std::get_if<ExtendedDetails>(&event.details)) {
      known(extended->valid_until);
    } else if (auto* told = std::get_if<ValidDetails>(&event.details)) {
      if (told->valid_until == kOpen) told->valid_until = until[who];
    }
  }
}

}  // namespace interlock::scenarios
