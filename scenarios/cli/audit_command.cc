// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "reports/exit_code.h"
#include "reports/json_writer.h"
#include "scenarios/cli/audit_file.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/drive_files.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/values.h"
#include "scenarios/run/foreign/real/servers_here.h"
#include "scenarios/search/audit/audit.h"
#include "scenarios/search/audit/audit_page.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

constexpr std::string_view kAuditFooter = R"(
Each folder of --from holds an audit.toml (the library, its pinned version, what it promises, what
is expected) and a client of a few lines. It is installed by npm as locked, or by apt-get, and
driven as `interlock drive` does it. audit.md in --out is the page, audit.json the same for
programs; the folders beside them have each library's run.json and cases.

Exit codes: 0 all is as expected; 1 something is violated that was not expected; 2 a library could
not be installed, or a property was not put to the test.

Examples:
  interlock audit                                all libraries of the examples
  interlock audit redlock redis-py --runs 200    two of them, searched for longer
  interlock audit --from my-audits --redis spawn,redis://127.0.0.1:7001
  interlock drive --replay out/redlock/counterexamples/drive.section-exclusion.json)";

struct AuditSettings {
  std::vector<std::string> names;
  std::string from;
  std::optional<int> runs;
  std::string seed = "1";
  std::string redis = "spawn";
  OutputSettings output;
};

std::string Today() {
  return fmt::format(
      "{:%Y-%m-%d}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

class AuditWork {
 public:
  explicit AuditWork(AuditSettings& settings) : settings_(settings) {}

  ExitCode Run() {
    const std::string from = settings_.from.empty() ? AuditExamples() : settings_.from;
    if (from.empty()) {
      return Complain(ExitCode::kBadInput, "the examples are not installed; name a folder: --from");
    }
    auto libraries = ReadLibraries(from, settings_.names);
    if (!libraries.ok()) return Complain(ExitCode::kBadInput, libraries.status().message());
    if (const ExitCode usage = PrepareOut(settings_.output); usage != ExitCode::kPass) return usage;
    options_.out = settings_.output.out;
    options_.seed = *ParseSeed(settings_.seed);
    if (settings_.runs) options_.runs = static_cast<std::uint64_t>(*settings_.runs);
    if (const ExitCode usage = ReadServers(); usage != ExitCode::kPass) return usage;
    options_.stop = &Interrupted();
    CatchInterruption();
    return AuditAll(*libraries);
  }

 private:
  ExitCode ReadServers() {
    options_.servers.clear();
    for (const std::string_view one : SplitAtCommas(settings_.redis)) {
      options_.servers.emplace_back(one);
      if (one == "spawn") continue;
      const auto server = drive::ServersHere(one);
      if (!server.ok()) {
        return Complain(ExitCode::kUsage,
                        fmt::format("--redis: {}: {}", one, server.status().message()));
      }
    }
    return ExitCode::kPass;
  }

  ExitCode AuditAll(const std::vector<audit::Library>& libraries) {
    audit::AuditRecord record{ThisTool(), Today(), options_.seed, {}};
    ExitCode code = ExitCode::kPass;
    for (const audit::Library& library : libraries) {
      if (Interrupted()) break;
      record.libraries.push_back(AuditOne(library));
      code = Combine(code, WriteFiles(record));
      code = Combine(code, ExitCodeOf(record.libraries.back()));
    }
    code = Combine(code, Print(settings_.output.json ? ToJson(record) : ToText(record)));
    return Combine(code, InterruptionCode());
  }

  audit::Audited AuditOne(const audit::Library& library) {
    std::optional<Progress> progress;  // of what is being run
    std::string of;
    options_.progress = [&](const std::string& what, std::uint64_t done, std::uint64_t all) {
      if (what != of) progress.emplace("auditing " + what);
      of = what;
      progress->Update(done, all);
    };
    return audit::Audit(library, options_);
  }

  /// Writes the last library's files, and the pages over all so far, so that an audit of hours
  /// leaves what it has when it is interrupted.
  ExitCode WriteFiles(audit::AuditRecord& record) {
    audit::Audited& one = record.libraries.back();
    ExitCode code = WriteFile(settings_.output, "audit.md", ToMarkdown(record));
    code = Combine(code, WriteFile(settings_.output, "audit.json", ToJson(record)));
    if (!one.not_audited.empty()) return code;
    one.report.tool = record.tool;
    for (reports::Counterexample& example : one.cases) {
      code =
          Combine(code, WriteDriveCase(settings_.output, one.library.folder, one.report, example));
    }
    return Combine(code, WriteFile(settings_.output, RunFileOf(one), ToJson(one.report)));
  }

  AuditSettings& settings_;
  audit::AuditOptions options_;
};

}  // namespace

void AddAuditCommand(Command app, Work& work) {
  Command command = app.Subcommand(
      "audit", "published lock libraries in other languages, installed and judged as they are");
  auto settings = std::make_shared<AuditSettings>();
  settings->output.out = "out";
  command.Add("NAME", settings->names, "folders of libraries; default: all");
  command.Add("--from", settings->from,
              "where these folders are; default: the examples of this program");
  command
      .Add("--runs", settings->runs, "number of runs for each library; default: what each one says")
      .InRange(1, 1'000'000);
  command.Add("--seed", settings->seed, "seed of the runs' choices").Check(WhyNoSeed).ShowDefault();
  command
      .Add("--redis", settings->redis,
           "replay each case on these real servers, separated by commas: spawn, to start one, or "
           "the URL of an empty one on this machine, Redis or Valkey")
      .ShowDefault();
  command.Add("--out", settings->output.out, "folder for the installed libraries and the results")
      .ShowDefault();
  command.Flag("--json", settings->output.json, "print audit.json instead of text");
  command.Footer(std::string(kAuditFooter));
  IfChosen(command, work, [settings] { return AuditWork(*settings).Run(); });
}

}  // namespace interlock::scenarios::cli
