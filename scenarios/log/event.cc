// SPDX-License-Identifier: MIT
#include "scenarios/log/event.h"

#include <algorithm>
#include <array>

#include "scenarios/log/event_details.h"

namespace interlock::scenarios {
namespace {

struct Row {
  EventKind kind = EventKind::kAsk;
  std::string_view name = {};
  EventDetails details = {};
};

const auto& Rows() {
  using enum EventKind;
  static const auto kRows = std::to_array<Row>({
      {kAsk, "ask", AskDetails()},
      {kStop, "stop"},
      {kRefused, "refused", AnswerDetails()},
      {kGranted, "granted", GrantDetails()},
      {kEnter, "enter"},
      {kLeave, "leave"},
      {kExtend, "extend"},
      {kExtended, "extended", ExtendedDetails()},
      {kAskValid, "ask-valid"},
      {kAskedValid, "asked-valid", ValidDetails()},
      {kLost, "lost"},
      {kAwaitedLoss, "awaited-loss", ToldDetails()},
      {kAwaitedCall, "awaited-call", ToldDetails()},
      {kRelease, "release"},
      {kReleased, "released", AnswerDetails()},
      {kDrop, "drop"},
      {kSetLimit, "set-limit", LimitDetails()},
      {kLimitSet, "limit-set", AnswerDetails()},
      {kInspect, "inspect"},
      {kInspected, "inspected", AnswerDetails()},
      {kForce, "force", HolderDetails()},
      {kForced, "forced", AnswerDetails()},
      {kCountDown, "count-down", PartyDetails()},
      {kAnswered, "answered", AnswerDetails()},
      {kAccess, "access", AccessDetails()},
      {kStops, "stops", StopDetails()},
      {kGoesOn, "goes-on"},
      {kDied, "died", EndDetails()},
      {kEnded, "ended", EndDetails()},
      {kSend, "send", SendDetails()},
      {kReply, "reply", ReplyDetails()},
      {kWoken, "woken", WokenDetails()},
      {kOwned, "owned", OwnerDetails()},
      {kProlonged, "prolonged", OwnerDetails()},
      {kFreed, "freed", OwnerDetails()},
      {kFault, "fault", FaultDetails()},
  });
  return kRows;
}

const Row& RowOf(EventKind kind) { return *std::ranges::find(Rows(), kind, &Row::kind); }

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

EventDetails DetailsFor(EventKind kind) { return RowOf(kind).details; }

void CountFrom(VirtualTime start, LogEvent& event) {
  const Shift shift{start};
  event.at_earliest -= start;
  event.at_latest -= start;
  VisitDetails(event.details, shift);
}

}  // namespace interlock::scenarios
