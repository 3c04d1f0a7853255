// SPDX-License-Identifier: MIT
#include "reports/formats.h"

#include <algorithm>
#include <array>

#include "reports/csv_writer.h"
#include "reports/github_writer.h"
#include "reports/html_writer.h"
#include "reports/junit_writer.h"
#include "reports/markdown_writer.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

std::string Text(const StoredRun& run) { return ToText(run.report, run.counterexamples, {}); }
std::string Html(const StoredRun& run) { return ToHtml(run.report, run.counterexamples); }
std::string JUnit(const StoredRun& run) { return ToJUnit(run.report, run.counterexamples); }
std::string Markdown(const StoredRun& run) { return ToMarkdown(run.report, run.counterexamples); }
std::string Csv(const StoredRun& run) { return ToCsv(run.report); }
std::string GitHub(const StoredRun& run) {
  return ToGitHubAnnotations(run.report, run.counterexamples);
}

constexpr std::array kFormats = {
    Format{"text", "report.txt", "what a terminal is told", &Text},
    Format{"html", "report.html", "one page for a browser, offline", &Html},
    Format{"junit", "junit.xml", "GitLab, Jenkins and reporters for GitHub", &JUnit},
    Format{"markdown", "report.md", "a step's summary, a comment, a wiki", &Markdown},
    Format{"github", "annotations.txt", "annotations: print it inside a step", &GitHub},
    Format{"csv", "verdicts.csv", "spreadsheets", &Csv},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& one) { return one.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace interlock::reports
