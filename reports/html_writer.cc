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
    Problems();
    Cases();
    Locks();
    Seen();
    return out_ + PageEnd();
  }

 private:
  /// Cases of what failed, then of what was expected: the first of each property and lock.
  void Choose() {
    for (const bool expected : {false, true}) {
      std::set<std::pair<std::string_view, std::string_view>> chosen;
      for (const ResultRow& row : report_.results) {
        if ((ExitCodeOf(row) == ExitCode::kPass) != expected) continue;
        const Counterexample* example = FindCounterexample(examples_, row);
        if (example == nullptr) continue;
        if (expected && !chosen.emplace(row.lock, row.code).second) continue;
        if (numbers_.size() == kMostCases) {
          ++left_out_;
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

  void Cases() {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (i == 0 && failures_ > 0) out_ += "<h2>Counterexamples</h2>\n";
      if (i == failures_) out_ += "<h2>Expected: specimens convicted, known weaknesses</h2>\n";
      const Counterexample& example = *cases_[i];
      if (i < failures_) {
        out_ += ToHtmlCase(example, i + 1) + '\n';
        continue;
      }
      out_ +=
          fmt::format("<details><summary>{} {}: {}</summary>{}</details>\n", HtmlText(example.code),
                      HtmlText(example.title), HtmlText(example.lock), ToHtmlCase(example, i + 1));
    }
    if (left_out_ > 0) {
      out_ += fmt::format(
          "<p class=\"doubt\">{} more are not shown here: see counterexamples/."
          "</p>\n",
          Count(left_out_, "case"));
    }
  }

  /// A table for each lock: properties down, scenarios across would be too wide; so a line each.
  void Locks() {
    std::vector<std::pair<std::string_view, std::vector<const ResultRow*>>> locks;
    std::map<std::string_view, std::size_t> places;
    for (const ResultRow& row : report_.results) {
      const auto [place, first] = places.try_emplace(row.lock, locks.size());
      if (first) locks.emplace_back(row.lock, std::vector<const ResultRow*>{});
      locks[place->second].second.push_back(&row);
    }
    if (!locks.empty()) out_ += "<h2>Every lock</h2>\n";
    for (const auto& [lock, rows] : locks) Lock(lock, rows);
  }

  void Lock(std::string_view lock, const std::vector<const ResultRow*>& rows) {
    const auto passed = std::count_if(rows.begin(), rows.end(), [](const ResultRow* row) {
      return ExitCodeOf(*row) == ExitCode::kPass;
    });
    out_ += fmt::format(
        "<details><summary>{}{}: {} of {} passed</summary><div class=\"wide\"><table><thead><tr>"
        "<th>verdict</th><th>property</th><th>scenario</th><th>exercised</th><th>runs</th>"
        "<th>first violation</th></tr></thead><tbody>\n",
        HtmlText(lock), rows.front()->kind == LockKind::kSpecimen ? " (specimen)" : "", passed,
        rows.size());
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

  void Seen() {
    if (!report_.goals.empty()) {
      out_ +=
          "<h2>What was seen</h2><div class=\"wide\"><table><thead><tr><th>what</th>"
          "<th>times</th></tr></thead><tbody>\n";
      for (const GoalCount& goal : report_.goals) {
        out_ += fmt::format("<tr><td>{}</td><td class=\"n{}\">{}</td></tr>\n", HtmlText(goal.name),
                            goal.count == 0 ? " doubt" : "",
                            goal.count == 0 ? "never" : GroupDigits(goal.count));
      }
      out_ += "</tbody></table></div>\n";
    }
    if (report_.notes.empty()) return;
    out_ += "<h2>Notes</h2><ul>\n";
    for (const std::string& note : report_.notes) {
      out_ += fmt::format("<li>{}</li>\n", HtmlText(note, 2000));
    }
    out_ += "</ul>\n";
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  std::vector<const Counterexample*> cases_;  ///< those that are shown
  std::map<const Counterexample*, std::size_t> numbers_;
  std::size_t failures_ = 0;  ///< so many of them, the first
  std::uint64_t left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string ToHtml(const RunReport& report, const std::vector<Counterexample>& counterexamples) {
  return RunPage(report, counterexamples).Write();
}

}  // namespace interlock::reports
