// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <CLI/Error.hpp>
#include <CLI/Option.hpp>

#include "reports/artefacts.h"
#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/second_process.h"
#include "scenarios/cli/values.h"
#include "scenarios/guard.h"
#include "scenarios/property.h"
#include "scenarios/real/real_check.h"
#include "scenarios/rows.h"
#include "scenarios/to_report.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

constexpr std::uint64_t kDefaultRuns = 10'000;

struct Settings {
  std::string lock = "*";
  std::string scenario = "*";
  std::string seed_text = "1";
  std::uint64_t seed = 1;  ///< of the text, once it is known to be one
  std::uint64_t runs = kDefaultRuns;
  std::string budget;
  int jobs = 0;
  std::string redis;
  bool allow_remote = false;
  bool json = false;
  std::string out;
  int watchdog = 30;
};

void Guard(const Settings& settings, const std::string& program) {
  constexpr std::string_view kPlace = "@reason@";
  reports::RunReport partial;
  partial.tool = ThisTool();
  partial.seed = settings.seed;
  partial.status = reports::RunStatus::kPartial;
  partial.notes.emplace_back(kPlace);
  const std::string json = ToJson(partial);
  const std::size_t place = json.find(kPlace);
  GuardOptions options;
  options.patience = std::chrono::seconds(settings.watchdog);
  options.program = program;
  options.partial_before = json.substr(0, place - 1);
  options.partial_after = json.substr(place + kPlace.size() + 1);
  options.partial_to_stdout = settings.json;
  if (!settings.out.empty()) {
    options.partial_path = (std::filesystem::path(settings.out) / "run.json").string();
  }
  InstallGuard(std::move(options));
}

/// A disk that fills later changes no verdict, but a place that never was one is found out at once.
ExitCode PrepareOut(const Settings& settings) {
  if (settings.out.empty()) return ExitCode::kPass;
  const auto problem = PrepareFolder(settings.out);
  return problem.has_value() ? Complain(ExitCode::kBadInput, *problem) : ExitCode::kPass;
}

/// What is pending has no verdict, which is something else than a wrong name.
ExitCode NoScenarios(const Status& status) {
  const bool pending = status.code() == StatusCode::kUnavailable;
  return Complain(pending ? ExitCode::kInconclusive : ExitCode::kUsage, status.message());
}

std::string FileNameOf(const Found& found) {
  std::string name =
      fmt::format("{}.{}.{}.{}.json", found.unit.entry->subject->name(), found.unit.scenario->name,
                  ToString(found.unit.synchrony), Slug(found.property));
  std::replace(name.begin(), name.end(), '/', '-');  // lock names have no other unsafe letters
  return "counterexamples/" + name;
}

class Check {
 public:
  Check(const Settings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    CampaignOptions options;
    if (const auto bad = Prepare(options); bad != ExitCode::kPass) return bad;
    CatchInterruption();
    Guard(settings_, registry_.program());
    const GuardedThread guarded;  // explaining a failure runs it once more
    const auto started = std::chrono::steady_clock::now();
    CampaignResult result = Campaign(options);
    result.report.tool = ThisTool();
    result.report.tool.program = registry_.program();
    result.report.pending = SelectPending(settings_.scenario);
    std::vector<reports::Counterexample> counterexamples;
    for (const Found& found : result.found) {
      const GuardedRun run(found.unit.entry->subject->name(), found.unit.scenario->name,
                           found.unit.synchrony, std::string_view(found.token));
      // What was expected needs no explanation; a replay of it gives one.
      const Effort effort = result.report.results[found.row].pass ? Effort::kShow : Effort::kTry;
      counterexamples.push_back(Explain(found, registry_.program(), effort).counterexample);
      if (!settings_.out.empty())
        result.report.results[found.row].counterexample = FileNameOf(found);
    }
    CompareWithSecondProcess(options, result.report);
    result.report.totals.wall_time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - started);
    return Publish(result, counterexamples);
  }

 private:
  ExitCode Prepare(CampaignOptions& options) const {
    const auto entries = registry_.Select(settings_.lock);
    if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
    const auto scenarios = SelectScenarios(settings_.scenario);
    if (!scenarios.ok()) return NoScenarios(scenarios.status());
    options.entries = *entries;
    options.scenarios = *scenarios;
    options.seed = settings_.seed;
    options.runs = settings_.runs;
    options.jobs = settings_.jobs > 0
                       ? settings_.jobs
                       : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    options.stop = &Interrupted();
    if (!settings_.budget.empty()) {
      const auto budget = ParseBudget(settings_.budget);
      if (!budget.has_value()) {
        return Complain(
            ExitCode::kUsage,
            fmt::format("--budget {}: use a length such as 90s, 5m or 1h", settings_.budget));
      }
      options.budget = *budget;
    }
    const bool any =
        std::any_of(options.entries.begin(), options.entries.end(), [&](const Entry& entry) {
          return std::any_of(
              options.scenarios.begin(), options.scenarios.end(),
              [&](const Scenario* s) { return Applies(*s, entry.subject->traits()); });
        });
    if (!any) {
      return Complain(ExitCode::kUsage, "none of these scenarios applies to any of these locks");
    }
    return PrepareOut(settings_);
  }

  static CampaignResult Campaign(CampaignOptions& options) {
    Progress progress("checking");
    options.progress = [&](std::uint64_t done, std::uint64_t planned) {
      progress.Update(done, planned);
    };
    return RunCampaign(options);
  }

  /// The first runs of one unit of each scenario once more in another process, with its own
  /// address space layout: another lock for each scenario, and others for another seed. Where that
  /// cannot be done, a row of its own says so and makes the whole inconclusive.
  void CompareWithSecondProcess(const CampaignOptions& options, reports::RunReport& report) const {
    constexpr std::uint64_t kRuns = 20;
    std::uint64_t turn = options.seed;
    for (const Scenario* scenario : options.scenarios) {
      std::vector<const Entry*> entries;
      for (const Entry& entry : options.entries) {
        if (Applies(*scenario, entry.subject->traits())) entries.push_back(&entry);
      }
      if (entries.empty()) continue;
      if (Interrupted()) break;
      const Unit unit{entries[turn++ % entries.size()], scenario, scenario->classes.back()};
      const auto theirs = HashInSecondProcess(unit, options.seed, kRuns);
      if (Interrupted()) break;  // Ctrl-C ends the other process too
      if (!theirs.ok()) {
        report.results.push_back(NotCompared(unit, theirs.status().message()));
        continue;
      }
      report.totals.double_runs += kRuns;
      if (*theirs != HashOfUnit(unit, options.seed, kRuns)) ++report.totals.divergences;
    }
    if (Interrupted()) report.status = reports::RunStatus::kPartial;
  }

  static reports::ResultRow NotCompared(const Unit& unit, std::string_view reason) {
    reports::ResultRow row = RowOf(unit);
    for (const Property& property : FindProperties("LK016")) {
      row.code = property.code;
      row.property = property.slug;
    }
    row.reason = fmt::format("not compared with a second process: {}", reason);
    return row;
  }

  ExitCode Publish(const CampaignResult& result,
                   const std::vector<reports::Counterexample>& counterexamples) const {
    ExitCode code = ExitCodeOf(result.report);
    const std::string json = ToJson(result.report);
    code = Combine(code, Print(settings_.json ? json
                                              : ToText(result.report, counterexamples,
                                                       TextOptionsForStdout())));
    if (!settings_.out.empty()) code = Combine(code, WriteFiles(result, counterexamples, json));
    return Combine(code, InterruptionCode());
  }

  ExitCode WriteFiles(const CampaignResult& result,
                      const std::vector<reports::Counterexample>& counterexamples,
                      const std::string& json) const {
    ExitCode code = ExitCode::kPass;
    const auto write = [&](const std::string& name, const std::string& content) {
      if (const auto error = reports::WriteArtefact(settings_.out, name, content)) {
        code = Complain(ExitCode::kInternal, error->ToString());
      }
    };
    for (std::size_t i = 0; i < counterexamples.size(); ++i) {
      write(FileNameOf(result.found[i]), ToJson(counterexamples[i]));
    }
    write("junit.xml", ToJUnit(result.report, counterexamples));
    write("run.json", json);
    return code;
  }

  const Settings& settings_;
  const Registry& registry_;
};

ExitCode CheckOnRedis(const Settings& settings, const Registry& registry) {
  RealCheckOptions options;
  options.url = settings.redis;
  options.allow_remote = settings.allow_remote;
  options.seed = settings.seed;
  options.stop = &Interrupted();
  const auto entries = registry.Select(settings.lock);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  const auto scenarios = SelectScenarios(settings.scenario);
  if (!scenarios.ok()) return NoScenarios(scenarios.status());
  options.entries = *entries;
  options.scenarios = *scenarios;
  if (const auto bad = PrepareOut(settings); bad != ExitCode::kPass) return bad;
  CatchInterruption();
  auto result = RunRealCheck(options);
  if (!result.ok()) {
    const bool bad = result.code() == StatusCode::kInvalidArgument;
    return Complain(bad ? ExitCode::kUsage : ExitCode::kRedisUnreachable,
                    result.status().message());
  }
  result->tool = ThisTool();
  ExitCode code =
      Combine(ExitCodeOf(*result),
              Print(settings.json ? ToJson(*result) : ToText(*result, {}, TextOptionsForStdout())));
  if (!settings.out.empty()) {
    for (const auto& [name, content] :
         {std::pair<std::string, std::string>("junit.xml", ToJUnit(*result, {})),
          std::pair<std::string, std::string>("run.json", ToJson(*result))}) {
      if (const auto error = reports::WriteArtefact(settings.out, name, content)) {
        code = Combine(code, Complain(ExitCode::kInternal, error->ToString()));
      }
    }
  }
  return Combine(code, InterruptionCode());
}

std::string NotEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

}  // namespace

void AddCheckCommand(CLI::App& app, const Registry& registry, Work& work) {
  CLI::App* command = app.add_subcommand(
      "check", "judge every lock in every scenario, on the embedded fake Redis or a real one");
  auto settings = std::make_shared<Settings>();
  command->add_option("--lock", settings->lock, "only locks whose name matches this pattern");
  command->add_option("--scenario", settings->scenario, "only scenarios that match this pattern");
  command->add_option("--seed", settings->seed_text, "seed of the whole campaign (also 0x...)")
      ->type_name("NUMBER")
      ->check([](const std::string& text) {
        return ParseSeed(text).has_value()
                   ? std::string()
                   : text + " is no number from 0 to 2^64-1, decimal or 0x...";
      })
      ->capture_default_str();
  auto* runs = command->add_option("--runs", settings->runs, "runs per lock, scenario and class")
                   ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
                   ->capture_default_str();
  auto* budget =
      command
          ->add_option("--budget", settings->budget,
                       "repeat for this long instead: 90s, 5m, 1h (not reproducible as a whole)")
          ->excludes(runs);
  auto* jobs = command
                   ->add_option("--jobs", settings->jobs,
                                "threads; results do not depend on it (0: all cores)")
                   ->check(CLI::Range(0, 256));
  auto* redis = command
                    ->add_option("--redis", settings->redis,
                                 "a real server instead: redis://[user:password@]host:port/db")
                    ->check(NotEmpty)
                    ->excludes(runs)
                    ->excludes(budget)
                    ->excludes(jobs);
  command->add_flag("--allow-remote", settings->allow_remote,
                    "let --redis leave this machine; it writes keys under a random prefix");
  command->add_flag("--json", settings->json, "print run.json instead of text");
  command->add_option("--out", settings->out, "folder for run.json, junit.xml, counterexamples/")
      ->check(NotEmpty);
  command->add_option("--watchdog", settings->watchdog, "real seconds that one run may take")
      ->check(CLI::Range(1, 3600))
      ->excludes(redis)
      ->capture_default_str();
  command->callback([settings, &registry, &work] {
    settings->seed = ParseSeed(settings->seed_text).value_or(settings->seed);
    work = [settings, &registry] {
      return settings->redis.empty() ? Check(*settings, registry).Run()
                                     : CheckOnRedis(*settings, registry);
    };
  });
}

}  // namespace interlock::scenarios::cli
