// SPDX-License-Identifier: MIT
#include "scenarios/log/log_order.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/event_details.h"

namespace interlock::scenarios {
namespace {

/// What a client has to do with a resource.
struct Standing {
  bool asks = false;
  bool holds = false;
  bool extends = false;
  bool releases = false;
  VirtualTime latest = VirtualTime::min();
};

/// Takes the event in. Returns what it lacks; empty: nothing.
std::string Take(const LogEvent& event, Standing& standing) {
  const auto needs = [](bool there, std::string_view what) {
    return there ? std::string() : fmt::format("has {}", what);
  };
  switch (event.kind) {
    case EventKind::kAsk:
    case EventKind::kCountDown:
      standing.asks = true;
      return {};
    case EventKind::kRefused:
    case EventKind::kAnswered:
      return needs(std::exchange(standing.asks, false), "asked for nothing");
    case EventKind::kGranted:
      standing.holds = true;
      standing.releases = false;
      return needs(std::exchange(standing.asks, false), "asked for nothing");
    case EventKind::kExtend:
      standing.extends = true;
      return needs(standing.holds, "been granted nothing");
    case EventKind::kExtended:
      return needs(std::exchange(standing.extends, false), "called no extension");
    case EventKind::kRelease:
      standing.releases = true;
      return needs(standing.holds, "been granted nothing");
    case EventKind::kReleased:
      return needs(std::exchange(standing.releases, false), "called no release");
    case EventKind::kEnter:
    case EventKind::kLeave:
    case EventKind::kDrop:
    case EventKind::kAskedValid:
      return needs(standing.holds, "been granted nothing");
    default:
      return {};
  }
}

/// Far more than any log holds, so that instants and lengths can be added without care.
constexpr Duration kFarthest = std::chrono::hours(24 * 365 * 50);
constexpr int kMostClients = 100'000;

/// Finds an instant or a length that is too far.
struct Farthest {
  void Time(std::string_view name, VirtualTime time) {
    if (time != kOpen) Length(name, time);
  }
  void Length(std::string_view name, Duration length) {
    if (length > kFarthest || length < -kFarthest) found = name;
  }
  template <typename T>
  void Value(std::string_view /*name*/, const T& /*value*/) {}

  std::string_view found;
};

std::string WhatIsTooFar(const LogEvent& event) {
  Farthest farthest;
  farthest.Length("at_ns", event.at_earliest);
  farthest.Length("at_ns", event.at_latest);
  EventDetails details = event.details;
  VisitDetails(details, farthest);
  if (farthest.found.empty()) return {};
  return fmt::format("{} is more than 50 years away", farthest.found);
}

std::string WhatIsWrong(const LogEvent& event, const LogHeader& header,
                        std::map<std::pair<int, int>, Standing>& standings) {
  if (event.client >= header.clients) {
    return fmt::format("client {}, but there are {}, from 0 on", event.client, header.clients);
  }
  if (event.resource < 0 || event.resource >= header.resources) {
    return fmt::format("resource {}, but there are {}, from 0 on", event.resource,
                       header.resources);
  }
  if (std::string far = WhatIsTooFar(event); !far.empty()) return far;
  if (event.client < 0) return {};
  Standing& standing = standings[{event.client, event.resource}];
  if (event.at_latest < standing.latest) {
    return fmt::format("client {} did that before its last line", event.client);
  }
  standing.latest = event.at_latest;
  const std::string lacks = Take(event, standing);
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
  if (file.header.lease > kFarthest) return "line 1: lease_ns is more than 50 years";
  std::map<std::pair<int, int>, Standing> standings;
  for (std::size_t i = 0; i < file.events.size(); ++i) {
    const std::string wrong = WhatIsWrong(file.events[i], file.header, standings);
    if (!wrong.empty()) return fmt::format("line {}: {}", i + 2, wrong);
  }
  return {};
}

}  // namespace interlock::scenarios
