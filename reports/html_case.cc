// SPDX-License-Identifier: MIT
//
// A case as a diagram: a lane for each client and server, time downwards, a row for each event, as
// high as the table's row beside it.
#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/html_page.h"
#include "reports/html_writer.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kHead = 28;  // a separate drawing that stays while rows are scrolled
constexpr std::size_t kRow = 22;
constexpr std::size_t kLane = 130;
constexpr std::size_t kFirstLane = 80;
constexpr std::size_t kLifeBar = 5;

std::string TimeOf(const TableRow& row) {
  return fmt::format("{}.{:06}", row.time_ns / 1'000'000, row.time_ns % 1'000'000);
}

/// The rows shown: all, or the maximum number around the violation.
struct Window {
  std::size_t first = 0;
  std::size_t end = 0;
};

Window WindowOf(const std::vector<TableRow>& rows) {
  if (rows.size() <= kMostCaseRows) return {0, rows.size()};
  const auto violation = std::find_if(rows.begin(), rows.end(), [](const TableRow& row) {
    return row.kind == RowKind::kViolation;
  });
  const auto at = static_cast<std::size_t>(violation - rows.begin());
  const std::size_t end = std::min(rows.size(), std::max(at + kMostCaseRows / 10, kMostCaseRows));
  return {end - kMostCaseRows, end};
}

class Diagram {
 public:
  Diagram(const Counterexample& example, Window window, std::size_t number)
      : example_(example), window_(window), number_(number) {}

  std::string Draw() {
    const std::size_t height = kRow * (window_.end - window_.first) + kRow / 2;
    const std::size_t width = kFirstLane + kLane * example_.columns.size();
    out_ = Heads(width);
    out_ += fmt::format("<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" ",
                        width, height);
    // A pattern of another case would disappear when that case is folded.
    out_ += fmt::format(
        "aria-label=\"Space-time diagram; the table beside it says the same in words\"><defs>"
        "<pattern id=\"hatch-{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" "
        "y2=\"6\"/></pattern></defs>",
        number_);
    out_ += fmt::format("<rect class=\"cursor\" x=\"0\" y=\"-{1}\" width=\"{0}\" height=\"{1}\"/>",
                        width, kRow);
    for (std::size_t lane = 0; lane < example_.columns.size(); ++lane) {
      out_ += fmt::format("<line class=\"lane\" x1=\"{0}\" y1=\"0\" x2=\"{0}\" y2=\"{1}\"/>",
                          X(lane), height);
    }
    Bars();
    Messages();
    Marks(width);
    return "<div class=\"lanes\">" + out_ + "</svg></div>";
  }

 private:
  static std::size_t X(std::size_t lane) { return kFirstLane + kLane / 2 + kLane * lane; }
  std::size_t Y(std::size_t row) const { return kRow * (row - window_.first) + kRow / 2; }

  std::string Heads(std::size_t width) const {
    std::string out = fmt::format(
        "<svg class=\"heads\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "aria-hidden=\"true\">",
        width, kHead);
    for (std::size_t lane = 0; lane < example_.columns.size(); ++lane) {
      out += fmt::format("<text class=\"head\" x=\"{}\" y=\"17\" text-anchor=\"middle\">{}</text>",
                         X(lane), HtmlText(example_.columns[lane], 16));
    }
    return out + "</svg>";
  }

  /// Sections and pauses, from beginning to end, or to the last row.
  void Bars() {
    std::map<std::pair<std::size_t, bool>, std::size_t> begun;
    const auto draw = [&](std::size_t lane, bool pause, std::size_t from, std::size_t to) {
      out_ += fmt::format("<rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                          pause ? fmt::format("class=\"pause\" fill=\"url(#hatch-{})\"", number_)
                                : std::string("class=\"section\""),
                          X(lane) - (pause ? 2 * kLifeBar : kLifeBar), Y(from),
                          pause ? 4 * kLifeBar : 2 * kLifeBar, Y(to) - Y(from));
    };
    for (std::size_t i = window_.first; i < window_.end; ++i) {
      const TableRow& row = example_.rows[i];
      const bool pause = row.span == SpanChange::kPauseBegin || row.span == SpanChange::kPauseEnd;
      const bool section =
          row.span == SpanChange::kSectionBegin || row.span == SpanChange::kSectionEnd;
      if (!pause && !section) continue;
      const std::pair key(row.column, pause);
      if (row.span == SpanChange::kSectionBegin || row.span == SpanChange::kPauseBegin) {
        begun.try_emplace(key, i);
        continue;
      }
      const auto found = begun.find(key);
      draw(row.column, pause, found == begun.end() ? window_.first : found->second, i);
      if (found != begun.end()) begun.erase(found);
    }
    for (const auto& [key, from] : begun) draw(key.first, key.second, from, window_.end - 1);
  }

  void Messages() {
    std::map<std::uint64_t, std::size_t> left;  // by message: the row of its last departure
    for (std::size_t i = window_.first; i < window_.end; ++i) {
      const TableRow& row = example_.rows[i];
      const bool departs = row.part == MessagePart::kSend || row.part == MessagePart::kReply;
      if (departs && row.lost) {
        Lost(i);
      } else if (departs) {
        left[row.message] = i;
      } else if (row.part != MessagePart::kNone) {
        if (const auto from = left.find(row.message); from != left.end()) Arrow(from->second, i);
      }
    }
  }

  void Arrow(std::size_t from, std::size_t to) {
    const std::size_t a = X(example_.rows[from].column);
    const std::size_t b = X(example_.rows[to].column);
    const std::size_t tip = b > a ? b - 6 : b + 6;
    out_ += fmt::format(
        "<line class=\"message\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>"
        "<path class=\"tip\" d=\"M{} {}l{} -4v8z\"/>",
        a, Y(from), tip, Y(to), b, Y(to), b > a ? -8 : 8);
  }

  /// Cut half-way to the other side.
  void Lost(std::size_t row) {
    const TableRow& from = example_.rows[row];
    const std::size_t a = X(from.column);
    const bool right = from.part == MessagePart::kSend;
    const std::size_t b = right ? a + kLane / 2 : a - kLane / 2;
    const std::size_t y = Y(row) + kRow / 2;
    out_ += fmt::format(
        "<line class=\"message lost\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>"
        "<path class=\"cross\" d=\"M{} {}l8 8m0 -8l-8 8\"/>",
        a, Y(row), b, y, b - 4, y - 4);
  }

  void Marks(std::size_t width) {
    for (std::size_t i = window_.first; i < window_.end; ++i) {
      const TableRow& row = example_.rows[i];
      if (row.kind == RowKind::kViolation) {
        out_ += fmt::format(
            "<line class=\"brokenline\" x1=\"0\" y1=\"{0}\" x2=\"{1}\" y2=\"{0}\"/>"
            "<path class=\"broken\" d=\"M{2} {3}l14 14m0 -14l-14 14\"/>",
            Y(i), width, X(row.column) - 7, Y(i) - 7);
      } else if (row.kind == RowKind::kFault) {
        out_ += fmt::format("<path class=\"dot fault\" d=\"M{} {}l6 11h-12z\"/>", X(row.column),
                            Y(i) - 6);
      } else {
        out_ += fmt::format("<circle class=\"dot\" cx=\"{}\" cy=\"{}\" r=\"2.5\"/>", X(row.column),
                            Y(i));
      }
    }
  }

  const Counterexample& example_;
  const Window window_;
  const std::size_t number_;
  std::string out_;
};

std::string TableOf(const Counterexample& example, Window window) {
  std::string out =
      "<table><thead><tr><th scope=\"col\">ms</th><th scope=\"col\">who</th>"
      "<th scope=\"col\">what</th></tr></thead><tbody>";
  for (std::size_t i = window.first; i < window.end; ++i) {
    const TableRow& row = example.rows[i];
    const bool event = row.kind == RowKind::kEvent;
    out += event ? "<tr>" : fmt::format("<tr class=\"{}\">", ToString(row.kind));
    const std::string_view mark = row.kind == RowKind::kViolation ? "✗ " : event ? "" : "▒ ";
    const std::string_view lost = row.lost ? " (lost)" : "";
    out += fmt::format(
        "<td class=\"n\"><div>{}</div></td><td><div>{}</div></td><td><div>{}{}{}</div></td>",
        TimeOf(row), HtmlText(example.columns[row.column], 40), mark, HtmlText(row.text, 400),
        lost);
    out += "</tr>";
  }
  return out + "</tbody></table>";
}

void AddTerm(std::string_view term, const std::vector<std::string>& texts, bool code,
             std::string& out) {
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    const std::string shown = EscapeXmlText(SafeForTerminal(text, true));
    out += fmt::format("<dt>{}</dt><dd>{}</dd>", term, code ? "<code>" + shown + "</code>" : shown);
  }
}

}  // namespace

std::string ToHtmlCase(const Counterexample& example, std::size_t number) {
  const Window window = WindowOf(example.rows);
  std::size_t violation = window.first;
  for (std::size_t i = window.first; i < window.end; ++i) {
    if (example.rows[i].kind == RowKind::kViolation) violation = i;
  }
  std::string out = fmt::format("<h3 id=\"case-{}\">{} {}</h3><p>{} in {} [{}]: {}</p>", number,
                                HtmlText(example.code, 400), HtmlText(example.title, 400),
                                HtmlText(example.lock, 400), HtmlText(example.scenario, 400),
                                ToString(example.synchrony), HtmlText(example.sentence, 2000));
  const std::size_t hidden = example.rows.size() - (window.end - window.first);
  if (hidden > 0) {
    out += fmt::format("<p class=\"doubt\">{} of {} rows are not shown here; the file has all.</p>",
                       GroupDigits(hidden), GroupDigits(example.rows.size()));
  }
  // Hints take a line or two: the picture below still begins on the first screen.
  std::string hints;
  AddTerm("What to do", example.hints, false, hints);
  if (!hints.empty()) out += "<dl>" + hints + "</dl>";
  out += fmt::format(
      "<p class=\"soft keys\">Step with <kbd>↓</kbd> <kbd>↑</kbd>, <kbd>v</kbd> goes to the "
      "violation.</p><p class=\"told\" id=\"told-{0}\" aria-live=\"polite\"></p>"
      "<div class=\"case\" tabindex=\"0\" role=\"group\" aria-label=\"Case {0}, step by step\" "
      "aria-describedby=\"told-{0}\" data-violation=\"{1}\"><div class=\"sheet\">",
      number, violation - window.first);
  out += Diagram(example, window, number).Draw() + TableOf(example, window) + "</div></div><dl>";
  AddTerm("Needed", example.needed, false, out);
  AddTerm("Does not matter", example.irrelevant, false, out);
  AddTerm("Nearest passing run", {example.nearest}, false, out);
  AddTerm("Decides", {example.critical}, false, out);
  AddTerm("Also", example.also, false, out);
  AddTerm("Replay", {example.replay}, true, out);
  for (std::size_t i = 0; i < example.scripts.size(); ++i) {
    AddTerm(fmt::format("S{}", i + 1), {example.scripts[i]}, true, out);
  }
  return out + "</dl>";
}

}  // namespace interlock::reports
