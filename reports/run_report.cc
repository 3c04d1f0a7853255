// SPDX-License-Identifier: MIT
#include "reports/run_report.h"

namespace interlock::reports {

// A value outside an enumeration can only come from a cast; it is named, not trusted.

std::string_view ToString(LockKind kind) {
  switch (kind) {
    case LockKind::kSound:
      return "sound";
    case LockKind::kSpecimen:
      return "specimen";
  }
  return "unknown";
}

std::string_view ToString(Expectation expectation) {
  switch (expectation) {
    case Expectation::kHolds:
      return "holds";
    case Expectation::kBreaks:
      return "breaks";
    case Expectation::kEither:
      return "either";
  }
  return "unknown";
}

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kViolated:
      return "violated";
    case Verdict::kInconclusive:
      return "inconclusive";
  }
  return "unknown";
}

std::string_view ToString(RunStatus status) {
  switch (status) {
    case RunStatus::kComplete:
      return "complete";
    case RunStatus::kPartial:
      return "partial";
  }
  return "unknown";
}

std::string_view ToString(RowKind kind) {
  switch (kind) {
    case RowKind::kEvent:
      return "event";
    case RowKind::kFault:
      return "fault";
    case RowKind::kViolation:
      return "violation";
  }
  return "unknown";
}

std::string_view ToString(MessagePart part) {
  switch (part) {
    case MessagePart::kNone:
      return "none";
    case MessagePart::kSend:
      return "send";
    case MessagePart::kExecute:
      return "execute";
    case MessagePart::kReply:
      return "reply";
    case MessagePart::kReceive:
      return "receive";
  }
  return "unknown";
}

std::string_view ToString(SpanChange span) {
  switch (span) {
    case SpanChange::kNone:
      return "none";
    case SpanChange::kSectionBegin:
      return "section-begin";
    case SpanChange::kSectionEnd:
      return "section-end";
    case SpanChange::kPauseBegin:
      return "pause-begin";
    case SpanChange::kPauseEnd:
      return "pause-end";
    case SpanChange::kAskBegin:
      return "ask-begin";
    case SpanChange::kAskEnd:
      return "ask-end";
  }
  return "unknown";
}

std::string_view ToString(StretchKind kind) {
  switch (kind) {
    case StretchKind::kBelief:
      return "belief";
    case StretchKind::kOwner:
      return "owner";
  }
  return "unknown";
}

}  // namespace interlock::reports
