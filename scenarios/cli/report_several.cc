// SPDX-License-Identifier: MIT
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/contention_text.h"
#include "reports/escape.h"
#include "reports/html_contention.h"
#include "reports/html_index.h"
#include "reports/run_files.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/report_parts.h"

namespace interlock::scenarios::cli {
namespace {

namespace fs = std::filesystem;
using reports::ExitCode;

struct Named {
  std::string name;
  reports::StoredRun run;
};

/// The folder's name, since run.json's own says nothing; made unique.
std::string NameOf(const std::string& file, std::set<std::string>& taken) {
  fs::path path = fs::path(file).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "run.json") path = path.parent_path();
  const std::string name = reports::SafeFileName(path.stem().string());
  for (int number = 1;; ++number) {
    std::string one = number == 1 ? name : fmt::format("{}-{}", name, number);
    if (taken.insert(one).second) return one;
  }
}

std::string About(const Named& named) {
  if (!named.run.contention) {
    const reports::RunReport& report = named.run.report;
    return fmt::format("{}: a check, {}, {}, seed {:#x}, backend {}", named.name,
                       reports::Count(report.results.size(), "verdict"),
                       reports::Count(report.totals.runs, "run"), report.seed, report.backend);
  }
  const reports::ContentionReport& report = *named.run.contention;
  return fmt::format("{}: a measurement of contention in {} time, {}", named.name, TimeOf(report),
                     reports::Count(report.points.size(), "point"));
}

std::string HeadlineOf(const reports::StoredRun& run) {
  return std::string(run.contention ? Headline(*run.contention) : Headline(run.report));
}

class Several {
 public:
  Several(const std::vector<const reports::Format*>& formats, const OutputSettings& settings)
      : formats_(formats), settings_(settings) {}

  ExitCode Render(const std::vector<Named>& runs) {
    std::vector<reports::NamedMeasurement> measurements;
    bool html = false;
    for (const reports::Format* format : formats_) html = html || format->name == "html";
    for (const Named& named : runs) {
      code_ = Combine(code_, ExitCodeOf(named.run));
      if (named.run.contention) measurements.push_back({named.name, &*named.run.contention});
      RenderOne(named);
    }
    if (!html) return code_;
    if (measurements.size() > 1) {
      Write("measurements.html", ToHtml(measurements));
      rows_.insert(
          rows_.begin(),
          {"", "all measurements on one page", {{"measurements.html", "measurements.html"}}});
    }
    Write("index.html", reports::ToHtmlIndex("reports", rows_));
    return code_;
  }

 private:
  void RenderOne(const Named& named) {
    reports::IndexRow row{HeadlineOf(named.run), About(named), {}};
    for (const reports::Format* format : formats_) {
      for (const reports::Rendered& file : reports::Render(*format, named.run)) {
        const std::string name = named.name + "/" + file.file_name;
        Write(name, file.content);
        row.links.push_back({name, name});
      }
    }
    rows_.push_back(std::move(row));
  }

  void Write(const std::string& name, const std::string& content) {
    code_ = Combine(code_, WriteFile(settings_, name, content));
  }

  const std::vector<const reports::Format*>& formats_;
  const OutputSettings& settings_;
  ExitCode code_ = ExitCode::kPass;
  std::vector<reports::IndexRow> rows_;
};

}  // namespace

ExitCode RenderSeveral(const std::vector<std::string>& files,
                       const std::vector<const reports::Format*>& formats,
                       const OutputSettings& settings, const Registry& registry) {
  std::vector<Named> runs;
  std::set<std::string> taken = {"index.html", "measurements.html"};
  for (const std::string& file : files) {
    auto run = reports::ReadRun(file);
    if (!run.value) return Complain(ExitCode::kBadInput, run.error);
    run.value->report.tool.program = registry.program();
    runs.push_back({NameOf(file, taken), std::move(*run.value)});
  }
  if (const auto bad = PrepareOut(settings); bad != ExitCode::kPass) return bad;
  return Several(formats, settings).Render(runs);
}

}  // namespace interlock::scenarios::cli
