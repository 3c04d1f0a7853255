// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/contention_json.h"
#include "reports/contention_text.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/contend_foreign.h"
#include "scenarios/cli/gate_file.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"
#include "scenarios/run/guard.h"
#include "scenarios/run/load/contend.h"
#include "scenarios/search/worker_process.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kContendFooter = R"(
In virtual time servers take no time for a command, so locks differ in round trips, waiting and
order; in wall time (--redis) the figures are the machine's. Exit code 3: a threshold was crossed.

Clients in any language (after --) find their server in REDIS_URL, REDIS_HOST and REDIS_PORT, as for
drive, and take their lock again and again until they are killed: INTERLOCK.ENTER name, once one is
inside, answers when --hold has passed; INTERLOCK.LEAVE name comes next, then the release.

Examples:
  interlock contend --lock mutex,fair-mutex,redlock --clients 1,8,64 --out out
  interlock contend --lock mutex --arrivals open --interval 20ms
  interlock contend --lock mutex --redis spawn --processes --duration 3s
  interlock contend --lock '*mutex*' --clients 16 --gate gate.toml
  interlock contend --redis spawn --clients 1,4,16 --hold 1ms -- python3 looping.py

gate.toml:
  [[threshold]]
  lock    = "fair-mutex"     # if not given: every lock; so, too, clients
  clients = 16
  metric  = "wait_p99_ns"    # the names are those in figures.csv, a format of report
  max     = 120_000_000      # or min, or both)";

using contend::FaultProfile;
using reports::ExitCode;

constexpr int kMostClients = 1000;

struct ContendSettings {
  std::string lock;
  std::string clients = "1,2,4,8,16,32,64";
  std::string arrivals = "closed";
  std::string seed = "1";
  contend::Load load;
  int jobs = 0;
  bool trace = false;
  contend::Target target;  // no URL: virtual time
  ForeignContendSettings foreign;
  std::string gate;  // files; empty: none
  std::string baseline;
  OutputSettings output;
};

/// "1,2,4": each from 1 to kMostClients, ascending. nullopt: anything else.
std::optional<std::vector<int>> ParseClients(std::string_view text) {
  std::vector<int> all;
  for (const std::string_view one : SplitAtCommas(text)) {
    const auto count = ParseSeed(one);
    if (!count || *count < 1 || *count > kMostClients) return std::nullopt;
    if (!all.empty() && static_cast<int>(*count) <= all.back()) return std::nullopt;
    all.push_back(static_cast<int>(*count));
  }
  return all;
}

/// What is wrong with the load as a whole; empty: nothing.
std::string Flaw(const ContendSettings& settings) {
  const contend::Load& load = settings.load;
  if (!settings.foreign.command.empty()) {
    const std::string flaw = WhyNotForeign(settings.foreign, load, settings.lock,
                                           settings.target.redis, settings.target.processes);
    if (!flaw.empty()) return flaw;
  } else if (settings.lock.empty()) {
    return "nothing to measure: --lock NAME or, after --, the command of a client";
  } else if (settings.foreign.masters > 1) {
    return "--masters is for a command after --: each lock of this program has its own number";
  }
  if (settings.arrivals == "open" && load.interval <= Duration(0)) {
    return "--arrivals open needs --interval, the mean time between the requests of one client";
  }
  if (settings.arrivals == "closed" && load.interval > Duration(0)) {
    return "--interval needs --arrivals open";
  }
  if (!settings.target.redis.empty() && load.faults != FaultProfile::kNone) {
    return "--faults works in virtual time only";
  }
  if (settings.target.redis.empty() && settings.target.processes) {
    return "--processes needs --redis: virtual time has no processes";
  }
  if (settings.arrivals == "open" && load.think > Duration(0)) {
    return "--think needs --arrivals closed: in the open, --interval says when clients ask";
  }
  if (settings.trace && settings.output.out.empty()) return "--trace needs --out DIR";
  return "";
}

Result<contend::ContendOptions> OptionsOf(const ContendSettings& settings,
                                          const Registry& registry) {
  if (const std::string flaw = Flaw(settings); !flaw.empty()) return Invalid(flaw);
  Result<std::vector<Entry>> entries = std::vector<Entry>();
  if (!settings.lock.empty()) entries = registry.Select(settings.lock);
  if (!entries.ok()) return entries.status();
  const auto clients = ParseClients(settings.clients);
  if (!clients) {
    return Invalid(
        fmt::format("--clients: {} is not a rising list of numbers from 1 to {}, such as 1,2,4,8",
                    settings.clients, kMostClients));
  }
  contend::ContendOptions options;
  options.entries = std::move(entries).value();
  // A pattern selects the measurable ones; a name just that one.
  if (settings.lock.find_first_of("*?[") != std::string::npos) {
    std::erase_if(options.entries, [&settings](const Entry& entry) {
      const harness::Traits traits = entry.subject->traits();
      const bool lacks_disk =
          settings.target.redis.empty() && traits.on_disk && !settings.load.server->since_72;
      return lacks_disk || !ModelOf(traits.kind).held;
    });
  }
  options.clients = *clients;
  options.load = settings.load;
  options.seed = ParseSeed(settings.seed).value_or(1);
  options.jobs = JobsOf(settings.jobs);
  if (!settings.target.redis.empty()) options.target = settings.target;
  options.stop = &Interrupted();
  return options;
}

ExitCode Show(const ContendSettings& settings, const reports::ContentionReport& report) {
  const std::string json = ToJson(report);
  ExitCode code = ExitCodeOf(report);
  code = Combine(code, Print(settings.output.json ? json : ToText(report, TextOptionsForStdout())));
  code = Combine(code, WriteFile(settings.output, "run.json", json));
  return Combine(code, InterruptionCode());
}

/// A lock that could not be measured because it took its process down.
std::string Ended(const Entry& entry, const WorkerEnd& end) {
  return fmt::format("{}: not measured: the lock {}", entry.subject->name(), end.what);
}

/// Measures a foreign lock in a fork, as it may take its process down. REQUIRES: there is one
/// thread.
Result<reports::ContentionReport> MeasureApart(contend::ContendOptions options, const Entry& entry,
                                               ExitCode& code) {
  constexpr std::chrono::seconds kPatience{30};  // without a call of the lock
  options.entries = {entry};
  const auto copy = WorkerProcess::Fork([&options](BlackBox& box) {
    options.stop = &box.stop();
    InstallGuard({});
    LimitMemory(MemoryOfSearches());
    const auto report = contend::Contend(options);
    return report.ok() ? ToJson(*report) : std::string(report.status().message());
  });
  if (!copy.ok()) return contend::Contend(options);
  const WorkerAnswer answer = (*copy)->Await(kPatience, Interrupted());
  if (answer.body) {
    auto read = reports::ReadContention(*answer.body);
    if (read.value) return *std::move(read.value);
    return Status(StatusCode::kInvalidArgument, *answer.body);
  }
  reports::ContentionReport none;
  if (answer.end && !Interrupted()) {
    code = Combine(code, ExitCode::kViolated);
    none.notes.push_back(Ended(entry, *answer.end));
  }
  none.status = reports::RunStatus::kPartial;
  return none;
}

void Append(reports::ContentionReport part, reports::ContentionReport& whole) {
  for (reports::ContentionPoint& point : part.points) whole.points.push_back(std::move(point));
  for (std::string& note : part.notes) {
    const bool known = std::ranges::find(whole.notes, note) != whole.notes.end();
    if (!known) whole.notes.push_back(std::move(note));
  }
  if (part.status == reports::RunStatus::kPartial) whole.status = part.status;
}

/// All locks, in order; in virtual time foreign ones are measured apart and first, because forking
/// needs a process with one thread.
Result<reports::ContentionReport> Measure(const contend::ContendOptions& options,
                                          const std::string& program, ExitCode& code) {
  std::vector<reports::ContentionReport> apart;
  contend::ContendOptions ours = options;
  std::erase_if(ours.entries, [](const Entry& entry) { return entry.foreign; });
  for (const Entry& entry : options.entries) {
    if (!entry.foreign || options.target) continue;
    auto part = MeasureApart(options, entry, code);
    if (!part.ok()) return part.status();
    apart.push_back(*std::move(part));
  }
  // The guard has a thread, which forked client processes would lack.
  if (!options.target || !options.target->processes) {
    InstallGuard({.program = program});
  }
  if (apart.empty()) return contend::Contend(options);
  auto whole = contend::Contend(ours);
  if (!whole.ok()) return whole.status();
  const auto points = std::exchange(whole->points, {});
  std::size_t next = 0;
  for (const Entry& entry : options.entries) {
    if (entry.foreign) {
      Append(std::move(apart[next++]), *whole);
      continue;
    }
    for (const reports::ContentionPoint& point : points) {
      if (point.lock == entry.subject->name()) whole->points.push_back(point);
    }
  }
  return whole;
}

Result<reports::ContentionReport> MeasureClients(const ContendSettings& settings,
                                                 const contend::ContendOptions& options) {
  return drive::MeasureForeign({.command = settings.foreign.command,
                                .clients = options.clients,
                                .load = options.load,
                                .redis = settings.target.redis,
                                .masters = settings.foreign.masters,
                                .stop = options.stop,
                                .progress = options.progress,
                                .keep = options.keep});
}

ExitCode Contend(const ContendSettings& settings, const Registry& registry) {
  auto options = OptionsOf(settings, registry);
  if (!options.ok()) return Complain(ExitCode::kUsage, options.status().message());
  const bool foreign = !settings.foreign.command.empty();
  if (foreign && options->clients.back() > drive::kMostForeignClients) {
    return Complain(ExitCode::kUsage,
                    fmt::format("--clients: {} processes are too many, {} is the most",
                                options->clients.back(), drive::kMostForeignClients));
  }
  Yardstick yardstick;
  if (const auto bad = ReadYardstick(settings.gate, settings.baseline, yardstick);
      bad != ExitCode::kPass) {
    return bad;
  }
  if (const auto bad = PrepareOut(settings.output); bad != ExitCode::kPass) return bad;
  CatchInterruption();
  const auto started = std::chrono::steady_clock::now();
  Progress progress("measuring", "points");
  options->progress = progress.Updates();
  ExitCode code = ExitCode::kPass;
  if (settings.trace) {
    options->keep = [&](const reports::ContentionPoint& point, const EventLog& log) {
      const std::string name = fmt::format(
          "traces/{}.{}.jsonl", foreign ? FileNameOf(point.lock) : point.lock, point.clients);
      const LogHeader header = contend::HeaderOf(point, options->load);
      code = Combine(code, WriteFile(settings.output, name, ToText(header, log)));
    };
  }
  auto report =
      foreign ? MeasureClients(settings, *options) : Measure(*options, registry.program(), code);
  if (!report.ok()) {
    const ExitCode flaw = foreign ? ExitCode::kBadInput : ExitCode::kUsage;
    const bool unreachable = report.code() != StatusCode::kInvalidArgument;
    return Complain(unreachable ? ExitCode::kRedisUnreachable : flaw, report.status().message());
  }
  report->tool = ThisTool(registry.program());
  report->wall_time = MillisecondsSince(started);
  HoldAgainst(yardstick, *report);
  return Combine(code, Show(settings, *report));
}

void AddLoad(Command command, ContendSettings& settings) {
  contend::Load& load = settings.load;
  const auto time = [command](const char* name, auto& value, double least, const char* text) {
    command
        .AddTaken(
            name,
            [&value](const std::string& given) {
              value =
                  std::chrono::duration_cast<std::decay_t<decltype(value)>>(*ParseDuration(given));
            },
            text)
        .Type("TIME")
        .Check([least](const std::string& given) {
          const auto parsed = ParseDuration(given);
          if (!parsed) return given + " is not a time: use 500us, 5ms, 2s or 1m";
          return static_cast<double>(parsed->count()) < least ? given + " is too short"
                                                              : std::string();
        });
  };
  time("--hold", load.hold, 0, "length of each section; default 5ms");
  command
      .Add("--arrivals", settings.arrivals,
           "closed: a client asks again when it is done; open: at random times, done or not")
      .OneOf({"closed", "open"})
      .ShowDefault();
  time("--think", load.think, 0,
       "closed: mean time between a release and the next request; default 0s");
  time("--interval", load.interval, 1, "open: mean time between the requests of one client");
  command.Flag("!--fixed", load.exponential,
               "constant think times and intervals instead of exponential ones");
  time("--patience", load.patience, 1, "how long a client waits before it gives up; default 30s");
  time("--lease", load.lease, 1e6, "10s if not given");
  time("--duration", load.duration, 1e6, "length of each measurement; default 10s");
  time("--warm-up", load.warm_up, 0, "what passes before; 1s");
  command.Add("--permits", load.permits, "permits of a semaphore; other locks have one")
      .InRange(1, 1000)
      .ShowDefault();
  command.Add("--resources", load.resources, "number of resources; each request picks one")
      .InRange(1, 1000)
      .ShowDefault();
  command
      .AddTaken(
          "--faults",
          [&load](const std::string& word) {
            load.faults = word == "pauses"       ? FaultProfile::kPauses
                          : word == "partitions" ? FaultProfile::kPartitions
                                                 : FaultProfile::kNone;
          },
          "faults in sections, some twenty leases apart: a client stands still for a lease and a "
          "half, or is cut off for half a lease")
      .OneOf({"none", "pauses", "partitions"});
}

}  // namespace

void AddContendCommand(Command app, const Registry& registry, Work& work) {
  Command command =
      app.Subcommand("contend", "how long clients wait for a lock, who gets it, and what it costs");
  auto settings = std::make_shared<ContendSettings>();
  command.Add("--lock", settings->lock, "locks whose name matches, as for check").Joined();
  command.Add("command", settings->foreign.command,
              "a client of its own lock, after --: -- python3 looping.py; several, separated by "
              "--and, take turns as clients");
  command
      .Add("--masters", settings->foreign.masters,
           "with a command: servers that --redis spawn starts, for locks over a quorum")
      .InRange(1, 16)
      .ShowDefault();
  command
      .Add("--clients", settings->clients,
           "numbers of competing clients, in rising order; one measurement each")
      .ShowDefault();
  AddLoad(command, *settings);
  const Option server = AddServerOption(command, settings->load.server);
  const Option redis =
      command
          .Add(
              "--redis", settings->target.redis,
              "measure in wall time on these servers (URLs separated by commas); spawn: on servers "
              "started for it")
          .Excludes(server);
  command
      .Flag("--allow-remote", settings->target.allow_remote,
            "allow --redis to reach another machine")
      .Needs(redis);
  command.Flag("--processes", settings->target.processes,
               "with --redis: make each client a process instead of a thread");
  command.Add("--seed", settings->seed, "seed of every random draw (also 0x...)")
      .Type("NUMBER")
      .Check(WhyNoSeed)
      .ShowDefault();
  command.Add("--jobs", settings->jobs, "threads; the figures do not depend on them (0: all cores)")
      .InRange(0, 256);
  command.Flag("--json", settings->output.json, "print run.json instead of text");
  command.Add("--out", settings->output.out, "folder for run.json; see report");
  command.Add("--gate", settings->gate,
              "TOML file of thresholds; the exit code is 3 if one is crossed");
  command.Add("--baseline", settings->baseline, "compare with an earlier run.json, or its folder");
  command.Flag("--trace", settings->trace,
               "also write the log of events, from which all figures can be recomputed");
  command.Footer(std::string(kContendFooter));
  IfChosen(command, work, [settings, &registry] { return Contend(*settings, registry); });
}

}  // namespace interlock::scenarios::cli
