// SPDX-License-Identifier: MIT
#include "reports/html_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/headline.h"
#include "reports/html_page.h"
#include "reports/html_proof.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

struct Word {
  std::string_view word;
  std::string_view style;
};

Word WordOf(const ResultRow& row) {
  const ExitCode code = ExitCodeOf(row);
  if (code != ExitCode::kPass) {
    const bool doubt = code == ExitCode::kInconclusive || code == ExitCode::kKnownFailurePasses;
    return {TroubleOf(row), doubt ? "doubt" : "fail"};
  }
  if (row.verdict == Verdict::kHolds) return {"holds", "pass"};
  if (row.verdict == Verdict::kInconclusive) return {"not judged", "soft"};
  return {row.kind == LockKind::kSpecimen ? "convicted" : "weakness", "known"};
}

constexpr std::size_t kMostOpenNotes = 10;

class RunPage {
 public:
  RunPage(const RunReport& report, const std::vector<Counterexample>& examples)
      : report_(report), examples_(examples) {
    Choose();
  }

  std::string Write() {
    const std::string headline(Headline(report_));
    out_ = PageHead(headline);
    Verdict(headline);
    FirstCase();
    Problems();
    OtherFailures();
    if (!report_.results.empty()) {
      const bool passed = ExitCodeOf(report_) == ExitCode::kPass;
      out_ += passed ? "<h2>What was proven</h2>\n" : "<h2>What was put to the test</h2>\n";
      out_ += ToHtmlProof(report_);
    }
    Unseen();
    Details();
    Notes();
    return out_ + PageEnd();
  }

 private:
  /// Cases of failures, then of expected violations: the first for each property and lock.
  void Choose() {
    for (const bool expected : {false, true}) {
      std::set<std::pair<std::string_view, std::string_view>> chosen;
      for (const ResultRow& row : report_.results) {
        if ((ExitCodeOf(row) == ExitCode::kPass) != expected) continue;
        const Counterexample* example = FindCounterexample(examples_, row);
        if (example == nullptr) continue;
        if (expected && !chosen.emplace(row.lock, row.code).second) continue;
        if (numbers_.size() == kMostCases) {
          ++(expected ? expected_left_out_ : failures_left_out_);
        } else if (numbers_.emplace(example, numbers_.size() + 1).second) {
          cases_.push_back(example);
          failures_ += expected ? 0 : 1;
        }
      }
    }
  }

  void Verdict(const std::string& headline) {
    std::uint64_t passed = 0;
    std::uint64_t inconclusive = 0;
    for (const ResultRow& row : report_.results) {
      passed += ExitCodeOf(row) == ExitCode::kPass ? 1 : 0;
      inconclusive += ExitCodeOf(row) == ExitCode::kInconclusive ? 1 : 0;
    }
    const std::uint64_t failed = report_.results.size() - passed - inconclusive;
    const ToolInfo& tool = report_.tool;
    out_ += fmt::format(
        "<h1><span class=\"{}\">{}</span></h1><p>{} of {} verdicts passed, {} failed, {} "
        "inconclusive, in {}.</p><p class=\"soft\">Interlock {} ({}, {}) · seed {:#x} · backend {} "
        "· trace hash 0x{:016x}</p>\n",
        StyleOf(headline), headline, GroupDigits(passed), GroupDigits(report_.results.size()),
        GroupDigits(failed), GroupDigits(inconclusive), Count(report_.totals.runs, "run"),
        HtmlText(tool.version), HtmlText(tool.commit), HtmlText(tool.compiler), report_.seed,
        HtmlText(report_.backend), report_.trace_hash);
    if (report_.status == RunStatus::kPartial) {
      out_ += "<p class=\"doubt\"><strong>Partial: the run was interrupted.</strong></p>\n";
    }
    if (report_.totals.divergences > 0) {
      out_ += fmt::format(
          "<p class=\"fail\"><strong>{} diverged (LK016): no verdict can be "
          "trusted.</strong></p>\n",
          Count(report_.totals.divergences, "double run"));
    }
  }

  void Problems() {
    const auto fails = [](const ResultRow& row) { return ExitCodeOf(row) != ExitCode::kPass; };
    if (std::none_of(report_.results.begin(), report_.results.end(), fails)) return;
    out_ +=
        "<h2>What did not pass</h2><div class=\"wide\"><table><thead><tr><th>verdict</th>"
        "<th>property</th><th>lock</th><th>scenario</th><th>why, and how to see it</th></tr>"
        "</thead><tbody>\n";
    for (const ResultRow& row : report_.results) {
      if (!fails(row)) continue;
      const Word word = WordOf(row);
      std::string more = HtmlText(row.reason, 1000);
      if (const Counterexample* example = FindCounterexample(examples_, row)) {
        more += HtmlText(example->sentence, 1000);
        const auto number = numbers_.find(example);
        if (number != numbers_.end()) {
          more += fmt::format(" <a href=\"#case-{}\">the case</a>", number->second);
        }
      }
      if (row.replay) {
        more += fmt::format(" <code>{} replay '{}'</code>", HtmlText(report_.tool.program),
                            EscapeXmlText(SafeForTerminal(*row.replay, true)));
      }
      out_ += fmt::format(
          "<tr><td class=\"{}\">{}</td><td>{} {}</td><td>{}</td><td>{} [{}]</td>"
          "<td>{}</td></tr>\n",
          word.style, word.word, HtmlText(row.code), HtmlText(row.property), HtmlText(row.lock),
          HtmlText(row.scenario), ToString(row.synchrony), more);
    }
    out_ += "</tbody></table></div>\n";
  }

  /// Unfolded, right below the verdict, so that the page of a failure shows its picture at once.
  void FirstCase() {
    if (failures_ == 0) return;
    out_ += fmt::format(
        "<h2>{}</h2>\n",
        failures_ == 1 ? std::string("The counterexample")
                       : fmt::format("The first of {} counterexamples", GroupDigits(failures_)));
    out_ += "<div class=\"first\">" + ToHtmlCase(*cases_[0], 1) + "</div>\n";
  }

  void OtherFailures() {
    if (failures_ < 2) return;
    out_ += "<h2>The other counterexamples</h2>\n";
    for (std::size_t i = 1; i < failures_; ++i) FoldedCase(i);
    LeftOut(failures_left_out_, "doubt");
  }

  void LeftOut(std::uint64_t count, std::string_view style) {
    if (count == 0) return;
    out_ += fmt::format(
        "<p class=\"{}\">{} not shown here: see counterexamples/.</p>\n", style,
        count == 1 ? "1 more case is" : fmt::format("{} more cases are", GroupDigits(count)));
  }

  void FoldedCase(std::size_t index) {
    const Counterexample& example = *cases_[index];
    out_ += fmt::format("<details><summary>{} {}: {} in {} [{}]</summary>{}</details>\n",
                        HtmlText(example.code), HtmlText(example.title), HtmlText(example.lock),
                        HtmlText(example.scenario), ToString(example.synchrony),
                        ToHtmlCase(example, index + 1));
  }

  /// A foldable line for each kind of detail.
  void Details() {
    if (report_.results.empty() && report_.goals.empty()) return;
    out_ += "<h2>Details</h2>\n";
    if (const SpecimensTold specimens = ToHtmlSpecimens(report_); specimens.all > 0) {
      out_ += fmt::format(
          "<details><summary><span class=\"{}\">{} of {} convicted</span>: the locks that are "
          "broken on purpose, each with what it was convicted of</summary>{}</details>\n",
          specimens.convicted == specimens.all ? "pass" : "fail", GroupDigits(specimens.convicted),
          Count(specimens.all, "specimen"), specimens.table);
    }
    ExpectedCases();
    Locks();
    Seen();
  }

  void ExpectedCases() {
    const std::size_t expected = cases_.size() - failures_;
    if (expected > 0) {
      out_ += fmt::format(
          "<details><summary>{} of what was expected: specimens convicted, known weaknesses"
          "</summary>\n",
          Count(expected, "case"));
      for (std::size_t i = failures_; i < cases_.size(); ++i) FoldedCase(i);
      LeftOut(expected_left_out_, "soft");
      out_ += "</details>\n";
    }
  }

  /// A table for each lock. Properties down and scenarios across would be too wide, so a line each.
  void Locks() {
    std::vector<std::pair<std::string_view, std::vector<const ResultRow*>>> locks;
    std::map<std::string_view, std::size_t> places;
    for (const ResultRow& row : report_.results) {
      const auto [place, first] = places.try_emplace(row.lock, locks.size());
      if (first) locks.emplace_back(row.lock, std::vector<const ResultRow*>{});
      locks[place->second].second.push_back(&row);
    }
    if (locks.empty()) return;
    out_ += fmt::format("<details><summary>{}, lock by lock</summary>\n",
                        Count(report_.results.size(), "verdict"));
    for (std::size_t i = 0; i < locks.size(); ++i) Lock(i + 1, locks[i].first, locks[i].second);
    out_ += "</details>\n";
  }

  void Lock(std::size_t number, std::string_view lock, const std::vector<const ResultRow*>& rows) {
    const auto passed = std::count_if(rows.begin(), rows.end(), [](const ResultRow* row) {
      return ExitCodeOf(*row) == ExitCode::kPass;
    });
    out_ += fmt::format(
        "<details id=\"lock-{}\"><summary>{}{}: {} of {} passed</summary><div class=\"wide\">"
        "<table><thead><tr>"
        "<th>verdict</th><th>property</th><th>scenario</th><th>exercised</th><th>runs</th>"
        "<th>first violation</th></tr></thead><tbody>\n",
        number, HtmlText(lock), rows.front()->kind == LockKind::kSpecimen ? " (specimen)" : "",
        passed, rows.size());
    for (const ResultRow* row : rows) {
      const Word word = WordOf(*row);
      const auto& first = row->runs_to_first_violation;
      out_ += fmt::format(
          "<tr><td class=\"{}\">{}</td><td>{} {}</td><td>{} [{}]</td><td class=\"n\">{}</td>"
          "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
          word.style, word.word, HtmlText(row->code), HtmlText(row->property),
          HtmlText(row->scenario), ToString(row->synchrony), GroupDigits(row->exercised),
          GroupDigits(row->runs), first ? GroupDigits(*first) : "");
    }
    out_ += "</tbody></table></div></details>\n";
  }

  /// Expected events that never happened keep a run from passing, so they are not folded.
  void Unseen() {
    std::string names;
    for (const GoalCount& goal : report_.goals) {
      if (goal.count > 0) continue;
      names += (names.empty() ? "" : " · ") + HtmlText(goal.name);
    }
    if (!names.empty()) out_ += fmt::format("<p class=\"doubt\">Never seen: {}</p>\n", names);
  }

  void Seen() {
    if (report_.goals.empty()) return;
    out_ += fmt::format(
        "<details><summary>{} worth seeing, and how often each was seen</summary>"
        "<div class=\"wide\"><table><thead><tr><th>what</th><th>times</th></tr></thead><tbody>\n",
        Count(report_.goals.size(), "event"));
    for (const GoalCount& goal : report_.goals) {
      out_ += fmt::format("<tr><td>{}</td><td class=\"n{}\">{}</td></tr>\n", HtmlText(goal.name),
                          goal.count == 0 ? " doubt" : "",
                          goal.count == 0 ? "never" : GroupDigits(goal.count));
    }
    out_ += "</tbody></table></div></details>\n";
  }

  void Notes() {
    if (report_.notes.empty()) return;
    const bool folded = report_.notes.size() > kMostOpenNotes;
    out_ += folded ? fmt::format("<details><summary>{}</summary><ul>\n",
                                 Count(report_.notes.size(), "note"))
                   : std::string("<h2>Notes</h2><ul>\n");
    for (const std::string& note : report_.notes) {
      out_ += fmt::format("<li>{}</li>\n", HtmlText(note, 2000));
    }
    out_ += folded ? "</ul></details>\n" : "</ul>\n";
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  std::vector<const Counterexample*> cases_;  ///< those shown
  std::map<const Counterexample*, std::size_t> numbers_;
  std::size_t failures_ = 0;  ///< number of failures, which come first
  std::uint64_t failures_left_out_ = 0;
  std::uint64_t expected_left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string ToHtml(const RunReport& report, const std::vector<Counterexample>& counterexamples) {
  return RunPage(report, counterexamples).Write();
}

}  // namespace interlock::reports
