// SPDX-License-Identifier: MIT
#include "scenarios/log/event.h"

#include <algorithm>
#include <array>

namespace interlock::scenarios {
namespace {

template <typename Details = std::monostate>
EventDetails Default() {
  return Details();
}

struct EventRow {
  EventKind kind;
  std::string_view name;
  EventDetails (*details)() = Default<>;
};

constexpr auto kEventRows = [] {
  using enum EventKind;
  return std::to_array<EventRow>({
      {kAsk, "ask", Default<AskDetails>},
      {kStop, "stop"},
      {kRefused, "refused", Default<AnswerDetails>},
      {kGranted, "granted", Default<GrantDetails>},
      {kEnter, "enter"},
      {kLeave, "leave"},
      {kExtend, "extend"},
      {kExtended, "extended", Default<ExtendedDetails>},
      {kAskValid, "ask-valid"},
      {kAskedValid, "asked-valid", Default<ValidDetails>},
      {kLost, "lost"},
      {kAwaitedLoss, "awaited-loss", Default<ToldDetails>},
      {kAwaitedCall, "awaited-call", Default<ToldDetails>},
      {kRelease, "release"},
      {kReleased, "released", Default<AnswerDetails>},
      {kDrop, "drop"},
      {kSetLimit, "set-limit", Default<LimitDetails>},
      {kLimitSet, "limit-set", Default<AnswerDetails>},
      {kInspect, "inspect"},
      {kInspected, "inspected", Default<AnswerDetails>},
      {kForce, "force", Default<HolderDetails>},
      {kForced, "forced", Default<AnswerDetails>},
      {kCountDown, "count-down", Default<PartyDetails>},
      {kAnswered, "answered", Default<AnswerDetails>},
      {kAccess, "access", Default<AccessDetails>},
      {kStops, "stops", Default<StopDetails>},
      {kGoesOn, "goes-on"},
      {kDied, "died", Default<EndDetails>},
      {kEnded, "ended", Default<EndDetails>},
      {kSend, "send", Default<SendDetails>},
      {kReply, "reply", Default<ReplyDetails>},
      {kWoken, "woken", Default<WokenDetails>},
      {kOwned, "owned", Default<OwnerDetails>},
      {kProlonged, "prolonged", Default<OwnerDetails>},
      {kFreed, "freed", Default<OwnerDetails>},
      {kExpired, "expired", Default<KeyDetails>},
      {kFault, "fault", Default<FaultDetails>},
  });
}();

const EventRow& RowOf(EventKind kind) {
  return *std::ranges::find(kEventRows, kind, &EventRow::kind);
}

/// Moves instants; what is open stays open.
struct Shift {
  void Time(std::string_view /*name*/, VirtualTime& time) const {
    if (time != kOpen) time -= start;
  }
  void Length(std::string_view /*name*/, Duration& /*length*/) const {}
  template <typename T>
  void Value(std::string_view /*name*/, T& /*value*/) const {}

  VirtualTime start;
};

}  // namespace

std::string_view ToString(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::kReply:
      return "reply";
    case ReplyKind::kError:
      return "error";
    case ReplyKind::kNone:
      return "none";
  }
  return "?";
}

std::string_view ToString(EventKind kind) { return RowOf(kind).name; }

EventDetails DetailsFor(EventKind kind) { return RowOf(kind).details(); }

void CountFrom(VirtualTime start, LogEvent& event) {
  const Shift shift{start};
  event.at_earliest -= start;
  event.at_latest -= start;
  VisitDetails(event.details, shift);
}

}  // namespace interlock::scenarios
