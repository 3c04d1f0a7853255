// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/program_log.h"

#include <string_view>
#include <utility>
#include <variant>

#include "scenarios/log/event.h"

namespace interlock::scenarios {

namespace {

/// Converts instants of a client's clock to those of the world.
struct ToGlobal {
  void Time(std::string_view /*name*/, VirtualTime& time) const {
    if (time != kOpen) time = log.GlobalTime(client, MonotonicTime(time));
  }
  void Length(std::string_view /*name*/, Duration& /*length*/) const {}
  template <typename T>
  void Value(std::string_view /*name*/, T& /*value*/) const {}

  const RunLog& log;
  int client;
};

StatusCode StatusOf(const EventDetails& answer) { return std::get<AnswerDetails>(answer).status; }

bool WasTold(const EventDetails& waited) { return std::get<ToldDetails>(waited).told; }

}  // namespace

void ProgramLog::On(Party who, EventKind kind, const EventDetails& details) {
  if (log_.closed) return;
  Take(who, kind, details);
  if (log_.keeps_events()) Keep(who, kind, details);
}

void ProgramLog::Keep(Party who, EventKind kind, EventDetails details) {
  const ToGlobal to_global{log_, who.client};
  VisitDetails(details, to_global);
  if (auto* grant = std::get_if<GrantDetails>(&details)) grant->sent = log_.state(who.client).sent;
  log_.events.push_back(
      {CalledAt(who, kind), log_.now(), who.client, who.resource, kind, std::move(details)});
}

VirtualTime ProgramLog::CalledAt(Party who, EventKind kind) const {
  const History& history = log_.history(who);
  const Dealing& dealing = log_.dealing(who);
  switch (kind) {
    case EventKind::kGranted:
    case EventKind::kRefused:
    case EventKind::kAnswered:
      return history.attempts[dealing.attempt].asked;
    case EventKind::kExtended:
      return history.renewals[dealing.renewal].called;
    case EventKind::kAskedValid:
      return dealing.asked_valid;
    case EventKind::kReleased:
      return history.holds[dealing.hold].release_called;
    default:
      return log_.now();
  }
}

void ProgramLog::Take(Party who, EventKind kind, const EventDetails& details) {
  switch (kind) {
    case EventKind::kAsk:
      return attempts_.OnAsk(who, std::get<AskDetails>(details));
    case EventKind::kStop:
      return attempts_.OnStop(who);
    case EventKind::kCountDown:
      return attempts_.OnCountDown(who, std::get<PartyDetails>(details).party);
    case EventKind::kRefused:
    case EventKind::kAnswered:
      return attempts_.OnAnswered(who, StatusOf(details));
    case EventKind::kGranted:
      return holds_.OnGranted(who, std::get<GrantDetails>(details));
    case EventKind::kEnter:
      return holds_.OnEnter(who);
    case EventKind::kLeave:
      return holds_.OnLeave(who);
    case EventKind::kExtend:
      return holds_.OnExtend(who);
    case EventKind::kExtended:
      return holds_.OnExtended(who, std::get<ExtendedDetails>(details));
    case EventKind::kRelease:
      return holds_.OnRelease(who);
    case EventKind::kReleased:
      return holds_.OnReleased(who, StatusOf(details));
    case EventKind::kDrop:
      return holds_.OnDrop(who);
    case EventKind::kAskValid:
      return validity_.OnAskValid(who);
    case EventKind::kAskedValid:
      return validity_.OnAskedValid(who, std::get<ValidDetails>(details));
    case EventKind::kLost:
      return validity_.OnLost(who);
    case EventKind::kAwaitedLoss:
      return validity_.OnAwaitedLoss(who, WasTold(details));
    case EventKind::kAwaitedCall:
      return validity_.OnAwaitedCall(who, WasTold(details));
    default:
      return OfOperators(who, kind, details);
  }
}

void ProgramLog::OfOperators(Party who, EventKind kind, const EventDetails& details) {
  switch (kind) {
    case EventKind::kSetLimit:
      return operators_.OnSetLimit(who, std::get<LimitDetails>(details).limit);
    case EventKind::kLimitSet:
      return operators_.OnLimitSet(who, StatusOf(details));
    case EventKind::kInspect:
      return operators_.OnInspect(who);
    case EventKind::kInspected:
      return operators_.OnInspected(who, StatusOf(details));
    case EventKind::kForce:
      return operators_.OnForce(who, std::get<HolderDetails>(details));
    case EventKind::kForced:
      return operators_.OnForced(who, StatusOf(details));
    default:
      return;  // no program says it
  }
}

}  // namespace interlock::scenarios
