// SPDX-License-Identifier: MIT
#include "scenarios/log/event_rows.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/messages.h"
#include "scenarios/log/script_names.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

using reports::RowKind;
using reports::SpanChange;
using reports::TableRow;

/// The note without the name of its resource, which ends it if the run has several resources.
std::string_view WithoutResource(std::string_view note) { return note.substr(0, note.find(": ")); }

bool IsAsk(std::string_view note) {
  for (const std::string_view begin : {"as a reader: ", "count down for ", "set the limit to "}) {
    if (note.starts_with(begin)) return true;
  }
  const std::string_view word = WithoutResource(note);
  return word == ToString(Ask::kTry) || word == ToString(Ask::kWaitFor) ||
         word == ToString(Ask::kWait);
}

bool IsAnswer(std::string_view note) {
  const std::string_view word = WithoutResource(note);
  if (word == "granted") return true;
  for (int code = 0; code <= static_cast<int>(StatusCode::kStopped); ++code) {
    if (word == ToString(static_cast<StatusCode>(code))) return true;
  }
  return false;
}

/// Finds the notes that begin and end a request. An answer belongs to its client's latest request.
class Asks {
 public:
  SpanChange SpanOf(const sim::TraceEvent& event) {
    int& open = open_[event.process];
    const bool dies = event.kind == sim::TraceKind::kFault &&
                      (event.text.starts_with("crash") || event.text.starts_with("restart"));
    if (dies) open = 0;
    if (event.kind != sim::TraceKind::kNote) return SpanChange::kNone;
    if (IsAsk(event.text)) {
      ++open;
      return SpanChange::kAskBegin;
    }
    if (open == 0 || !IsAnswer(event.text)) return SpanChange::kNone;
    --open;
    return SpanChange::kAskEnd;
  }

 private:
  std::map<int, int> open_;  ///< by process
};

/// The bar in the client's column that the event begins or ends.
SpanChange BarOf(const sim::TraceEvent& event) {
  if (event.kind == sim::TraceKind::kResume && event.text.empty()) return SpanChange::kPauseEnd;
  if (event.kind == sim::TraceKind::kNote && event.text.starts_with("enter section")) {
    return SpanChange::kSectionBegin;
  }
  if (event.kind == sim::TraceKind::kNote && event.text.starts_with("leave section")) {
    return SpanChange::kSectionEnd;
  }
  const bool pause = event.kind == sim::TraceKind::kFault &&
                     (event.text.starts_with("pause") || event.text.starts_with("expiry"));
  return pause ? SpanChange::kPauseBegin : SpanChange::kNone;
}

/// A row whose text is made when it is known to stay: of a run that polls without end few do.
struct Row : TableRow {
  const sim::TraceEvent* event = nullptr;  ///< null: it has its text
};

/// Whether TextOf has anything to tell.
bool IsShown(const sim::TraceEvent& event) {
  switch (event.kind) {
    case sim::TraceKind::kStart:
    case sim::TraceKind::kEnd:
    case sim::TraceKind::kConnect:
      return false;
    case sim::TraceKind::kNote:
      return !event.text.empty();
    default:
      return true;
  }
}

/// The part of an event that a person needs to see.
std::string TextOf(const sim::TraceEvent& event, const ScriptNames& names) {
  switch (event.kind) {
    case sim::TraceKind::kSend:
      return names.Shorten(event.text) + " ▸";
    case sim::TraceKind::kReceive:
      return "◂ " + names.Shorten(event.text);
    case sim::TraceKind::kExecute:
      return fmt::format("{}: {}", ClientName(event.process),
                         event.text.substr(0, event.text.find(' ')));
    case sim::TraceKind::kExpired:
      return event.text + " expired";
    case sim::TraceKind::kFault:
      return "FAULT " + event.text;
    case sim::TraceKind::kBroken:
      return "connection broke: " + event.text;
    case sim::TraceKind::kResume:
      return event.text.empty() ? "resumed" : event.text;
    case sim::TraceKind::kHeal:
      return "all faults end";
    case sim::TraceKind::kNote:
      return event.text;
    case sim::TraceKind::kStart:
    case sim::TraceKind::kEnd:
    case sim::TraceKind::kConnect:
      break;
    case sim::TraceKind::kReply:
      return "  = " + names.Shorten(event.text);
  }
  return {};
}

std::vector<Row> Rows(const RunResult& run, const Violation& violation, std::string_view property,
                      std::size_t server) {
  std::vector<Row> rows;
  const auto mark = [&] {
    Row row;
    row.time_ns = violation.at.count();
    row.column = violation.client >= 0 ? static_cast<std::size_t>(violation.client) : server;
    row.text = property;
    row.kind = RowKind::kViolation;
    rows.push_back(row);
  };
  bool marked = false;
  Asks asks;
  const std::vector<MessageEnd> messages = MessagesOf(run.events);
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const sim::TraceEvent& event = run.events[i];
    if (!marked && event.time > violation.at) {
      mark();
      marked = true;
    }
    if (!IsShown(event)) continue;
    Row row;
    row.event = &event;
    row.time_ns = event.time.count();
    const bool at_server = event.kind == sim::TraceKind::kExecute ||
                           event.kind == sim::TraceKind::kReply || event.process < 0;
    row.column = at_server ? server : static_cast<std::size_t>(event.process);
    row.kind = event.kind == sim::TraceKind::kFault ? RowKind::kFault : RowKind::kEvent;
    row.span = BarOf(event);
    if (row.span == SpanChange::kNone) row.span = asks.SpanOf(event);
    row.part = messages[i].part;
    row.message = messages[i].message;
    row.lost = messages[i].lost;
    rows.push_back(std::move(row));
  }
  if (!marked) mark();
  return rows;
}

/// Whether a bar other than a request's begins or ends: repeated requests are no more than polling.
bool IsBar(SpanChange span) {
  return span != SpanChange::kNone && span != SpanChange::kAskBegin && span != SpanChange::kAskEnd;
}

/// Of what is repeated in vain, these many rows are kept at its beginning and at its end.
constexpr std::size_t kFirst = 24;
constexpr std::size_t kLast = 8;

/// Puts one row in the place of those from `from` to before `to`.
void Fold(std::size_t from, std::size_t to, std::vector<Row>& rows) {
  Row& row = rows[from];
  row.event = nullptr;
  row.text = fmt::format("... and so on, {} rows ...", to - from);
  row.part = reports::MessagePart::kNone;
  row.span = SpanChange::kNone;
  row.lost = false;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(from + 1),
             rows.begin() + static_cast<std::ptrdiff_t>(to));
}

/// A waiter that polls in vain fills a table with the same few rows. Keeps the first and the last
/// of them.
void CutPolling(std::vector<Row>& rows) {
  std::size_t calm = 0;  // the last fault or bar; the rows after it are only polling
  std::size_t violation = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind == RowKind::kViolation) {
      violation = i;
      break;
    }
    if (rows[i].kind == RowKind::kFault || IsBar(rows[i].span)) calm = i;
  }
  if (violation < calm + kFirst + kLast + 2) return;
  Fold(calm + kFirst, violation - kLast, rows);
}

/// Folds every stretch of more than 1000 rows without a fault, a bar or an expiry.
void CutLongStretches(std::vector<Row>& rows) {
  constexpr std::size_t kLong = 1'000;
  std::size_t begin = 0;  // of the stretch
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool expiry = rows[i].event != nullptr && rows[i].event->kind == sim::TraceKind::kExpired;
    const bool calm = rows[i].kind == RowKind::kEvent && !IsBar(rows[i].span) && !expiry;
    if (calm) continue;
    if (i - begin > kLong) {
      Fold(begin + kFirst, i - kLast, rows);
      i = begin + kFirst + 1 + kLast;
    }
    begin = i + 1;
  }
}

/// Cuts the rows long after the violation, which explain nothing.
void CutTail(std::vector<Row>& rows) {
  constexpr std::ptrdiff_t kAfter = 4;
  const auto violation =
      std::ranges::find_if(rows, [](const Row& row) { return row.kind == RowKind::kViolation; });
  if (rows.end() - violation > kAfter + 1) rows.erase(violation + kAfter + 1, rows.end());
}

}  // namespace

EventTable TableOf(const RunResult& run, const Violation& violation, std::string_view property,
                   std::size_t server) {
  std::vector<Row> rows = Rows(run, violation, property, server);
  CutPolling(rows);
  CutTail(rows);
  CutLongStretches(rows);
  const ScriptNames names(run.events);
  EventTable table;
  for (Row& row : rows) {
    if (row.event != nullptr) row.text = TextOf(*row.event, names);
    table.rows.push_back(std::move(row));
  }
  table.scripts = names.texts();
  return table;
}

}  // namespace interlock::scenarios
