// SPDX-License-Identifier: MIT
//
// The events of a case as plain data: instants, each a row of the time table, and the spans beside
// them. Part of Counterexample; see run_report.h.
//
// Guarantee: nothing here computes or throws. Thread safety: values. Units: in the names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::reports {

/// How a row of the time table is marked in the margin.
enum class RowKind { kEvent, kFault, kViolation };

/// The span that begins or ends for the row's client. A section or a pause is drawn as a bar down
/// to the matching end; an ask is the time from a request for the lock to its answer.
enum class SpanChange {
  kNone,
  kSectionBegin,
  kSectionEnd,
  kPauseBegin,
  kPauseEnd,
  kAskBegin,
  kAskEnd
};

std::string_view ToString(RowKind kind);
std::string_view ToString(SpanChange span);

/// The stage of a command that a row shows: its client sends it, its server executes it and
/// replies, its client receives the reply.
enum class MessagePart { kNone, kSend, kExecute, kReply, kReceive };
std::string_view ToString(MessagePart part);

/// One thing that one actor did.
struct TableRow {
  std::int64_t time_ns = 0;  ///< virtual, from the start of the run
  std::size_t column = 0;    ///< index into Counterexample::columns
  std::string text;
  RowKind kind = RowKind::kEvent;
  SpanChange span = SpanChange::kNone;
  MessagePart part = MessagePart::kNone;
  /// For a message part: number shared by the rows of one command, from 1.
  std::uint64_t message = 0;
  bool lost = false;  ///< for a message part: the message sent here never arrived
};

/// `kBelief`: a client believes that it holds the lock. `kOwner`: a server records a client as the
/// owner.
enum class StretchKind { kBelief, kOwner };
std::string_view ToString(StretchKind kind);

/// A span of time. Spans of one client or resource may overlap.
struct Stretch {
  StretchKind kind = StretchKind::kBelief;
  std::size_t column = 0;  ///< the client, as an index into Counterexample::columns
  std::string resource;  ///< what is locked: "jobs:42", or with several servers "jobs:42 on node 2"
  std::int64_t from_ns = 0;  ///< virtual, from the start of the run
  /// Exclusive; nullopt: it had not ended when the run did.
  std::optional<std::int64_t> to_ns = {};
  std::string end = {};  ///< how it ended: "released", "expired"; may be empty
};

}  // namespace interlock::reports
