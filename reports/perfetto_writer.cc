// SPDX-License-Identifier: MIT
//
// Invariant: a position is the index of a row in order of time; rows of one instant keep their own
// order, so that positions determine nesting where times are equal.
#include "reports/perfetto_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/perfetto_trace.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kPerfettoWidth = 300;

std::string Text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos ? "" : Excerpt(text.substr(first), kPerfettoWidth, true);
}

std::uint64_t Nanoseconds(std::int64_t time_ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time_ns, 0));
}

/// What may last from one row to another.
enum class Lasting { kAsk, kSection, kPause, kCommand, kExecution };

std::optional<Lasting> BeginsSpan(SpanChange span) {
  switch (span) {
    case SpanChange::kAskBegin:
      return Lasting::kAsk;
    case SpanChange::kSectionBegin:
      return Lasting::kSection;
    case SpanChange::kPauseBegin:
      return Lasting::kPause;
    default:
      return std::nullopt;
  }
}

std::optional<Lasting> EndsSpan(SpanChange span) {
  switch (span) {
    case SpanChange::kAskEnd:
      return Lasting::kAsk;
    case SpanChange::kSectionEnd:
      return Lasting::kSection;
    case SpanChange::kPauseEnd:
      return Lasting::kPause;
    default:
      return std::nullopt;
  }
}

/// Where the slice beginning at a position ends.
class Matches {
 public:
  void Begin(Lasting what, std::uint64_t whose, std::size_t position) {
    open_[{what, whose}].push_back(position);
  }
  void End(Lasting what, std::uint64_t whose, std::size_t position) {
    const auto found = open_.find({what, whose});
    if (found == open_.end() || found->second.empty()) return;
    ends_[{what, found->second.back()}] = position;
    begins_[{what, position}] = found->second.back();
    found->second.pop_back();
  }

  std::optional<std::size_t> EndOf(Lasting what, std::size_t begin) const {
    return Find(ends_, what, begin);
  }
  std::optional<std::size_t> BeginOf(Lasting what, std::size_t end) const {
    return Find(begins_, what, end);
  }

 private:
  using Places = std::map<std::pair<Lasting, std::size_t>, std::size_t>;
  static std::optional<std::size_t> Find(const Places& places, Lasting what, std::size_t at) {
    const auto found = places.find({what, at});
    return found == places.end() ? std::nullopt : std::optional(found->second);
  }

  std::map<std::pair<Lasting, std::uint64_t>, std::vector<std::size_t>> open_;
  Places ends_;
  Places begins_;
};

class PerfettoWriter {
 public:
  explicit PerfettoWriter(const Counterexample& example)
      : example_(example), columns_(example.columns) {
    if (columns_.empty()) columns_.emplace_back("events");
    for (const TableRow& row : example.rows) rows_.push_back(&row);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const TableRow* a, const TableRow* b) { return a->time_ns < b->time_ns; });
  }

  std::string Write() {
    Match();
    AddTracks();
    for (std::size_t position = 0; position < rows_.size(); ++position) AddRow(position);
    AddStretches();
    return trace_.Bytes();
  }

 private:
  using Track = PerfettoTrace::Track;

  template <typename Item>
  std::size_t ColumnOf(const Item& item) const {
    return std::min(item.column, columns_.size() - 1);
  }

  void Match() {
    for (std::size_t position = 0; position < rows_.size(); ++position) {
      const TableRow& row = *rows_[position];
      const std::size_t column = ColumnOf(row);
      if (const auto what = BeginsSpan(row.span)) matches_.Begin(*what, column, position);
      if (const auto what = EndsSpan(row.span)) matches_.End(*what, column, position);
      if (row.part == MessagePart::kSend) matches_.Begin(Lasting::kCommand, row.message, position);
      if (row.part == MessagePart::kReceive) matches_.End(Lasting::kCommand, row.message, position);
      if (row.part == MessagePart::kExecute) {
        matches_.Begin(Lasting::kExecution, row.message, position);
      }
      if (row.part == MessagePart::kReply) matches_.End(Lasting::kExecution, row.message, position);
    }
  }

  /// The first server column: where commands are executed, or else the last one.
  std::size_t FirstServer() const {
    std::size_t first = columns_.size();
    for (const TableRow* row : rows_) {
      const bool server = row->part == MessagePart::kExecute || row->part == MessagePart::kReply;
      if (server) first = std::min(first, ColumnOf(*row));
    }
    return first == columns_.size() ? columns_.size() - 1 : first;
  }

  void AddTracks() {
    violation_ = trace_.AddTrack(0, "violation");
    faults_ = trace_.AddTrack(0, "faults");
    clients_ = trace_.AddProcess("clients");
    redis_ = trace_.AddProcess("redis");
    const std::size_t first_server = FirstServer();
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      threads_.push_back(
          trace_.AddThread(column < first_server ? clients_ : redis_, Text(columns_[column])));
    }
  }

  void AddRow(std::size_t position) {
    const TableRow& row = *rows_[position];
    const std::size_t column = ColumnOf(row);
    const std::string who = Text(columns_[column]);
    PerfettoEvent event{Text(row.text), "event"};
    if (row.lost) event.details.emplace_back("lost", "what was sent here arrived nowhere");
    if (row.kind == RowKind::kViolation) return AddViolation(row, std::move(event));
    if (row.part != MessagePart::kNone) return AddPart(position, threads_[column], event);
    if (const auto ended = EndsSpan(row.span)) {
      return EndOf(*ended, position, *ended == Lasting::kPause ? faults_ : threads_[column], event);
    }
    const auto what = BeginsSpan(row.span);
    if (row.kind == RowKind::kFault || what == Lasting::kPause) {
      event.name = who + ": " + event.name;
      event.category = "fault";
    }
    const Track track = event.category == "fault" ? faults_ : threads_[column];
    if (!what) return trace_.Instant(track, Nanoseconds(row.time_ns), event);
    if (*what == Lasting::kAsk) event = {"acquire (" + event.name + ")", "acquire"};
    if (*what == Lasting::kSection) event = {"section", "section"};
    Begin(*what, position, track, event);
  }

  void AddViolation(const TableRow& row, PerfettoEvent event) {
    event.category = "violation";
    event.details = {{"title", Text(example_.title)},
                     {"sentence", Text(example_.sentence)},
                     {"lock", Text(example_.lock)},
                     {"scenario", Text(example_.scenario)},
                     {"class", std::string(ToString(example_.synchrony))},
                     {"replay", Text(example_.replay)}};
    trace_.Instant(violation_, Nanoseconds(row.time_ns), event);
  }

  void AddPart(std::size_t position, Track track, PerfettoEvent event) {
    const TableRow& row = *rows_[position];
    event.flow = row.message;
    const auto begin = [&](Lasting what, std::string_view category) {
      event.category = category;
      if (matches_.EndOf(what, position)) return Begin(what, position, track, event);
      event.details.emplace_back("answer", "none in this table");
      trace_.Instant(track, Nanoseconds(row.time_ns), event);
    };
    switch (row.part) {
      case MessagePart::kNone:
        break;
      case MessagePart::kSend:
        return begin(Lasting::kCommand, "command");
      case MessagePart::kExecute:
        return begin(Lasting::kExecution, "execution");
      case MessagePart::kReply:
        return EndOf(Lasting::kExecution, position, track, event);
      case MessagePart::kReceive:
        event.category = "reply";
        event.ends_flow = true;
        trace_.Instant(track, Nanoseconds(row.time_ns), event);
        if (!matches_.BeginOf(Lasting::kCommand, position)) return;
        return EndOf(Lasting::kCommand, position, track, event);
    }
  }

  void Begin(Lasting what, std::size_t position, Track track, const PerfettoEvent& event) {
    const auto end = matches_.EndOf(what, position);
    const auto slice = trace_.Begin(track, Nanoseconds(rows_[position]->time_ns),
                                    end ? *end : PerfettoTrace::kNever, event);
    if (end) slices_[{what, position}] = slice;
  }

  /// The beginning may be in a part of the table that was left out.
  void EndOf(Lasting what, std::size_t position, Track track, const PerfettoEvent& event) {
    const std::uint64_t time = Nanoseconds(rows_[position]->time_ns);
    const auto begin = matches_.BeginOf(what, position);
    if (!begin) return trace_.Instant(track, time, event);
    PerfettoEvent end;
    end.details = event.details;
    const bool answers = what != Lasting::kSection && what != Lasting::kPause;
    end.details.emplace_back(answers ? "answer" : "end", event.name);
    trace_.End(slices_[{what, *begin}], time, end);
  }

  /// Here times alone determine nesting: at the same nanosecond, ends come before beginnings, and
  /// of simultaneous beginnings the longest comes first.
  void AddStretches() {
    // Time; 0: an end, 1: a beginning, 2: the end of a zero-length span; then a tie-breaker.
    std::vector<std::tuple<std::uint64_t, int, std::uint64_t, std::size_t>> turns;
    for (std::size_t i = 0; i < example_.stretches.size(); ++i) {
      const Stretch& one = example_.stretches[i];
      const std::uint64_t from = Nanoseconds(one.from_ns);
      const std::uint64_t to = EndOf(one);
      turns.emplace_back(from, 1, PerfettoTrace::kNever - to, i);
      if (one.to_ns) turns.emplace_back(to, to == from ? 2 : 0, PerfettoTrace::kNever - from, i);
    }
    std::sort(turns.begin(), turns.end());
    std::vector<PerfettoTrace::Slice> slices(example_.stretches.size());
    for (const auto& [time, turn, rest, i] : turns) {
      const Stretch& one = example_.stretches[i];
      if (turn == 1) {
        const PerfettoEvent event{Text(columns_[ColumnOf(one)]),
                                  std::string(ToString(one.kind)),
                                  {{"resource", Text(one.resource)}}};
        slices[i] = trace_.Begin(TrackOf(one), time, EndOf(one), event);
      } else {
        PerfettoEvent event;
        if (!one.end.empty()) event.details.emplace_back("end", Text(one.end));
        trace_.End(slices[i], time, event);
      }
    }
  }

  static std::uint64_t EndOf(const Stretch& stretch) {
    if (!stretch.to_ns) return PerfettoTrace::kNever;
    return std::max(Nanoseconds(*stretch.to_ns), Nanoseconds(stretch.from_ns));
  }

  Track TrackOf(const Stretch& stretch) {
    const bool belief = stretch.kind == StretchKind::kBelief;
    std::string name = belief ? Text(columns_[ColumnOf(stretch)]) + " believes it holds"
                              : "server owner of " + Text(stretch.resource);
    const auto [found, added] = stretch_tracks_.try_emplace(std::move(name), Track{});
    if (added) found->second = trace_.AddTrack(belief ? clients_ : redis_, found->first);
    return found->second;
  }

  const Counterexample& example_;
  std::vector<std::string> columns_;
  std::vector<const TableRow*> rows_;  ///< by position
  Matches matches_;
  PerfettoTrace trace_;
  Track violation_ = 0;
  Track faults_ = 0;
  PerfettoTrace::Process clients_ = 0;
  PerfettoTrace::Process redis_ = 0;
  std::vector<Track> threads_;  ///< by column
  std::map<std::string, Track> stretch_tracks_;
  std::map<std::pair<Lasting, std::size_t>, PerfettoTrace::Slice> slices_;  ///< by beginning
};

}  // namespace

std::string ToPerfetto(const Counterexample& example) { return PerfettoWriter(example).Write(); }

}  // namespace interlock::reports
