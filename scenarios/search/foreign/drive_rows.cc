// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_rows.h"

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace interlock::scenarios::drive {
namespace {

using reports::RowKind;
using reports::SpanChange;
using reports::TableRow;

/// What the event does to the bar in its client's column; the row is that of the event before it.
SpanChange BarOfEffect(EventKind kind) {
  switch (kind) {
    case EventKind::kEnter:
      return SpanChange::kSectionBegin;
    case EventKind::kLeave:
      return SpanChange::kSectionEnd;
    case EventKind::kStops:
      return SpanChange::kPauseBegin;
    default:
      return SpanChange::kNone;
  }
}

/// Empty if the event has no row of its own.
std::string DriveTextOf(const LogEvent& event) {
  switch (event.kind) {
    case EventKind::kSend:
      return event.As<SendDetails>().command;
    case EventKind::kReply:
      return "= " + event.As<ReplyDetails>().text;
    case EventKind::kExpired: {
      const auto& of = event.As<KeyDetails>();
      return of.by_value ? fmt::format("the time in {} has passed", of.key) : of.key + " expired";
    }
    case EventKind::kFault:
      return event.As<FaultDetails>().fault;
    case EventKind::kGoesOn:
      return "goes on";
    case EventKind::kEnded: {
      const int code = event.As<EndDetails>().exit_code;
      return code == 0 ? "ended" : fmt::format("ended with exit code {}", code);
    }
    default:
      return {};
  }
}

std::vector<TableRow> EveryRow(std::span<const LogEvent> events, int clients) {
  std::vector<TableRow> rows;
  for (const LogEvent& event : events) {
    const SpanChange bar = BarOfEffect(event.kind);
    if (bar != SpanChange::kNone && !rows.empty()) rows.back().span = bar;
    TableRow row;
    row.text = DriveTextOf(event);
    if (row.text.empty()) continue;
    row.time_ns = event.at_latest.count();
    row.column = static_cast<std::size_t>(event.client < 0 ? clients : event.client);
    const bool fault = event.kind == EventKind::kFault || event.kind == EventKind::kGoesOn;
    row.kind = fault ? RowKind::kFault : RowKind::kEvent;
    if (event.kind == EventKind::kGoesOn) row.span = SpanChange::kPauseEnd;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Folds the rows of a client that asks again and again: they are shown twice, with the number of
/// requests.
std::vector<TableRow> Folded(const std::vector<TableRow>& rows) {
  constexpr std::size_t kShown = 2;
  constexpr std::size_t kPair = 2;  // a command and its answer
  const auto same = [&rows](std::size_t a, std::size_t b) {
    return rows[a].column == rows[b].column && rows[a].text == rows[b].text &&
           rows[b].span == SpanChange::kNone && rows[b].kind == RowKind::kEvent;
  };
  std::vector<TableRow> folded;
  for (std::size_t at = 0; at < rows.size();) {
    std::size_t times = 1;
    while (at + (times + 1) * kPair <= rows.size() && same(at, at + times * kPair) &&
           same(at + 1, at + times * kPair + 1)) {
      ++times;
    }
    const bool many = times > kShown + 1;
    const std::size_t shown = many ? kShown * kPair : 1;
    for (std::size_t i = 0; i < shown; ++i) folded.push_back(rows[at + i]);
    if (many) {
      folded.push_back(rows[at + shown]);
      folded.back().text = fmt::format("... and so {} more times", times - kShown);
    }
    at += many ? times * kPair : 1;
  }
  return folded;
}

}  // namespace

std::vector<TableRow> RowsOf(std::span<const LogEvent> events, int clients) {
  return Folded(EveryRow(events, clients));
}

}  // namespace interlock::scenarios::drive
