// SPDX-License-Identifier: MIT
#include "reports/text_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/headline.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxName = 60;
constexpr std::size_t kMaxNote = 1000;
constexpr std::size_t kIndent = 16;  // what stands before the columns of a row

/// How one row is told: a word that stands in its own column, a colour, and what follows.
struct Telling {
  std::string_view word;
  std::string_view color;
};

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kCyan = "\x1b[36m";

Telling TellingOf(const ResultRow& row) {
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
  // What a specimen does besides its conviction is no merit and no fault of it.
  if (specimen && row.expected == Expectation::kEither) return {"noted", kCyan};
  switch (row.verdict) {
    case Verdict::kInconclusive:
      return {"not judged", kCyan};
    case Verdict::kHolds:
      return {"pass", kGreen};
    case Verdict::kViolated:
      break;
  }
  return specimen ? Telling{"convicted", kGreen} : Telling{"weakness", kCyan};
}

std::string Detail(const ResultRow& row) {
  std::string text;
  if (row.verdict == Verdict::kViolated) {
    text = row.runs_to_first_violation
               ? fmt::format("violated in run {}", GroupDigits(*row.runs_to_first_violation))
               : std::string("violated");
    if (row.expected == Expectation::kBreaks) text += ", as expected";
    if (row.expected == Expectation::kEither) text += ", as allowed";
  } else {
    text = fmt::format("exercised {} of {}", GroupDigits(row.exercised), Count(row.runs, "run"));
  }
  return text;
}

class TextWriter {
 public:
  TextWriter(const RunReport& report, const std::vector<Counterexample>& examples,
             const TextOptions& options)
      : report_(report), examples_(examples), options_(options), width_(WidthOf(options)) {}

  std::string Write() {
    Header();
    Verdicts();
    Coverage();
    for (const std::string& note : report_.notes) Wrapped("note", note);
    Violations();
    Summary();
    return DefuseCiCommands(out_);
  }

 private:
  void Header() {
    const ToolInfo& tool = report_.tool;
    Line(Clip(Safe(fmt::format("Interlock {} ({}, {})   seed {:#x}   backend {}", tool.version,
                               tool.commit, tool.compiler, report_.seed, report_.backend)),
              width_, options_.utf8));
    if (report_.status == RunStatus::kPartial) Line("PARTIAL: the run was interrupted.");
  }

  /// The locks in the order of their first row, each with its rows in the given order.
  void Verdicts() {
    std::vector<std::string_view> locks;
    std::set<std::string_view> seen;
    for (const ResultRow& row : report_.results) {
      if (seen.insert(row.lock).second) locks.push_back(row.lock);
    }
    std::vector<std::vector<const ResultRow*>> groups(locks.size());
    for (const ResultRow& row : report_.results) {
      groups[IndexOf(locks, row.lock)].push_back(&row);
    }
    for (const std::vector<const ResultRow*>& group : groups) Lock(group);
    if (report_.results.empty()) Line("No verdict: nothing was checked.");
  }

  // Rows nearly always come lock by lock, so the last answer is tried first.
  std::size_t IndexOf(const std::vector<std::string_view>& locks, std::string_view lock) {
    if (last_index_ >= locks.size() || locks[last_index_] != lock) {
      const auto it = std::find(locks.begin(), locks.end(), lock);
      last_index_ = static_cast<std::size_t>(it - locks.begin());
    }
    return last_index_;
  }

  void Lock(const std::vector<const ResultRow*>& rows) {
    Line("");
    const bool specimen = rows.front()->kind == LockKind::kSpecimen;
    Line(Name(rows.front()->lock) + (specimen ? "  (specimen: must be convicted)" : ""));
    std::size_t property = 0;
    std::size_t scenario = 0;
    for (const ResultRow* row : rows) {
      property = std::max(property, DisplayWidth(PropertyOf(*row)));
      scenario = std::max(scenario, DisplayWidth(ScenarioOf(*row)));
    }
    std::uint64_t passed = 0;
    std::uint64_t noted = 0;
    for (const ResultRow* row : rows) {
      const std::string_view word = TellingOf(*row).word;
      if (options_.fold_passes && word == "pass") {
        ++passed;
      } else if (word == "noted" || (options_.fold_passes && word == "not judged")) {
        ++noted;
      } else {
        Row(*row, std::min(property, 3 * width_ / 10), std::min(scenario, width_ / 3));
      }
    }
    Folded("pass", kGreen, passed, "that holds", "that hold");
    Folded("noted", kCyan, noted, "on which nothing depends", "on which nothing depends");
  }

  void Folded(std::string_view word, std::string_view color, std::uint64_t count,
              std::string_view one, std::string_view many) {
    if (count == 0) return;
    Colored(color, PadRight("  " + std::string(word), kIndent));
    Line(fmt::format("{} {}", Count(count, "verdict"), count == 1 ? one : many));
  }

  std::string PropertyOf(const ResultRow& row) const { return Name(row.code + " " + row.property); }

  std::string ScenarioOf(const ResultRow& row) const {
    return fmt::format("{} [{}]", Name(row.scenario), ToString(row.synchrony));
  }

  void Row(const ResultRow& row, std::size_t property, std::size_t scenario) {
    const Telling telling = TellingOf(row);
    Colored(telling.color, PadRight("  " + std::string(telling.word), kIndent));
    const std::string middle =
        PadRight(Clip(PropertyOf(row), property, options_.utf8), property + 2) +
        PadRight(Clip(ScenarioOf(row), scenario, options_.utf8), scenario + 2);
    const std::size_t used = kIndent + DisplayWidth(middle);
    const std::size_t room = width_ > used ? width_ - used : 0;
    const std::string detail = Detail(row);
    const std::string reason = Safe(row.reason);
    if (!reason.empty() && DisplayWidth(detail) + 2 + DisplayWidth(reason) <= room) {
      Line(middle + detail + ": " + reason);
      return;
    }
    Line(middle + Clip(detail, room, options_.utf8));
    if (reason.empty()) return;
    for (const std::string& line : Wrap(reason, width_ - kIndent)) {
      Line(std::string(kIndent, ' ') + line);
    }
  }

  void Coverage() {
    if (report_.goals.empty()) return;
    std::string reached;
    std::string faults;
    std::string never;
    constexpr std::string_view kFault = "fault ";
    for (const GoalCount& goal : report_.goals) {
      const bool fault = goal.name.starts_with(kFault);
      std::string& list = goal.count == 0 ? never : fault ? faults : reached;
      if (!list.empty()) list += options_.utf8 ? " · " : ", ";
      list += Name(fault && goal.count > 0 ? goal.name.substr(kFault.size()) : goal.name);
      if (goal.count > 0) list += ": " + GroupDigits(goal.count);
    }
    Line("");
    if (!reached.empty()) Wrapped("coverage", reached);
    if (!faults.empty()) Wrapped("faults", faults);
    if (!never.empty()) Wrapped("never seen", never);
  }

  /// What was expected comes first, what failed last: nothing of it may scroll away.
  void Violations() {
    std::set<std::string_view> explained;
    std::vector<const ResultRow*> full;
    std::vector<const ResultRow*> brief;
    for (const ResultRow& row : report_.results) {
      const ExitCode code = ExitCodeOf(row);
      if (code == ExitCode::kPass || code == ExitCode::kInconclusive) continue;
      const bool first =
          FindCounterexample(examples_, row) != nullptr && explained.insert(row.code).second;
      (first ? full : brief).push_back(&row);
    }
    Expected(explained);
    Section(full, explained.empty() ? "Failures:" : "Further failures:", brief);
  }

  /// Convictions and weaknesses; those that explain a failure's property are not told at length.
  void Expected(std::set<std::string_view> explained) {
    std::vector<const ResultRow*> full;
    std::vector<const ResultRow*> brief;
    for (const ResultRow& row : report_.results) {
      const std::string_view word = TellingOf(row).word;
      if (word != "convicted" && word != "weakness") continue;
      const bool first = word == "convicted" && FindCounterexample(examples_, row) != nullptr &&
                         explained.insert(row.code).second;
      (first ? full : brief).push_back(&row);
    }
    Section(full, "As expected:", brief);
  }

  void Section(const std::vector<const ResultRow*>& full, std::string_view title,
               const std::vector<const ResultRow*>& brief) {
    for (const ResultRow* row : full) {
      Line("");
      out_ += ToText(*FindCounterexample(examples_, *row), options_);
    }
    if (brief.empty()) return;
    Line("");
    Line(title);
    for (const ResultRow* row : brief) Failure(*row);
  }

  void Failure(const ResultRow& row) {
    const std::string what =
        fmt::format("{} {} / {}", PropertyOf(row), Name(row.lock), ScenarioOf(row));
    Line("  " + Clip(what + ": " + Detail(row), width_ - 2, options_.utf8));
    if (row.replay) {
      // Whole, whatever its length: it is copied from here.
      const std::string token = SafeForTerminal(*row.replay, options_.utf8);
      const std::string program = SafeForTerminal(report_.tool.program, options_.utf8);
      Line(program.empty() ? "    replay token " + token
                           : fmt::format("    {} replay '{}'", program, token));
    }
  }

  void Summary() {
    std::uint64_t passed = 0;
    std::uint64_t inconclusive = 0;
    std::uint64_t weaknesses = 0;
    for (const ResultRow& row : report_.results) {
      const ExitCode code = ExitCodeOf(row);
      passed += code == ExitCode::kPass ? 1 : 0;
      inconclusive += code == ExitCode::kInconclusive ? 1 : 0;
      weaknesses += TellingOf(row).word == "weakness" ? 1 : 0;
    }
    Line("");
    Line(Rule(width_, options_.utf8));
    if (weaknesses > 0) {
      // Short enough for the narrowest report.
      Line(
          fmt::format("Expected weaknesses, not counted as failures: {}", GroupDigits(weaknesses)));
    }
    const Totals& totals = report_.totals;
    if (totals.divergences > 0) {
      Line(fmt::format("{} of {} diverged (LK016): trust no verdict.",
                       GroupDigits(totals.divergences), Count(totals.double_runs, "double run")));
    }
    const std::uint64_t all = report_.results.size();
    const std::uint64_t failed = all - passed - inconclusive;
    const std::string_view dot = options_.utf8 ? " · " : ", ";
    std::string tail = fmt::format("{} in {}   seed {:#x}", Count(totals.runs, "run"),
                                   ShortSeconds(totals.wall_time), report_.seed);
    if (ExitCodeOf(report_) == ExitCode::kInternal) {
      // What a broken tool calls passed is not.
      LastLine(fmt::format("no verdict of {} stands", GroupDigits(all)), std::move(tail));
      return;
    }
    std::string counts = fmt::format("{} of {} passed", GroupDigits(passed), GroupDigits(all));
    if (failed > 0) counts += fmt::format("{}{} failed", dot, GroupDigits(failed));
    if (inconclusive > 0)
      counts += fmt::format("{}{} inconclusive", dot, GroupDigits(inconclusive));
    const auto unseen = static_cast<std::uint64_t>(
        std::count_if(report_.goals.begin(), report_.goals.end(),
                      [](const GoalCount& goal) { return goal.count == 0; }));
    // Where every row passes it is this that keeps the run from passing.
    if (passed == all && unseen > 0)
      counts += fmt::format("{}{} never seen", dot, Count(unseen, "goal"));
    LastLine(counts, std::move(tail));
  }

  void LastLine(const std::string& counts, std::string tail) {
    const std::string_view headline = Headline(report_);
    const std::size_t wanted =
        DisplayWidth(headline) + 2 + DisplayWidth(counts) + 3 + DisplayWidth(tail);
    if (wanted <= width_) {
      tail = counts + "   " + tail;
    } else {
      for (const std::string& line : Wrap(counts, width_)) Line(line);
    }
    Colored(ColorOf(headline), headline);
    Line("  " + tail);
  }

  void Wrapped(std::string_view label, std::string_view text) {
    std::string first = PadRight(label, 12);
    const std::string safe = Excerpt(text, kMaxNote, options_.utf8);
    for (const std::string& line : Wrap(safe, width_ - 12)) {
      Line(first + line);
      first = std::string(12, ' ');
    }
  }

  std::string Name(std::string_view text) const { return Excerpt(text, kMaxName, options_.utf8); }

  std::string Safe(std::string_view text) const { return Excerpt(text, kMaxNote, options_.utf8); }

  void Colored(std::string_view color, std::string_view text) {
    if (options_.color) out_ += color;
    out_ += text;
    if (options_.color) out_ += "\x1b[0m";
  }

  void Line(std::string_view text) {
    out_ += text;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_.push_back('\n');
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  const TextOptions& options_;
  std::size_t width_;
  std::size_t last_index_ = 0;
  std::string out_;
};

}  // namespace

std::string ToText(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                   const TextOptions& options) {
  return TextWriter(report, counterexamples, options).Write();
}

const Counterexample* FindCounterexample(const std::vector<Counterexample>& counterexamples,
                                         const ResultRow& row) {
  if (row.verdict != Verdict::kViolated) return nullptr;
  for (const Counterexample& example : counterexamples) {
    if (example.lock == row.lock && example.scenario == row.scenario &&
        example.synchrony == row.synchrony && example.code == row.code &&
        example.property == row.property) {
      return &example;
    }
  }
  return nullptr;
}

std::string_view Headline(const RunReport& report) { return Headline(ExitCodeOf(report)); }

}  // namespace interlock::reports
