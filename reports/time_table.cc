// SPDX-License-Identifier: MIT
#include "reports/time_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace interlock::reports {
namespace {

constexpr std::size_t kMinColumn = 14;  // narrower cells are unreadable
constexpr std::size_t kMaxCell = 400;   // most characters shown of a cell
constexpr std::size_t kMaxHeader = 40;
constexpr std::size_t kGap = 2;
constexpr std::size_t kBar = 2;        // a blank and the bar itself
constexpr std::size_t kHeadRows = 40;  // shown from the beginning of a long table
constexpr std::size_t kBefore = 50;    // shown before the violation
constexpr std::size_t kAfter = 20;     // and after it

struct Marks {
  std::string_view begin, through, end, pause, violation;
};

Marks MarksFor(bool utf8) {
  return utf8 ? Marks{"┐", "│", "┘", "▒", "✗"} : Marks{".", "|", "'", "#", "x"};
}

/// The open spans of one column while rows are drawn.
struct Span {
  int section_depth = 0;
  bool paused = false;
  bool has_sections = false;  // anywhere in the table: reserves room for the bar
};

class Table {
 public:
  Table(const Counterexample& example, const TextOptions& options)
      : example_(example), utf8_(options.utf8), marks_(MarksFor(options.utf8)) {
    for (const std::string& name : example.columns) {
      headers_.push_back(Excerpt(name, kMaxHeader, utf8_));
    }
    if (headers_.empty()) headers_.emplace_back("events");
    spans_.resize(headers_.size());
    for (const TableRow& row : example.rows) {
      if (row.span == SpanChange::kSectionBegin) spans_[ColumnOf(row)].has_sections = true;
      if (row.time_ns % 1000 != 0) decimals_ = 6;
    }
    time_width_ = std::string_view("time (ms)").size();
    for (const TableRow& row : example.rows) {
      time_width_ = std::max(time_width_, Time(row).size());
    }
    Layout(WidthOf(options));
    centre_ = Centre();
  }

  std::vector<std::string> Draw() {
    Header();
    bool left_out = false;
    for (std::size_t i = 0; i < example_.rows.size(); ++i) {
      const bool shown = Shown(i);
      DrawRow(example_.rows[i], shown);
      if (!shown && !left_out) lines_.push_back(LeftOut(i));
      left_out = !shown;
    }
    return std::move(lines_);
  }

 private:
  std::size_t ColumnOf(const TableRow& row) const {
    return std::min(row.column, headers_.size() - 1);
  }

  std::string Text(const TableRow& row) const { return Excerpt(row.text, kMaxCell, utf8_); }

  std::string Time(const TableRow& row) const {
    // Two's complement: the absolute value of the smallest integer only fits unsigned.
    const auto bits = static_cast<std::uint64_t>(row.time_ns);
    const std::uint64_t ns = row.time_ns < 0 ? 0 - bits : bits;
    const char* sign = row.time_ns < 0 ? "-" : "";
    if (decimals_ == 6) return fmt::format("{}{}.{:06}", sign, ns / 1'000'000, ns % 1'000'000);
    return fmt::format("{}{}.{:03}", sign, ns / 1'000'000, ns / 1000 % 1000);
  }

  std::size_t MarginWidth() const { return 3 + time_width_ + kGap; }

  /// Gives each column what it needs; if space is short, the widest share the rest equally.
  void Layout(std::size_t width) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < headers_.size(); ++i) wanted.push_back(Wanted(i));
    const std::size_t gaps = kGap * (headers_.size() - 1) + MarginWidth();
    std::size_t space = width > gaps ? width - gaps : 0;
    std::size_t open = headers_.size();
    widths_.assign(headers_.size(), 0);
    for (bool changed = true; changed && open > 0;) {
      changed = false;
      const std::size_t share = space / open;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (widths_[i] != 0 || wanted[i] > share) continue;
        widths_[i] = wanted[i];
        space -= wanted[i];
        --open;
        changed = true;
        if (open == 0) break;
      }
    }
    as_list_ = open > 0 && space / open < kMinColumn;
    for (std::size_t& column : widths_) {
      if (column == 0 && open > 0) column = space / open;
    }
    if (as_list_) LayoutList(width);
  }

  void LayoutList(std::size_t width) {
    who_width_ = 3;
    for (std::string& header : headers_) {
      header = Clip(header, kMinColumn, utf8_);
      who_width_ = std::max(who_width_, DisplayWidth(header));
    }
    widths_.assign(1, width - MarginWidth() - who_width_ - kGap);
  }

  std::size_t Wanted(std::size_t column) const {
    const std::size_t bar = spans_[column].has_sections ? kBar : 0;
    std::size_t wanted = std::max(kMinColumn / 2, DisplayWidth(headers_[column]));
    for (const TableRow& row : example_.rows) {
      if (ColumnOf(row) == column) wanted = std::max(wanted, DisplayWidth(Text(row)) + bar);
    }
    return wanted;
  }

  void Header() {
    std::string names = "   " + PadRight("time (ms)", time_width_ + kGap);
    std::string rules = "   " + Rule(time_width_, utf8_) + std::string(kGap, ' ');
    if (as_list_) {
      names += PadRight("who", who_width_ + kGap) + "what";
      rules += Rule(who_width_, utf8_) + std::string(kGap, ' ') + Rule(widths_[0], utf8_);
    } else {
      for (std::size_t i = 0; i < headers_.size(); ++i) {
        names += PadRight(Clip(headers_[i], widths_[i], utf8_), widths_[i] + kGap);
        rules += Rule(widths_[i], utf8_) + std::string(kGap, ' ');
      }
    }
    Emit(std::move(names));
    Emit(std::move(rules));
  }

  /// The row around which a long table is shown: the violation, or else the end.
  std::size_t Centre() const {
    const std::vector<TableRow>& rows = example_.rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].kind == RowKind::kViolation) return i;
    }
    return rows.empty() ? 0 : rows.size() - 1;
  }

  bool Shown(std::size_t index) const {
    const std::vector<TableRow>& rows = example_.rows;
    if (rows.size() <= kHeadRows + kBefore + kAfter || index < kHeadRows) return true;
    return index + kBefore >= centre_ && index <= centre_ + kAfter;
  }

  std::string LeftOut(std::size_t first) const {
    std::size_t last = first;
    while (last < example_.rows.size() && !Shown(last)) ++last;
    return fmt::format("   {} {} left out here; counterexample.json has all.", utf8_ ? "⋮" : ":",
                       Count(last - first, "row"));
  }

  std::string_view MarginMark(const TableRow& row) const {
    if (row.kind == RowKind::kFault) return marks_.pause;
    return row.kind == RowKind::kViolation ? marks_.violation : std::string_view(" ");
  }

  void DrawRow(const TableRow& row, bool shown) {
    const std::size_t column = ColumnOf(row);
    Span& span = spans_[column];
    if (row.span == SpanChange::kPauseEnd) span.paused = false;
    if (shown) {
      const std::vector<std::string> cell = Wrap(Text(row), CellWidth(column));
      for (std::size_t line = 0; line < cell.size(); ++line) {
        std::string margin = std::string(MarginWidth(), ' ');
        if (line == 0) {
          margin = fmt::format(" {} {:>{}}  ", MarginMark(row), Time(row), time_width_);
        }
        Emit(margin +
             (as_list_ ? ListLine(row, cell[line], line == 0) : Cells(row, cell[line], line == 0)));
      }
    }
    if (row.span == SpanChange::kPauseBegin) span.paused = true;
    if (row.span == SpanChange::kSectionBegin) ++span.section_depth;
    if (row.span == SpanChange::kSectionEnd) span.section_depth -= span.section_depth > 0 ? 1 : 0;
  }

  std::size_t CellWidth(std::size_t column) const {
    if (as_list_) return widths_[0];
    return widths_[column] - (spans_[column].has_sections ? kBar : 0);
  }

  std::string ListLine(const TableRow& row, const std::string& text, bool first) const {
    return PadRight(first ? headers_[ColumnOf(row)] : "", who_width_ + kGap) + text;
  }

  std::string Cells(const TableRow& row, const std::string& text, bool first) const {
    std::string line;
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const bool own = i == ColumnOf(row);
      const std::string_view shown = own                ? std::string_view(text)
                                     : spans_[i].paused ? marks_.pause
                                                        : std::string_view();
      line += PadRight(shown, CellWidth(i));
      if (spans_[i].has_sections)
        line += " " + std::string(BarMark(i, own ? &row : nullptr, first));
      line.append(kGap, ' ');
    }
    return line;
  }

  std::string_view BarMark(std::size_t column, const TableRow* own, bool first) const {
    const int depth = spans_[column].section_depth;
    const SpanChange change = own == nullptr ? SpanChange::kNone : own->span;
    if (change == SpanChange::kSectionBegin && depth == 0) {
      return first ? marks_.begin : marks_.through;
    }
    if (change == SpanChange::kSectionEnd && depth == 1) return first ? marks_.end : " ";
    return depth > 0 ? marks_.through : std::string_view(" ");
  }

  void Emit(std::string line) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    lines_.push_back(std::move(line));
  }

  const Counterexample& example_;
  bool utf8_;
  Marks marks_;
  int decimals_ = 3;
  std::size_t time_width_ = 0;
  std::size_t who_width_ = 0;
  std::size_t centre_ = 0;
  bool as_list_ = false;
  std::vector<std::string> headers_;
  std::vector<Span> spans_;
  std::vector<std::size_t> widths_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> TimeTable(const Counterexample& counterexample,
                                   const TextOptions& options) {
  return Table(counterexample, options).Draw();
}

}  // namespace interlock::reports
