// SPDX-License-Identifier: MIT
#include "reports/text_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/confidence.h"
#include "reports/escape.h"
#include "reports/exit_code.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxRowName = 60;
constexpr std::size_t kMaxReason = 1000;
constexpr std::size_t kIndent = 16;  // before the columns of a row
// Columns as wide as the longest names that ship, so that rows are independent of each other.
constexpr std::size_t kPropertyColumn = 23;
constexpr std::size_t kScenarioColumn = 28;

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kCyan = "\x1b[36m";

/// How much a pass means.
std::string Worth(const ResultRow& row) {
  if (row.verdict != Verdict::kHolds) return {};
  if (row.placings) return fmt::format(", all {}", Count(*row.placings, "placing"));
  const auto rarer = RarerThanOneIn(row);
  if (!rarer) return {};
  return "; " + RarenessText(*rarer, "at 95 % rarer than ");
}

bool AreToldTogether(const ResultRow& a, const ResultRow& b) {
  return a.lock == b.lock && a.scenario == b.scenario && a.synchrony == b.synchrony &&
         a.proof.has_value() == b.proof.has_value() && a.witness == b.witness &&
         a.saved_case == b.saved_case;
}

std::string CodesOf(const std::vector<const ResultRow*>& rows) {
  std::string codes;
  for (const ResultRow* row : rows) codes += (codes.empty() ? "" : " ") + row->code;
  return codes;
}

}  // namespace

Telling TellingOf(const ResultRow& row) {
  if (row.witness) return {"witness", kCyan};
  switch (ExitCodeOf(row)) {
    case ExitCode::kPass:
      break;
    case ExitCode::kInconclusive:
      return {"inconclusive", kYellow};
    case ExitCode::kKnownFailurePasses:
      return {"now passes", kYellow};
    case ExitCode::kInternal:
      return {"INTERNAL", kRed};
    default:
      if (row.kind == LockKind::kSpecimen && row.verdict == Verdict::kHolds) {
        return {"ACQUITTED", kRed};
      }
      return {"FAIL", kRed};
  }
  const bool specimen = row.kind == LockKind::kSpecimen;
  // What a specimen does besides its conviction counts neither for nor against it.
  if (specimen && row.expected == Expectation::kEither) return {"noted", kCyan};
  switch (row.verdict) {
    case Verdict::kInconclusive:
      return {"not judged", kCyan};
    case Verdict::kHolds:
      return row.proof ? Telling{"proved", kGreen} : Telling{"pass", kGreen};
    case Verdict::kViolated:
      break;
  }
  return specimen ? Telling{"convicted", kGreen} : Telling{"weakness", kCyan};
}

std::string DetailOf(const ResultRow& row) {
  if (!row.saved_case.empty()) {
    if (row.verdict == Verdict::kInconclusive) return row.saved_case;
    const bool fails = row.verdict == Verdict::kViolated;
    return fmt::format("{} {}", row.saved_case, fails ? "still fails" : "no longer fails");
  }
  if (row.verdict != Verdict::kViolated) {
    const std::string_view role = row.witness ? "a sound lock in the specimen's place: " : "";
    return fmt::format("{}exercised {} of {}{}", role, GroupDigits(row.exercised),
                       Count(row.runs, "run"), Worth(row));
  }
  std::string text =
      row.runs_to_first_violation
          ? fmt::format("violated in run {}", GroupDigits(*row.runs_to_first_violation))
          : std::string("violated");
  if (row.expected == Expectation::kBreaks) text += ", as expected";
  if (row.expected == Expectation::kEither) text += ", as allowed";
  return text;
}

std::string PropertyText(const ResultRow& row, const TextOptions& options) {
  return Excerpt(row.code + " " + row.property, kMaxRowName, options.utf8);
}

std::string ScenarioText(const ResultRow& row, const TextOptions& options) {
  return fmt::format("{} [{}]", Excerpt(row.scenario, kMaxRowName, options.utf8),
                     ToString(row.synchrony));
}

std::string Colored(std::string_view color, std::string_view text, const TextOptions& options) {
  if (!options.color) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color, text);
}

std::string RowsText::Add(const ResultRow& row) {
  if (!waiting_.empty() && !AreToldTogether(waiting_.front(), row)) Flush();
  waiting_.push_back(row);
  return DefuseCiCommands(std::exchange(out_, {}));
}

std::string RowsText::Finish() {
  Flush();
  Noted();
  return DefuseCiCommands(std::exchange(out_, {}));
}

void RowsText::Flush() {
  if (waiting_.empty()) return;
  if (waiting_.front().lock != lock_) Heading(waiting_.front());
  std::vector<const ResultRow*> passes;
  std::vector<const ResultRow*> others;
  for (const ResultRow& row : waiting_) {
    const std::string_view word = TellingOf(row).word;
    if (word == "noted") {
      ++noted_;
    } else {
      (word == "pass" && row.saved_case.empty() ? passes : others).push_back(&row);
    }
  }
  if (waiting_.front().proof) {
    Proved(others);
  } else {
    Passes(passes);
    for (const ResultRow* row : others) One(*row);
  }
  waiting_.clear();
}

void RowsText::Heading(const ResultRow& row) {
  Noted();
  lock_ = row.lock;
  const bool specimen = row.kind == LockKind::kSpecimen;
  Line("");
  Line(Excerpt(row.lock, kMaxRowName, options_.utf8) +
       (specimen ? "  (specimen: must be convicted)" : ""));
}

void RowsText::Noted() {
  const std::uint64_t count = std::exchange(noted_, 0);
  if (count == 0) return;
  Told({"noted", kCyan}, "", fmt::format("{} on which nothing depends", Count(count, "verdict")));
}

void RowsText::Passes(const std::vector<const ResultRow*>& rows) {
  if (rows.empty()) return;
  const auto weakest = std::min_element(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return a->exercised < b->exercised;
  });
  const ResultRow& least = **weakest;
  const bool one = rows.size() == 1;
  std::string text = one ? least.code + " holds" : fmt::format("{} hold", rows.size());
  if (least.placings) {
    text += fmt::format(" in all {}", Count(*least.placings, "placing"));
  } else {
    const auto rarer = RarerThanOneIn(least);
    text += fmt::format("; {}tested in {} of {}{}", one ? "" : least.code + " ",
                        GroupDigits(least.exercised), Count(least.runs, "run"),
                        rarer ? ": " + RarenessText(*rarer, "< ", " (95 %)") : "");
  }
  Told(TellingOf(least), ScenarioColumn(least), text);
}

void RowsText::One(const ResultRow& row) {
  const std::size_t property = std::min(kPropertyColumn, 3 * width_ / 10);
  const std::string names =
      PadRight(Clip(PropertyText(row, options_), property, options_.utf8), property + 2) +
      ScenarioColumn(row);
  std::string text = DetailOf(row);
  if (!row.reason.empty()) text += ": " + row.reason;
  Told(TellingOf(row), names, text);
}

// They share the states.
void RowsText::Proved(const std::vector<const ResultRow*>& rows) {
  std::vector<const ResultRow*> proved;
  std::vector<const ResultRow*> untested;
  for (const ResultRow* row : rows) {
    const std::string_view word = TellingOf(*row).word;
    if (word == "proved") {
      proved.push_back(row);
    } else if (word == "not judged") {
      untested.push_back(row);
    } else {
      One(*row);
    }
  }
  if (!proved.empty()) {
    const Proof& proof = *proved.front()->proof;
    std::string text =
        fmt::format("{} in {}: ", CodesOf(proved), ScenarioText(*proved.front(), options_));
    // A search that keeps no states says by itself what it has covered.
    text += proof.states == 0
                ? proof.bound
                : fmt::format("in every run of {}; {}", proof.bound, Count(proof.states, "state"));
    for (const std::string& one : proof.reductions) text += ", " + one;
    Told(TellingOf(*proved.front()), "", text);
  }
  if (untested.empty()) return;
  Told(TellingOf(*untested.front()), "",
       fmt::format("{} in {}: {}", CodesOf(untested), ScenarioText(*untested.front(), options_),
                   untested.front()->reason));
}

std::string RowsText::ScenarioColumn(const ResultRow& row) const {
  const std::string text = Clip(ScenarioText(row, options_), width_ / 3, options_.utf8);
  return PadRight(text, std::min(kScenarioColumn, width_ / 3)) + " ";
}

void RowsText::Told(const Telling& telling, std::string_view names, std::string_view detail) {
  std::string begin =
      Colored(telling.color, PadRight("  " + std::string(telling.word), kIndent), options_);
  begin += names;
  const std::string text = Excerpt(detail, kMaxReason, options_.utf8);
  const std::size_t used = kIndent + DisplayWidth(names);
  if (used + DisplayWidth(text) <= width_) return Line(begin + text);
  if (!names.empty()) {
    Line(begin);
    begin = std::string(kIndent, ' ');
  }
  for (const std::string& line : Wrap(text, width_ - kIndent)) {
    Line(begin + line);
    begin = std::string(kIndent, ' ');
  }
}

void RowsText::Line(std::string_view text) {
  out_ += text;
  while (!out_.empty() && out_.back() == ' ') out_.pop_back();
  out_.push_back('\n');
}

}  // namespace interlock::reports
