// SPDX-License-Identifier: MIT
#include "reports/formats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "reports/contention_text.h"
#include "reports/csv_writer.h"
#include "reports/escape.h"
#include "reports/github_writer.h"
#include "reports/hgrm_writer.h"
#include "reports/html_contention.h"
#include "reports/html_writer.h"
#include "reports/junit_writer.h"
#include "reports/markdown_writer.h"
#include "reports/perfetto_writer.h"
#include "reports/shiviz_writer.h"
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

std::vector<Rendered> TextOf(const ContentionReport& report) {
  return {{"report.txt", ToText(report, {})}};
}
std::vector<Rendered> HtmlOf(const ContentionReport& report) {
  return {{"report.html", ToHtml(report)}};
}
std::vector<Rendered> JUnitOf(const ContentionReport& report) {
  return {{"junit.xml", ToJUnit(report)}};
}
std::vector<Rendered> MarkdownOf(const ContentionReport& report) {
  return {{"report.md", ToMarkdown(report)}};
}
std::vector<Rendered> CsvOf(const ContentionReport& report) {
  return {{"figures.csv", ToCsv(report)}};
}
std::vector<Rendered> GitHubOf(const ContentionReport& report) {
  return {{"annotations.txt", ToGitHubAnnotations(report)}};
}
/// The waits of each point.
std::vector<Rendered> HgrmOf(const ContentionReport& report) {
  std::vector<Rendered> files;
  std::map<std::string, int> taken;
  for (const ContentionPoint& point : report.points) {
    std::string name = fmt::format("waits/{}.{}", SafeFileName(point.lock), point.clients);
    // Different lock names may give the same file name.
    if (const int number = ++taken[name]; number > 1) name += fmt::format("-{}", number);
    files.push_back({name + ".hgrm", ToHgrm(point.wait)});
  }
  return files;
}

constexpr std::string_view kPlain = "text/plain; charset=utf-8";
constexpr std::string_view kBinary = "application/octet-stream";

constexpr auto kFormats = std::to_array<Format>({
    {"text", "report.txt", kPlain, "what a terminal is told", &Text, nullptr, &TextOf},
    {"html", "report.html", "text/html; charset=utf-8", "one page for a browser, offline", &Html,
     nullptr, &HtmlOf},
    {"junit", "junit.xml", "application/xml", "GitLab, Jenkins and reporters for GitHub", &JUnit,
     nullptr, &JUnitOf},
    {"markdown", "report.md", kPlain, "a step's summary, a comment, a wiki", &Markdown, nullptr,
     &MarkdownOf},
    {"github", "annotations.txt", kPlain, "annotations: print it inside a step", &GitHub, nullptr,
     &GitHubOf},
    {"csv", "verdicts.csv", "text/csv; charset=utf-8", "spreadsheets", &Csv, nullptr, &CsvOf},
    {"perfetto", ".pftrace", kBinary, "ui.perfetto.dev, a file of each counterexample", nullptr,
     &ToPerfetto},
    {"hgrm", ".hgrm", kPlain, "HdrHistogram's plotter, the waits of each point of a measurement",
     nullptr, nullptr, &HgrmOf},
    {"shiviz", ".shiviz.log", kPlain, "ShiViz, a file of each counterexample", nullptr, &ToShiViz},
});

std::string_view EndOf(std::string_view file_name) {
  return file_name.substr(std::min(file_name.rfind('.'), file_name.size()));
}

/// Next to the counterexample's own file or, without one, named after the verdict that it explains.
std::string NameOf(const StoredRun& run, std::size_t index, const Format& format) {
  if (index < run.files.size()) {
    return std::filesystem::path(run.files[index]).replace_extension(format.file_name).string();
  }
  const Counterexample& example = run.counterexamples[index];
  return fmt::format("{}-{}{}", index + 1, SafeFileName(example.lock + "." + example.property),
                     format.file_name);
}

}  // namespace

std::vector<Rendered> Render(const Format& format, const StoredRun& run) {
  if (run.contention) {
    return format.render_contention == nullptr ? std::vector<Rendered>()
                                               : format.render_contention(*run.contention);
  }
  if (format.render != nullptr) return {{std::string(format.file_name), format.render(run)}};
  std::vector<Rendered> files;
  if (format.render_case == nullptr) return files;
  for (std::size_t i = 0; i < run.counterexamples.size(); ++i) {
    files.push_back({NameOf(run, i, format), format.render_case(run.counterexamples[i])});
  }
  return files;
}

std::string_view MediaTypeOf(std::string_view file_name) {
  const std::string_view end = EndOf(file_name);
  if (end == ".json") return "application/json";
  if (end == ".jsonl") return kPlain;
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [end](const Format& one) { return EndOf(one.file_name) == end; });
  return found == kFormats.end() ? kBinary : found->media_type;
}

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(),
                                  [name](const Format& one) { return one.name == name; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace interlock::reports
