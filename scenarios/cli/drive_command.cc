// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "reports/exit_code.h"
#include "reports/json_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/drive_explore.h"
#include "scenarios/cli/drive_files.h"
#include "scenarios/cli/drive_forced.h"
#include "scenarios/cli/drive_servers.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/values.h"
#include "scenarios/run/foreign/real/servers_here.h"
#include "scenarios/search/foreign/drive_campaign.h"
#include "sim/machine/launch.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

constexpr std::string_view kDriveFooter = R"(
Each client finds its server in REDIS_URL, REDIS_HOST and REDIS_PORT (several masters in REDIS_URLS,
separated by commas; with --topology sentinel, the Sentinels in REDIS_SENTINELS, and the master is
mymaster); {url}, {urls}, {port}, {sentinels} and {client} are replaced in the command's words;
INTERLOCK_CLIENT counts the clients from 0. A client reports its protected section by two commands
to the server: INTERLOCK.ENTER name, once it is inside, and INTERLOCK.LEAVE name, while it still is;
sections of one client, such as those of its threads, are not told apart.
INTERLOCK.WRITE resource token writes to a resource that is guarded by fencing tokens, and answers 1
if it is accepted, or 0 if a larger token was. What a client did until INTERLOCK.READY, on a
connection that it closes then, is done once for all runs.

Examples:
  interlock drive -- python3 worker.py
  interlock drive --clients 3 --runs 1000 --out out -- node worker.js --redis {url}
  interlock drive --explore --crashes 1 --budget 10m --out out -- python3 worker.py
  interlock drive --topology sentinel --out out -- python3 worker.py
  interlock drive --replay out/counterexamples/drive.foreign-release.json -- python3 mended.py
  interlock drive --replay out/counterexamples/drive.foreign-release.json --redis spawn)";

/// Of a search of all orders that was not finished.
constexpr std::string_view kStateFile = "explore-state.json";

struct DriveSettings {
  drive::CampaignOptions campaign;
  DriveServers servers;
  DriveExplore explore;
  std::optional<int> runs;
  std::string seed = "1";
  std::string timeout = "10s";
  std::string clock_offset = "60s";
  std::string max_virtual_time = "24h";
  std::string max_real_time;
  std::string strategy;
  std::string replay;
  std::string redis;  ///< empty: the fake
  std::string clock = "virtual";
  std::uint64_t times = 5;
  OutputSettings output;
};

class DriveWork {
 public:
  explicit DriveWork(DriveSettings& settings) : settings_(settings) {}

  ExitCode Run() {
    if (const ExitCode usage = Prepare(); usage != ExitCode::kPass) return usage;
    CatchInterruption();
    started_ = std::chrono::steady_clock::now();
    if (!settings_.redis.empty()) return ReplayOnServers();
    auto result = settings_.replay.empty() ? Search() : Replay();
    if (!result.ok()) {
      const bool input = result.status().code() == StatusCode::kInvalidArgument;
      return Complain(input ? ExitCode::kBadInput : ExitCode::kInternal, result.status().message());
    }
    return Publish(*std::move(result));
  }

 private:
  ExitCode Prepare() {
    drive::CampaignOptions& campaign = settings_.campaign;
    const auto seed = ParseSeed(settings_.seed);
    campaign.seed = *seed;
    if (settings_.runs) {
      campaign.runs = static_cast<std::uint64_t>(*settings_.runs);
      // Who names the runs does not ask for a minute: a busy machine shows the same small cases.
      campaign.confirmation = std::chrono::minutes(1);
    }
    const auto timeout = ParseDuration(settings_.timeout);
    if (!timeout || *timeout < std::chrono::milliseconds(100)) {
      return Complain(ExitCode::kUsage,
                      fmt::format("--timeout: {} is not a time of at least 100ms, such as 10s",
                                  settings_.timeout));
    }
    campaign.drive.patience = *timeout;
    const auto offset = ParseDuration(settings_.clock_offset);
    if (!offset || *offset > std::chrono::minutes(15)) {
      return Complain(ExitCode::kUsage,
                      fmt::format("--clock-offset: {} is not a time up to 15m, such as 500ms",
                                  settings_.clock_offset));
    }
    campaign.drive.clock_offset = *offset;
    if (const ExitCode usage = ReadBounds(); usage != ExitCode::kPass) return usage;
    const ExitCode servers = settings_.servers.Apply(campaign.drive);
    if (servers != ExitCode::kPass) return servers;
    if (!settings_.strategy.empty()) {
      campaign.strategy = FindStrategy(settings_.strategy);
      if (!campaign.strategy) {
        return Complain(ExitCode::kUsage, fmt::format("unknown strategy {}; expected one of {}",
                                                      settings_.strategy, StrategyNames()));
      }
    }
    campaign.drive.virtual_clock = settings_.clock == "virtual";
    campaign.drive.stop = &Interrupted();
    const std::vector<std::string>& command = campaign.drive.command;
    const bool recorded = !settings_.replay.empty() && command.empty();
    if (!recorded && sim::machine::LacksACommand(command)) {
      const std::string_view what =
          command.empty() ? "no command" : "an empty command beside --and";
      return Complain(ExitCode::kUsage,
                      fmt::format("{}: interlock drive -- python3 worker.py", what));
    }
    if (settings_.replay.empty() && campaign.drive.permits > 1 &&
        campaign.drive.permits >= campaign.drive.clients) {
      return Complain(
          ExitCode::kUsage,
          fmt::format("--permits: {} clients cannot be more than {} permits; expected "
                      "--clients {} or more",
                      campaign.drive.clients, campaign.drive.permits, campaign.drive.permits + 1));
    }
    if (!settings_.redis.empty() && settings_.redis != "spawn") {
      const auto here = drive::ServersHere(settings_.redis);
      if (!here.ok()) {
        return Complain(ExitCode::kUsage, fmt::format("--redis: {}", here.status().message()));
      }
    }
    const ExitCode explored = settings_.explore.Apply(campaign);
    if (explored != ExitCode::kPass) return explored;
    return PrepareOut(settings_.output);
  }

  ExitCode ReadBounds() {
    drive::DriveBounds& bounds = settings_.campaign.drive.bounds;
    const auto virtual_time = WholeSeconds(settings_.max_virtual_time);
    const std::optional<Duration> real_time =
        settings_.max_real_time.empty() ? LongestRun() : WholeSeconds(settings_.max_real_time);
    if (!virtual_time) return Refuse("--max-virtual-time", settings_.max_virtual_time);
    if (!real_time) return Refuse("--max-real-time", settings_.max_real_time);
    bounds.virtual_time = *virtual_time;
    bounds.real_time = *real_time;
    return ExitCode::kPass;
  }

  /// A shorter patience implies shorter runs, and so does a campaign that is to end in a minute.
  Duration LongestRun() const {
    constexpr int kManyTimes = 6;
    constexpr Duration kOfAMinute = std::chrono::seconds(10);
    const Duration longest =
        std::max<Duration>(settings_.campaign.drive.patience * kManyTimes, std::chrono::seconds(1));
    const bool open_end =
        !settings_.runs && !settings_.explore.chosen() && settings_.replay.empty();
    return open_end ? std::min(longest, kOfAMinute) : longest;
  }

  static std::optional<Duration> WholeSeconds(const std::string& text) {
    constexpr Duration kLongest = std::chrono::hours(200);
    const auto time = ParseDuration(text);
    if (!time || *time < std::chrono::seconds(1) || *time > kLongest) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(*time);
  }

  static ExitCode Refuse(std::string_view option, const std::string& text) {
    return Complain(ExitCode::kUsage,
                    fmt::format("{}: {} is not a time from 1s to 200h, such as 90s", option, text));
  }

  Result<drive::DriveResult> Search() {
    Progress progress(settings_.explore.chosen() ? "exploring" : "driving");
    settings_.campaign.progress = progress.Updates();
    if (settings_.campaign.all_orders) {
      settings_.campaign.all_orders->save = [this](const std::string& state) {
        (void)WriteFile(settings_.output, std::string(kStateFile), state);
      };
    }
    return drive::RunCampaign(settings_.campaign);
  }

  Status Bad(std::string_view what) const {
    return Invalid(fmt::format("{}: {}", settings_.replay, what));
  }

  Result<reports::Counterexample> ReadExample() const {
    const auto text = ReadWholeFile(settings_.replay);
    if (!text.ok()) return text.status();
    auto read = reports::ReadCounterexample(*text);
    if (!read.value.has_value()) return Bad(read.error);
    if (auto one = drive::ReadCase(read.value->program); !one.ok()) {
      return Bad(one.status().message());
    }
    return *std::move(read.value);
  }

  ExitCode ReplayOnServers() {
    const auto example = ReadExample();
    if (!example.ok()) return Complain(ExitCode::kBadInput, example.status().message());
    drive::RealReplayOptions options;
    options.redis = settings_.redis;
    options.command = settings_.campaign.drive.command;
    options.times = settings_.times;
    options.stop = &Interrupted();
    Progress progress("replaying on real servers");
    options.progress = progress.Updates();
    return ReplayDriveCase(*example, settings_.replay, options, settings_.output.json);
  }

  /// Uses the command given, if any, instead of the recorded one.
  Result<drive::DriveResult> Replay() {
    const auto example = ReadExample();
    if (!example.ok()) return example.status();
    auto one = drive::ReadCase(example->program);
    if (!one.ok()) return one.status();
    if (!settings_.campaign.drive.command.empty()) {
      one->options.command = settings_.campaign.drive.command;
    }
    return drive::ReplayCase(*example, *one, settings_.times, Interrupted());
  }

  ExitCode Publish(drive::DriveResult result) {
    reports::RunReport& report = result.report;
    report.tool = ThisTool();
    report.totals.wall_time = MillisecondsSince(started_);
    if (!result.state.empty()) report.notes.push_back(HowToGoOn());
    ExitCode code = ExitCode::kPass;
    if (!settings_.output.out.empty()) code = WriteFiles(result);
    code = Combine(code, Print(settings_.output.json ? ToJson(report)
                                                     : ToText(report, result.counterexamples,
                                                              TextOptionsForStdout())));
    return Combine(Combine(code, ExitCodeOf(report)), InterruptionCode());
  }

  std::string HowToGoOn() const {
    const std::string& out = settings_.output.out;
    if (out.empty()) return "with --out a search that was not finished can be resumed";
    return fmt::format("the same command with --resume {}/{} goes on from there", out, kStateFile);
  }

  ExitCode WriteFiles(drive::DriveResult& result) {
    reports::RunReport& report = result.report;
    ExitCode code = ExitCode::kPass;
    for (reports::Counterexample& example : result.counterexamples) {
      code = Combine(code, WriteDriveCase(settings_.output, "", report, example));
    }
    if (!result.state.empty()) {
      code = Combine(code, WriteFile(settings_.output, std::string(kStateFile), result.state));
    } else if (settings_.explore.chosen()) {
      // What was saved on the way is of no use any more.
      std::error_code none;
      std::filesystem::remove(std::filesystem::path(settings_.output.out) / kStateFile, none);
    }
    return Combine(code, WriteFile(settings_.output, "run.json", ToJson(report)));
  }

  DriveSettings& settings_;
  std::chrono::steady_clock::time_point started_;
};

void AddClocks(Command command, DriveSettings& settings) {
  drive::DriveOptions& drive = settings.campaign.drive;
  command
      .Add("--clock-offset", settings.clock_offset,
           "largest step of that clock, forward or back, up to 15m")
      .ShowDefault();
  command.Add("--clock-rate", drive.clock_rate_percent, "by how many percent it runs fast or slow")
      .InRange(0, 90)
      .ShowDefault();
  command
      .Add(
          "--clock", settings.clock,
          "the clients' clock: virtual, which jumps from one wake-up to the next, or the machine's")
      .OneOf({"virtual", "machine"})
      .ShowDefault();
}

void AddBounds(Command command, DriveSettings& settings) {
  drive::DriveOptions& drive = settings.campaign.drive;
  command.Add("--max-commands", drive.bounds.commands, "end a run after this many commands")
      .InRange(1, 1'000'000)
      .ShowDefault();
  command
      .Add("--max-virtual-time", settings.max_virtual_time,
           "end a run after this much virtual time")
      .ShowDefault();
  command.Add("--max-real-time", settings.max_real_time,
              "end a run after this much real time; default: six times --timeout, and without "
              "--runs at most 10s");
  command
      .Add("--timeout", settings.timeout,
           "real time after which a client that neither sends nor sleeps is left behind; by the "
           "machine's clock, a run without progress ends")
      .ShowDefault();
}

}  // namespace

void AddDriveCommand(Command app, Work& work) {
  Command command = app.Subcommand("drive",
                                   "run unmodified lock clients in any language against the fake "
                                   "Redis, one command at a time, with faults, and judge them");
  auto settings = std::make_shared<DriveSettings>();
  drive::DriveOptions& drive = settings->campaign.drive;
  command.Add(
      "command", drive.command,
      "the client, after --: -- python3 worker.py; several, separated by --and, take turns");
  const Option clients = command.Add("--clients", drive.clients, "number of client processes")
                             .InRange(1, drive::kMostClients)
                             .ShowDefault();
  settings->servers.AddTo(command, drive);
  const Option permits =
      command.Add("--permits", drive.permits, "maximum number of clients in one section at a time")
          .InRange(1, drive::kMostClients)
          .ShowDefault();
  command.Add(
      "--locks", drive.pattern,
      "pattern of the locks' keys, as for KEYS; default: every key that a SETNX or SET NX names");
  const Option runs = command
                          .Add("--runs", settings->runs,
                               "number of runs, each with processes of its own; default: at most "
                               "1000, and as many as 28s allow")
                          .InRange(1, 1'000'000'000);
  const Option seed =
      command.Add("--seed", settings->seed, "seed of the runs' choices; the first run is calm")
          .Check(WhyNoSeed)
          .ShowDefault();
  const Option strategy =
      command.Add("--strategy", settings->strategy,
                  fmt::format("one of {}; default: all in turn", StrategyNames()));
  settings->explore.AddTo(command);
  settings->explore.Forbid(strategy);
  AddClocks(command, *settings);
  AddBounds(command, *settings);
  const Option replay =
      command.Add("--replay", settings->replay,
                  "replay this counterexample file, with the recorded command or the one after --");
  settings->explore.Forbid(replay);
  for (const Option what_a_case_says : {clients, permits, runs, seed, strategy}) {
    Option(replay).Excludes(what_a_case_says);
  }
  command.Add("--times", settings->times, "how often to replay")
      .InRange(1, 1'000'000)
      .Needs(replay)
      .ShowDefault();
  const Option out =
      command.Add("--out", settings->output.out, "folder for run.json and the counterexample");
  command
      .Add(
          "--redis", settings->redis,
          "replay on real servers, clients as they are: spawn, to start them, or the URLs of empty "
          "ones on this machine, separated by commas")
      .Needs(replay)
      .Excludes(out);
  command.Flag("--json", settings->output.json, "print run.json instead of text");
  command.Footer(std::string(kDriveFooter));
  IfChosen(command, work, [settings] { return DriveWork(*settings).Run(); });
}

}  // namespace interlock::scenarios::cli
