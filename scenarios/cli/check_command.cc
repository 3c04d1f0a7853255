// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "reports/shard_report.h"
#include "reports/text_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/saved_cases.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/sharding.h"
#include "scenarios/cli/specimens_check.h"
#include "scenarios/cli/values.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/real/real_check.h"
#include "scenarios/search/shards.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

constexpr std::uint64_t kThoroughRuns = 10'000;
/// A thorough check continues after an early conviction, so that rates can be told.
constexpr std::uint64_t kThoroughHunt = 300;
constexpr std::uint64_t kDefaultSpecimenRuns = 10'000;
/// On real servers nearly all time is spent waiting.
constexpr int kDefaultLanes = 4;
constexpr std::string_view kPortfolio = "portfolio";

struct CheckSettings {
  std::string lock = "*";
  std::string scenario = kEverything;
  std::string seed_text = "1";
  std::uint64_t seed = 1;  ///< of the text, once it is known to be a seed
  std::uint64_t runs = 0;  ///< 0: the scenarios' shares
  bool thorough = false;
  std::string explain = "first";
  std::string cases;
  std::string budget;
  int jobs = 0;
  std::string strategy = std::string(kPortfolio);
  std::string shard;
  bool specimens = false;
  const sim::redis::Dialect* server = nullptr;  ///< null: as `scenario` says
  std::string redis;
  bool allow_remote = false;
  OutputSettings output;
};

const char* Variable(const char* name) { return std::getenv(name); }

ExitCode RefuseShard(const ShardChoice& chosen, std::string_view why) {
  return Complain(ExitCode::kUsage,
                  fmt::format("shard {} of {} (by {}): {}", chosen.shard.index + 1,
                              chosen.shard.total, chosen.source, why));
}

class Check {
 public:
  Check(const CheckSettings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    CampaignOptions options;
    if (const auto bad = Prepare(options); bad != ExitCode::kPass) return bad;
    CatchInterruption();
    Guard(settings_.output, registry_, settings_.seed);
    const GuardedThread guarded;  // explaining a failure runs it once more
    ExitCode code = ExitCode::kPass;
    if (!settings_.cases.empty()) {
      SavedCases saved = ReplaySavedCases(settings_.cases, registry_, options.entries,
                                          std::chrono::seconds(settings_.output.watchdog));
      if (saved.code == ExitCode::kUsage) return saved.code;
      code = saved.code;
      options.saved = std::move(saved.rows);
    }
    reports::ShardReport shard;
    const bool sharded = options.shard.total > 1;
    if (sharded) CollectShard(options, shard);
    Publication publication(settings_.output, registry_, options);
    CampaignResult result = Campaign(options);
    if (sharded) code = Combine(code, WriteShard(options, shard));
    return Combine(code, publication.Finish(std::move(result)));
  }

 private:
  std::string Scenarios() const { return WithServer(settings_.scenario, settings_.server); }

  ExitCode Prepare(CampaignOptions& options) const {
    const ExitCode bad =
        SelectUnits(registry_, settings_.lock, Scenarios(), settings_.thorough, options);
    if (bad != ExitCode::kPass) return bad;
    options.seed = settings_.seed;
    options.runs = settings_.thorough ? kThoroughRuns : settings_.runs;
    options.least_hunt = settings_.thorough ? kThoroughHunt : 0;
    options.explore = settings_.runs == 0;  // A given number of runs means exactly those.
    options.explaining = settings_.explain == "all"    ? Explaining::kAll
                         : settings_.explain == "none" ? Explaining::kNone
                                                       : Explaining::kFirst;
    options.jobs = JobsOf(settings_.jobs);
    options.strategy = FindStrategy(settings_.strategy);
    options.stop = &Interrupted();
    options.isolate = true;
    options.patience = std::chrono::seconds(settings_.output.watchdog);
    const auto budget = ParseBudget(settings_.budget);
    if (!budget.ok()) return Complain(ExitCode::kUsage, budget.status().message());
    options.budget = *budget;
    if (const auto wrong = PrepareShard(options); wrong != ExitCode::kPass) return wrong;
    return PrepareOut(settings_.output);
  }

  ExitCode PrepareShard(CampaignOptions& options) const {
    const auto chosen = ChooseShard(settings_.shard, Variable);
    if (!chosen.ok()) return Complain(ExitCode::kUsage, chosen.status().message());
    options.shard = chosen->shard;
    if (chosen->shard.total <= 1) return ExitCode::kPass;
    if (!settings_.cases.empty()) {
      return RefuseShard(*chosen, "--cases cannot be split; replay them in a job of their own");
    }
    if (settings_.output.out.empty() || options.budget.has_value()) {
      return RefuseShard(*chosen,
                         "a shard needs --out, for the file that `report merge` reads, and "
                         "cannot have --budget");
    }
    Complain(ExitCode::kPass, fmt::format("shard {} of {}, by {}", chosen->shard.index + 1,
                                          chosen->shard.total, chosen->source));
    return ExitCode::kPass;
  }

  static CampaignResult Campaign(CampaignOptions& options) {
    Progress progress("checking");
    options.progress = progress.Updates();
    Progress shrinking("making counterexamples small", "cases");
    options.shrink_progress = shrinking.Updates();
    return RunCampaign(options);
  }

  static void CollectShard(CampaignOptions& options, reports::ShardReport& shard) {
    options.on_block = [&](const Unit& unit, std::uint64_t first, const UnitResult& result) {
      shard.blocks.push_back(ToShardBlock(unit, first, result));
    };
    options.on_exploration = [&](const LockExploration& exploration, const ExplorationSum& sum) {
      shard.explorations.push_back(ToShardExploration(exploration, sum));
    };
  }

  ExitCode WriteShard(const CampaignOptions& options, reports::ShardReport& shard) const {
    shard.tool = ThisTool();
    shard.seed = options.seed;
    shard.runs = options.runs;
    shard.least_hunt = options.least_hunt;
    shard.explores = options.explore;
    shard.strategy = settings_.strategy;
    shard.lock = settings_.lock;
    shard.scenario = Scenarios();
    shard.index = options.shard.index;
    shard.total = options.shard.total;
    if (Interrupted()) shard.status = reports::RunStatus::kPartial;
    const std::string name = fmt::format("run.shard-{}-of-{}.json", shard.index + 1, shard.total);
    return WriteFile(settings_.output, name, ToJson(shard));
  }

  const CheckSettings& settings_;
  const Registry& registry_;
};

ExitCode CheckOnRedis(const CheckSettings& settings, const Registry& registry) {
  RealCheckOptions options;
  options.url = settings.redis;
  options.allow_remote = settings.allow_remote;
  options.seed = settings.seed;
  options.stop = &Interrupted();
  options.jobs = settings.jobs > 0 ? settings.jobs : kDefaultLanes;
  const auto budget = ParseBudget(settings.budget);
  if (!budget.ok()) return Complain(ExitCode::kUsage, budget.status().message());
  options.budget = *budget;
  const auto entries = registry.Select(settings.lock);
  if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
  if (const auto bad = SelectInto(settings.scenario, options.scenarios); bad != ExitCode::kPass) {
    return bad;
  }
  options.entries = *entries;
  if (const auto bad = PrepareOut(settings.output); bad != ExitCode::kPass) return bad;
  CatchInterruption();
  auto result = RunRealCheck(options);
  if (!result.ok()) {
    const bool bad = result.code() == StatusCode::kInvalidArgument;
    return Complain(bad ? ExitCode::kUsage : ExitCode::kRedisUnreachable,
                    result.status().message());
  }
  result->tool = ThisTool();
  ExitCode code = Combine(
      ExitCodeOf(*result),
      Print(settings.output.json ? ToJson(*result) : ToText(*result, {}, TextOptionsForStdout())));
  code = Combine(code, WriteFile(settings.output, "junit.xml", ToJUnit(*result, {})));
  code = Combine(code, WriteFile(settings.output, "run.json", ToJson(*result)));
  return Combine(code, InterruptionCode());
}

ExitCode CheckSpecimens(const CheckSettings& settings, const Registry& registry) {
  KillMatrixOptions options;
  options.seed = settings.seed;
  options.runs = settings.runs > 0 ? settings.runs : kDefaultSpecimenRuns;
  options.jobs = JobsOf(settings.jobs);
  options.stop = &Interrupted();
  return PrintKillMatrix(settings.output, registry, settings.lock, std::move(options));
}

/// Refuses work that cannot be split and would run whole in each of several shards.
ExitCode RefuseShards() {
  const auto chosen = ChooseShard("", Variable);
  if (!chosen.ok()) return Complain(ExitCode::kUsage, chosen.status().message());
  if (chosen->shard.total <= 1) return ExitCode::kPass;
  return RefuseShard(*chosen, "--redis and --specimens cannot be split");
}

ExitCode RunCheck(const CheckSettings& settings, const Registry& registry) {
  if (settings.specimens || !settings.redis.empty()) {
    if (const ExitCode bad = RefuseShards(); bad != ExitCode::kPass) return bad;
  }
  if (!settings.redis.empty()) return CheckOnRedis(settings, registry);
  if (settings.specimens) return CheckSpecimens(settings, registry);
  return Check(settings, registry).Run();
}

std::string NameOfStrategy(const std::string& text) {
  if (text == kPortfolio || FindStrategy(text).has_value()) return "";
  return fmt::format("unknown strategy {}; expected {}, {}", text, kPortfolio, StrategyNames());
}

constexpr std::string_view kExamples =
    "Examples:\n"
    "  interlock check --lock acme.job-lock --out out     your own lock, with files\n"
    "  interlock check --cases out/counterexamples        what failed once, first\n"
    "  interlock check --shard 2/4 --out out              a part; see report merge\n";

Option AddWhat(Command command, CheckSettings& settings) {
  command.Add("--lock", settings.lock, "locks that match: mutex,broken/*").Joined();
  const Option scenario = command.Add("--scenario", settings.scenario, "scenarios that match");
  command.Add("--seed", settings.seed_text, "of the whole campaign")
      .Type("NUMBER")
      .Check(WhyNoSeed)
      .ShowDefault();
  return scenario;
}

/// Options for how much is run, and how.
void AddHowMuch(Command command, CheckSettings& settings, Option redis, Option server,
                Option scenario) {
  const Option runs = command
                          .Add("--runs", settings.runs,
                               "run this many per lock, scenario and class, and nothing else")
                          .InRange(1, 1'000'000'000)
                          .Excludes(redis);
  const Option budget =
      command.Add("--budget", settings.budget, "repeat for this long: 90s, 5m, 1h").Excludes(runs);
  const Option thorough =
      command.Flag("--thorough", settings.thorough, "10,000 runs each: for nightly jobs")
          .Excludes(runs)
          .Excludes(budget)
          .Excludes(redis);
  const Option strategy =
      command.Add("--strategy", settings.strategy, "use one search strategy instead of all in turn")
          .Check(NameOfStrategy)
          .Excludes(redis);
  const Option shard =
      command.Add("--shard", settings.shard, "run part i of n (i/n)").Excludes(redis);
  const Option cases =
      command
          .Add("--cases", settings.cases, "replay the counterexamples saved in this folder first")
          .Excludes(redis);
  command
      .Flag("--specimens", settings.specimens,
            "measure how fast each strategy convicts each specimen")
      .Excludes(redis)
      .Excludes(server)
      .Excludes(shard)
      .Excludes(strategy)
      .Excludes(cases)
      .Excludes(scenario)
      .Excludes(budget)
      .Excludes(thorough);
}

void AddOutput(Command command, CheckSettings& settings, Option redis) {
  command.Add("--explain", settings.explain, "which violations are minimised and explained")
      .OneOf({"all", "first", "none"})
      .Excludes(redis)
      .ShowDefault();
  command.Flag("--json", settings.output.json, "print run.json instead of text");
  command.Add("--out", settings.output.out,
              "folder for run.json, junit.xml and, without --redis, counterexamples/");
  command
      .Add("--jobs", settings.jobs,
           "threads; 0: all cores, or 4 with --redis. The results are the same")
      .InRange(0, 256);
  command.Add("--watchdog", settings.output.watchdog, "wall-clock limit of one run, in seconds")
      .InRange(1, 3600)
      .Excludes(redis)
      .ShowDefault();
}

}  // namespace

void AddCheckCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand(
      "check", "judge every lock in every scenario, on the embedded fake Redis or a real one");
  auto settings = std::make_shared<CheckSettings>();
  const Option scenario = AddWhat(command, *settings);
  const Option redis =
      command.Add("--redis", settings->redis, "a real server: redis://...; spawn: its own");
  const Option server = AddServerOption(command, settings->server).Excludes(redis);
  AddHowMuch(command, *settings, redis, server, scenario);
  AddOutput(command, *settings, redis);
  command.Ignored("--processes", "run clients as processes, as --redis always does").Needs(redis);
  command.Flag("--allow-remote", settings->allow_remote, "allow --redis to reach another machine")
      .Needs(redis);
  command.Footer(std::string(kExamples));
  IfChosen(command, work, [settings, &registry] {
    settings->seed = ParseSeed(settings->seed_text).value_or(settings->seed);
    return RunCheck(*settings, registry);
  });
}

}  // namespace interlock::scenarios::cli
