// SPDX-License-Identifier: MIT
#include "reports/github_writer.h"

#include <string_view>

#include <fmt/format.h>

#include "reports/contention_text.h"
#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMost = 10;
constexpr std::size_t kGithubWidth = 500;

/// For text already safe for a terminal, whose line ends are visible escapes.
std::string Escaped(std::string_view text, bool property) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '%') {
      escaped += "%25";
    } else if (property && letter == ':') {
      escaped += "%3A";
    } else if (property && letter == ',') {
      escaped += "%2C";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

/// The second line is there to be copied, and never cut.
std::string Annotation(std::string_view level, std::string_view title, std::string_view message,
                       std::string_view second_line = "") {
  return fmt::format(
      "::{} title={}::{}{}{}\n", level, Escaped(Excerpt(title, kGithubWidth, true), true),
      Escaped(Excerpt(message, kGithubWidth, true), false), second_line.empty() ? "" : "%0A",
      Escaped(SafeForTerminal(second_line, true), false));
}

std::string Annotation(const ResultRow& row, const Counterexample* example,
                       const RunReport& report) {
  const ExitCode code = ExitCodeOf(row);
  const bool wrong = code == ExitCode::kViolated || code == ExitCode::kInternal;
  std::string message =
      fmt::format("{} in {} [{}]", row.lock, row.scenario, ToString(row.synchrony));
  if (report.backend != "sim") message += ", " + report.backend;
  if (code == ExitCode::kInconclusive) message += ": inconclusive";
  if (code == ExitCode::kKnownFailurePasses) message += ": said to fail, and held";
  if (wrong && row.verdict == Verdict::kHolds) message += ": the specimen was acquitted";
  if (example != nullptr) message += ": " + example->sentence;
  if (!row.reason.empty()) message += ": " + row.reason;
  const std::string replay =
      row.replay ? fmt::format("{} replay '{}'", report.tool.program, *row.replay) : "";
  const std::string title = row.code + " " + (example != nullptr ? example->title : row.property);
  return Annotation(wrong ? "error" : "warning", title, message, replay);
}

std::string AtMostTen(const std::vector<std::string>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i + 1 == kMost && lines.size() > kMost) {
      return text + Annotation("error", "Interlock", fmt::format("and {} more", lines.size() - i));
    }
    text += lines[i];
  }
  return text;
}

}  // namespace

std::string ToGitHubAnnotations(const RunReport& report,
                                const std::vector<Counterexample>& counterexamples) {
  std::vector<std::string> lines;
  for (const ResultRow& row : report.results) {
    if (ExitCodeOf(row) == ExitCode::kPass) continue;
    lines.push_back(Annotation(row, FindCounterexample(counterexamples, row), report));
  }
  // The reason that the whole fails although every row passes.
  if (lines.empty() && ExitCodeOf(report) != ExitCode::kPass) {
    lines.push_back(Annotation("error", "Interlock: " + std::string(Headline(report)),
                               "see the report for what was never seen, cut short or diverged"));
  }
  return AtMostTen(lines);
}

std::string ToGitHubAnnotations(const ContentionReport& report) {
  std::vector<std::string> lines;
  // Errors first: GitHub drops the last ones of many annotations.
  for (const bool measured : {true, false}) {
    for (const GateResult& gate : report.gates) {
      if (gate.measured != measured || (gate.measured && gate.pass)) continue;
      lines.push_back(measured ? Annotation("error", "Contention: a threshold is crossed",
                                            gate.name + ": found " + gate.what,
                                            Excerpt(gate.hint, kGithubWidth, true))
                               : Annotation("warning", "Contention: a threshold says nothing",
                                            gate.name + ": " + gate.what));
    }
  }
  if (lines.empty() && ExitCodeOf(report) != ExitCode::kPass) {
    lines.push_back(Annotation("warning", "Contention: " + std::string(Headline(report)),
                               "the measurement was interrupted"));
  }
  return AtMostTen(lines);
}

}  // namespace interlock::reports
