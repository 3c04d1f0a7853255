// SPDX-License-Identifier: MIT
#include "scenarios/log/event.h"

#include "scenarios/log/event_details.h"

namespace interlock::scenarios {
namespace {

struct Row {
  std::string_view name;
  EventDetails details = {};
};

Row RowOf(EventKind kind) {
  switch (kind) {
    case EventKind::kAsk:
      return {"ask", AskDetails()};
    case EventKind::kStop:
      return {"stop"};
    case EventKind::kRefused:
      return {"refused", AnswerDetails()};
    case EventKind::kGranted:
      return {"granted", GrantDetails()};
    case EventKind::kEnter:
      return {"enter"};
    case EventKind::kLeave:
      return {"leave"};
    case EventKind::kExtend:
      return {"extend"};
    case EventKind::kExtended:
      return {"extended", ExtendedDetails()};
    case EventKind::kAskValid:
      return {"ask-valid"};
    case EventKind::kAskedValid:
      return {"asked-valid", ValidDetails()};
    case EventKind::kLost:
      return {"lost"};
    case EventKind::kAwaitedLoss:
      return {"awaited-loss", ToldDetails()};
    case EventKind::kAwaitedCall:
      return {"awaited-call", ToldDetails()};
    case EventKind::kRelease:
      return {"release"};
    case EventKind::kReleased:
      return {"released", AnswerDetails()};
    case EventKind::kDrop:
      return {"drop"};
    case EventKind::kSetLimit:
      return {"set-limit", LimitDetails()};
    case EventKind::kLimitSet:
      return {"limit-set", AnswerDetails()};
    case EventKind::kInspect:
      return {"inspect"};
    case EventKind::kInspected:
      return {"inspected", AnswerDetails()};
    case EventKind::kForce:
      return {"force", HolderDetails()};
    case EventKind::kForced:
      return {"forced", AnswerDetails()};
    case EventKind::kCountDown:
      return {"count-down", PartyDetails()};
    case EventKind::kAnswered:
      return {"answered", AnswerDetails()};
    case EventKind::kAccess:
      return {"access", AccessDetails()};
    case EventKind::kStops:
      return {"stops", StopDetails()};
    case EventKind::kGoesOn:
      return {"goes-on"};
    case EventKind::kDied:
      return {"died", EndDetails()};
    case EventKind::kEnded:
      return {"ended", EndDetails()};
    case EventKind::kSend:
      return {"send", SendDetails()};
    case EventKind::kReply:
      return {"reply", ReplyDetails()};
    case EventKind::kWoken:
      return {"woken", WokenDetails()};
    case EventKind::kOwned:
      return {"owned", OwnerDetails()};
    case EventKind::kProlonged:
      return {"prolonged", OwnerDetails()};
    case EventKind::kFreed:
      return {"freed", OwnerDetails()};
    case EventKind::kFault:
      return {"fault", FaultDetails()};
  }
  return {"?"};
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

EventDetails DetailsFor(EventKind kind) { return RowOf(kind).details; }

void CountFrom(VirtualTime start, LogEvent& event) {
  const Shift shift{start};
  event.at_earliest -= start;
  event.at_latest -= start;
  VisitDetails(event.details, shift);
}

}  // namespace interlock::scenarios
