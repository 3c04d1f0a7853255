// SPDX-License-Identifier: MIT
#include "reports/text_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "reports/confidence.h"
#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/headline.h"
#include "reports/text_rows.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMaxName = 60;
constexpr std::size_t kMaxNote = 1000;

class TextWriter {
 public:
  TextWriter(const RunReport& report, const std::vector<Counterexample>& examples,
             const TextOptions& options)
      : report_(report), examples_(examples), options_(options), width_(WidthOf(options)) {}

  std::string Head() {
    const ToolInfo& tool = report_.tool;
    Line(Clip(Safe(fmt::format("Interlock {} ({}, {})   seed {:#x}   backend {}", tool.version,
                               tool.commit, tool.compiler, report_.seed, report_.backend)),
              width_, options_.utf8));
    return DefuseCiCommands(std::move(out_));
  }

  std::string Rest() {
    if (report_.status == RunStatus::kPartial) Line("PARTIAL: the run was interrupted.");
    if (report_.results.empty()) Line("No verdict: nothing was checked.");
    Coverage();
    for (const std::string& note : report_.notes) Wrapped("note", note);
    Violations();
    Summary();
    return DefuseCiCommands(std::move(out_));
  }

 private:
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

  /// Expected violations come first, failures last: they must not scroll off the screen.
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

  /// Convictions and weaknesses; those whose property a failure explains are kept short.
  void Expected(std::set<std::string_view> explained) {
    std::vector<const ResultRow*> full;
    std::vector<const ResultRow*> brief;
    std::uint64_t alike = 0;
    for (const ResultRow& row : report_.results) {
      const std::string_view word = TellingOf(row).word;
      if (word != "convicted" && word != "weakness") continue;
      if (row.unshrunk) {
        ++alike;
        continue;
      }
      const bool first = word == "convicted" && FindCounterexample(examples_, row) != nullptr &&
                         explained.insert(row.code).second;
      (first ? full : brief).push_back(&row);
    }
    Section(full, "As expected:", brief);
    if (alike == 0) return;
    Line(fmt::format("  and {} of the same properties of the same locks: run.json has their tokens",
                     GroupDigits(alike)));
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
    const std::string what = fmt::format("{} {} / {}", PropertyText(row, options_), Name(row.lock),
                                         ScenarioText(row, options_));
    Line("  " + Clip(what + ": " + DetailOf(row), width_ - 2, options_.utf8));
    if (row.unshrunk) {
      const Size& size = *row.unshrunk;
      Line(fmt::format("    as found: {}, {}, {}", Count(size.clients, "client"),
                       Count(size.operations, "operation"), Count(size.faults, "fault")));
    }
    if (row.replay) {
      // Never cut, whatever its length: it is copied from here.
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
    std::uint64_t all = 0;
    for (const ResultRow& row : report_.results) {
      if (row.witness) continue;
      ++all;
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
    Weakest();
    const Totals& totals = report_.totals;
    if (totals.divergences > 0) {
      Line(fmt::format("{} of {} diverged (LK016): trust no verdict.",
                       GroupDigits(totals.divergences), Count(totals.double_runs, "double run")));
    }
    const std::uint64_t failed = all - passed - inconclusive;
    const std::string_view dot = options_.utf8 ? " · " : ", ";
    std::string tail = Count(totals.runs, "run");
    if (totals.states > 0) tail += fmt::format(", {}", Count(totals.states, "state"));
    if (totals.wall_time) tail += " in " + ShortSeconds(*totals.wall_time);
    tail += fmt::format("   seed {:#x}", report_.seed);
    if (ExitCodeOf(report_) == ExitCode::kInternal) {
      // A broken tool's passes do not count.
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
    // If every row passes, this is what keeps the run from passing.
    if (passed == all && unseen > 0)
      counts += fmt::format("{}{} never seen", dot, Count(unseen, "goal"));
    if (const ResultRow* weakest = WeakestRow(report_)) {
      const std::string named =
          fmt::format("   weakest: {} {}, {}", Name(weakest->lock), Name(weakest->code),
                      RarenessText(*RarerThanOneIn(*weakest)));
      // Otherwise the line above must suffice.
      constexpr std::size_t kLongestHeadline = 16;
      if (kLongestHeadline + DisplayWidth(tail + named) <= width_) tail += named;
    }
    LastLine(counts, std::move(tail));
  }

  /// The row about which drawn runs say the least.
  void Weakest() {
    const ResultRow* row = WeakestRow(report_);
    if (row == nullptr) return;
    const std::string text =
        fmt::format("Weakest pass: {} of {} in {}, exercised in {} of {}: {}", Name(row->code),
                    Name(row->lock), ScenarioText(*row, options_), GroupDigits(row->exercised),
                    Count(row->runs, "run"), WorthSentence(*row));
    for (const std::string& line : Wrap(text, width_)) Line(line);
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
    Line(Colored(ColorOf(headline), headline, options_) + "  " + tail);
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

  void Line(std::string_view text) {
    out_ += text;
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_.push_back('\n');
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  const TextOptions& options_;
  std::size_t width_;
  std::string out_;
};

}  // namespace

std::string TextHead(const RunReport& report, const TextOptions& options) {
  return TextWriter(report, {}, options).Head();
}

std::string TextRest(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                     const TextOptions& options) {
  return TextWriter(report, counterexamples, options).Rest();
}

std::string ToText(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                   const TextOptions& options) {
  std::string text = TextHead(report, options);
  RowsText rows(options);
  for (const ResultRow& row : report.results) text += rows.Add(row);
  text += rows.Finish();
  return text + TextRest(report, counterexamples, options);
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
