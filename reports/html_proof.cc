// SPDX-License-Identifier: MIT
#include "reports/html_proof.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/confidence.h"
#include "reports/exit_code.h"
#include "reports/html_page.h"
#include "reports/text_layout.h"

namespace interlock::reports {
namespace {

bool Holds(const ResultRow& row) {
  return row.expected == Expectation::kHolds && row.verdict == Verdict::kHolds && row.pass;
}

bool IsDemandedBreak(const ResultRow& row) {
  return row.expected == Expectation::kBreaks && row.verdict == Verdict::kViolated && row.pass;
}

/// All rows of one lock and one property, over all scenarios and classes.
struct ProofCell {
  std::size_t failed = 0;
  std::size_t open = 0;
  std::size_t holds = 0;
  std::size_t breaks = 0;
  std::uint64_t exercised = 0;  ///< runs, for those that hold without a proof
  bool proved = false;          ///< one of them is proved: within its bound, by every run

  void Add(const ResultRow& row) {
    const ExitCode code = ExitCodeOf(row);
    if (code == ExitCode::kInconclusive || code == ExitCode::kKnownFailurePasses) {
      ++open;
    } else if (code != ExitCode::kPass) {
      ++failed;
    } else if (Holds(row)) {
      ++holds;
      if (row.proof) {
        proved = true;
      } else {
        exercised += row.exercised;
      }
    } else if (IsDemandedBreak(row)) {
      ++breaks;
    }
  }
};

struct ProofLine {
  std::string_view lock;
  std::map<std::string_view, ProofCell> cells;  ///< by the property's code
  const ResultRow* weakest = nullptr;  ///< least exercised of those that hold by drawn runs
};

/// At most three digits and a letter, so that a column for each property fits: the tables below
/// have every digit.
std::string ShortCount(std::uint64_t count) {
  if (count < 1'000) return std::to_string(count);
  if (count < 10'000) return fmt::format("{}.{}k", count / 1'000, count / 100 % 10);
  if (count < 1'000'000) return fmt::format("{}k", count / 1'000);
  return fmt::format("{}.{}M", GroupDigits(count / 1'000'000), count / 100'000 % 10);
}

/// "permits-…" for "permits-belief" and "permits-server".
std::string CommonName(const std::set<std::string_view>& names) {
  if (names.size() == 1) return HtmlText(*names.begin());
  const std::string_view first = *names.begin();
  const std::string_view last = *names.rbegin();
  const auto differs = std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first;
  return HtmlText(std::string(first.begin(), differs)) + "…";
}

std::string CellMarkup(const ProofCell& cell) {
  std::string lines;
  const auto say = [&lines](std::string_view style, const std::string& text) {
    if (!lines.empty()) lines += "<br>";
    lines += fmt::format("<span class=\"{}\">{}</span>", style, text);
  };
  if (cell.failed > 0) say("fail", fmt::format("✗ {} failed", GroupDigits(cell.failed)));
  if (cell.open > 0) say("doubt", fmt::format("? {} open", GroupDigits(cell.open)));
  if (cell.holds > 0) {
    say("pass", fmt::format("✓ {}{}", ShortCount(cell.exercised), cell.proved ? " ∎" : ""));
  }
  if (cell.breaks > 0) say("known", fmt::format("† {}", GroupDigits(cell.breaks)));
  if (lines.empty()) say("soft", "not judged");
  return fmt::format("<td class=\"n\">{}</td>", lines);
}

std::string PlaceOf(const ResultRow& row) {
  return fmt::format("{} in {} [{}]", HtmlText(row.code), HtmlText(row.scenario),
                     ToString(row.synchrony));
}

class ProofTable {
 public:
  explicit ProofTable(const RunReport& report) : weakest_(WeakestRow(report)) {
    std::map<std::string_view, std::size_t> numbers;
    for (const ResultRow& row : report.results) {
      const std::size_t number = numbers.try_emplace(row.lock, numbers.size() + 1).first->second;
      if (row.kind == LockKind::kSpecimen || row.witness) continue;
      ProofLine& line = lines_[number];
      line.lock = row.lock;
      line.cells[row.code].Add(row);
      properties_[row.code].insert(row.property);
      scenarios_.insert(row.scenario);
      breaks_ += IsDemandedBreak(row) ? 1 : 0;
      if (!Holds(row)) continue;
      ++holds_;
      proofs_ += row.proof ? 1 : 0;
      if (!RarerThanOneIn(row)) continue;
      if (line.weakest == nullptr || row.exercised < line.weakest->exercised) line.weakest = &row;
    }
  }

  std::string Write() const {
    if (lines_.empty()) return "<p>No lock was judged but those that are broken on purpose.</p>\n";
    return "<p>" + Sentences() + "</p>\n" + Table();
  }

 private:
  std::string Sentences() const {
    std::string out = fmt::format(
        "{} {} held to {} {} in {}: {} hold{}", Count(lines_.size(), "lock"),
        lines_.size() == 1 ? "was" : "were", properties_.size(),
        properties_.size() == 1 ? "property" : "properties", Count(scenarios_.size(), "scenario"),
        Count(holds_, "verdict"), holds_ == 1 ? "s" : "");
    if (breaks_ > 0) {
      out += fmt::format(", and {} {} broken where theory allows no such lock to hold",
                         GroupDigits(breaks_), breaks_ == 1 ? "is" : "are");
    }
    out += '.';
    if (proofs_ > 0) {
      out += fmt::format(" {} of them {}: by every run within a bound.", GroupDigits(proofs_),
                         proofs_ == 1 ? "is a proof" : "are proofs");
    }
    if (weakest_ != nullptr) {
      out += fmt::format(" The weakest that holds is {} of {}: {} of {} put it to the test; {}.",
                         PlaceOf(*weakest_), HtmlText(weakest_->lock),
                         GroupDigits(weakest_->exercised), Count(weakest_->runs, "run"),
                         WorthSentence(*weakest_));
    }
    return out;
  }

  std::string Table() const {
    std::string out =
        "<div class=\"wide\"><table class=\"proof\"><caption>✓ holds, and how many runs put it to "
        "the test · ∎ proved within a bound · † verdicts that are broken as theory demands · "
        "empty: not demanded of this lock"
        "</caption><thead><tr><th scope=\"col\">lock</th>";
    for (const auto& [code, names] : properties_) {
      out +=
          fmt::format("<th scope=\"col\"><div>{} {}</div></th>", HtmlText(code), CommonName(names));
    }
    out += "<th scope=\"col\">its weakest: runs, property, scenario</th></tr></thead><tbody>\n";
    for (const auto& [number, line] : lines_) {
      out += fmt::format("<tr><th scope=\"row\"><a href=\"#lock-{}\">{}</a></th>", number,
                         HtmlText(line.lock));
      for (const auto& [code, names] : properties_) {
        const auto cell = line.cells.find(code);
        out += cell == line.cells.end() ? "<td></td>" : CellMarkup(cell->second);
      }
      out += "<td>";
      if (line.weakest != nullptr) {
        out += fmt::format("{}: {}", GroupDigits(line.weakest->exercised), PlaceOf(*line.weakest));
      }
      out += "</td></tr>\n";
    }
    return out + "</tbody></table></div>\n";
  }

  std::map<std::size_t, ProofLine> lines_;                             ///< by the lock's number
  std::map<std::string_view, std::set<std::string_view>> properties_;  ///< names, by code
  std::set<std::string_view> scenarios_;
  std::uint64_t holds_ = 0;
  std::uint64_t proofs_ = 0;  ///< among those that hold
  std::uint64_t breaks_ = 0;
  const ResultRow* weakest_;
};

struct SpecimenLine {
  std::string_view name;
  std::vector<const ResultRow*> convictions;
  bool passed = true;
};

std::string SpecimensSentence(const SpecimensTold& told) {
  return fmt::format(
      "<p>The checkers see what they are there for: <span class=\"{}\">{} of {}</span>, locks that "
      "are broken on purpose, {} convicted.</p>\n",
      told.convicted == told.all ? "pass" : "fail", GroupDigits(told.convicted),
      Count(told.all, "specimen"), told.all == 1 ? "was" : "were");
}

}  // namespace

std::string ToHtmlProof(const RunReport& report) {
  const SpecimensTold specimens = ToHtmlSpecimens(report);
  return (specimens.all > 0 ? SpecimensSentence(specimens) : "") + ProofTable(report).Write();
}

SpecimensTold ToHtmlSpecimens(const RunReport& report) {
  std::vector<SpecimenLine> lines;
  std::map<std::string_view, std::size_t> places;
  for (const ResultRow& row : report.results) {
    if (row.kind != LockKind::kSpecimen) continue;
    const auto [place, first] = places.try_emplace(row.lock, lines.size());
    if (first) lines.push_back({row.lock, {}, true});
    SpecimenLine& line = lines[place->second];
    line.passed = line.passed && ExitCodeOf(row) == ExitCode::kPass;
    if (IsDemandedBreak(row)) line.convictions.push_back(&row);
  }
  SpecimensTold told;
  told.all = lines.size();
  told.table =
      "<div class=\"wide\"><table><thead><tr><th scope=\"col\">specimen</th><th scope=\"col\">"
      "convicted of, in which run</th></tr></thead><tbody>\n";
  for (const SpecimenLine& line : lines) {
    const bool convicted = line.passed && !line.convictions.empty();
    told.convicted += convicted ? 1 : 0;
    std::string of = convicted ? "" : "<span class=\"fail\">not convicted</span>";
    for (const ResultRow* row : line.convictions) {
      if (!of.empty()) of += "<br>";
      of += fmt::format("{} {}", PlaceOf(*row), HtmlText(row->property));
      if (row->runs_to_first_violation) {
        of += fmt::format(", run {}", GroupDigits(*row->runs_to_first_violation));
      }
    }
    told.table +=
        fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", HtmlText(line.name), of);
  }
  told.table += "</tbody></table></div>\n";
  return told;
}

}  // namespace interlock::reports
