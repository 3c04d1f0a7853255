// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "reports/json_writer.h"
#include "reports/junit_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/explore_report.h"
#include "scenarios/cli/explore_request.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/publish.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/cli/values.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/explore/verdict.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/rows.h"
#include "sim/trace.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kExploreFooter = R"(
The verdict names its bounds, and shows the smallest violation. The exit code is 2 only if no run
put to the test what was looked for. Where servers fail the verdict says which properties no lock
can promise; --property looks for their violations all the same. Named cases are for check.

Examples:
  interlock explore --lock mutex --crashes 1 --lost-replies 1
  interlock explore --lock broken/get-compare-del --scenario pause --attempts 3 --pauses 1
  interlock explore --lock fair-mutex --wait --stops 1 --tasks-in-order --checkpoint fair.state)";

using reports::ExitCode;

struct ExploreSettings {
  std::string lock;
  ExploreRequest request;
  std::string budget;
  std::string checkpoint;
  bool every_order = false;
  int jobs = 0;
  OutputSettings output;
};

/// Hash of this process's executable; 0 if it cannot be read.
std::uint64_t HashOfProgram() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0;
  std::string block(1 << 16, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    hash = sim::HashBytes(std::string_view(block.data(), static_cast<std::size_t>(file.gcount())),
                          hash);
  }
  return hash;
}

class ExploreCommand {
 public:
  ExploreCommand(const ExploreSettings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    if (const auto bad = Prepare(); bad != ExitCode::kPass) return bad;
    CatchInterruption();
    if (entry_->foreign) {
      if (const auto code = RunApart()) return *code;
    }
    return RunHere();
  }

 private:
  ExitCode RunHere() {
    Guard(settings_.output, registry_, 0);
    const GuardedThread guarded;  // explaining a failure runs it once more
    ExploreProgressLine line(options_.bounds);
    options_.progress = [&line](const ExploreProgress& progress) { line.Update(progress); };
    const auto started = std::chrono::steady_clock::now();
    Exploration exploration;
    try {
      exploration = Explore(options_);
    } catch (const std::runtime_error& error) {
      return Complain(ExitCode::kBadInput, error.what());
    }
    line.Finish();
    ExploreReport made = MakeReport(exploration, options_, *entry_, registry_.program());
    const ExitCode code = Publish(made, ExitCodeOf(exploration), exploration.progress.runs,
                                  MillisecondsSince(started));
    if (exploration.lost_checkpoint.empty()) return code;
    return Combine(code, Complain(ExitCode::kInternal, exploration.lost_checkpoint));
  }

  /// Explores in a fork, as the lock may take its process down. nullopt: forking failed.
  std::optional<ExitCode> RunApart() {
    for (;;) {
      const auto copy = WorkerProcess::Fork([this](BlackBox& box) {
        box.Describe(true);
        options_.stop = &box.stop();
        LimitMemory(MemoryOfSearches());
        return std::to_string(ToInt(RunHere()));
      });
      if (!copy.ok()) return std::nullopt;
      const std::chrono::seconds patience(settings_.output.watchdog);
      const WorkerAnswer answer = (*copy)->Await(patience, Interrupted());
      if (answer.body) {
        return Combine(static_cast<ExitCode>(std::stoi(*answer.body)), InterruptionCode());
      }
      if (!answer.end) return Complain(ExitCode::kInternal, answer.refused);
      if (Interrupted()) return InterruptionCode();
      // With several threads, which run crashes first is not deterministic.
      if (std::exchange(options_.jobs, 1) == 1) return PublishCrash(*answer.end);
    }
  }

  ExitCode PublishCrash(const WorkerEnd& end) {
    const Unit unit{entry_, options_.run_case.scenario, options_.run_case.synchrony};
    ExploreReport made = MakeReport({}, options_, *entry_, registry_.program());
    reports::RunReport& report = made.report;
    report.status = reports::RunStatus::kComplete;
    const std::string reason = "a run took its process down: the lock " + end.what;
    for (reports::ResultRow& row : report.results) {
      row.reason = reason;
      row.pass = false;
      row.replay = end.last.token;
    }
    UnitResult sum;
    sum.crash = LockCrash{0, end.what, end.hung, end.last.token};
    report.results.push_back(CrashRow(unit, sum));
    report.results.back().runs_to_first_violation.reset();
    report.results.back().replay = end.last.token;
    report.notes.front() =
        fmt::format("{} in {} ({}): {} {}: the lock {}: {}", entry_->subject->name(),
                    unit.scenario->name, ToString(unit.synchrony), Code(Judged::kCrash),
                    Slug(Judged::kCrash), end.what, ToText(options_.bounds));
    LockExploration exploration;
    exploration.entry = entry_;
    exploration.options = options_;
    made.found = FoundBy(exploration, Judged::kCrash, sum.crash->token);
    made.found->row = report.results.size() - 1;
    CampaignOptions isolation;
    isolation.isolate = true;
    isolation.patience = std::chrono::seconds(settings_.output.watchdog);
    made.counterexample =
        IsolatedRunner(isolation).Explain(*made.found, registry_.program(), Effort::kShow);
    return Publish(made, ExitCode::kViolated, 0, std::chrono::milliseconds(0));
  }

  ExitCode Prepare() {
    const auto entries = registry_.Select(settings_.lock);
    if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
    if (entries->size() != 1) {
      return Complain(ExitCode::kUsage, "explore takes exactly one lock and one scenario");
    }
    entry_ = registry_.Find(entries->front().subject->name());
    auto resolved = Resolve(settings_.request, *entry_);
    if (!resolved.ok()) return Complain(ExitCode::kUsage, resolved.status().message());
    options_ = *std::move(resolved);
    options_.jobs = JobsOf(settings_.jobs);
    options_.stop = &Interrupted();
    options_.checkpoint = settings_.checkpoint;
    options_.reduce = !settings_.every_order;
    const reports::ToolInfo tool = ThisTool();
    options_.version = fmt::format("{} {} {}", tool.version, tool.commit, tool.compiler);
    // The lock is part of the program: once fixed, it is a different one.
    if (!settings_.checkpoint.empty()) options_.version += fmt::format(" {:x}", HashOfProgram());
    const auto budget = ParseBudget(settings_.budget);
    if (!budget.ok()) return Complain(ExitCode::kUsage, budget.status().message());
    options_.budget = *budget;
    return PrepareOut(settings_.output);
  }

  ExitCode Publish(ExploreReport& made, ExitCode verdict, std::uint64_t runs,
                   std::chrono::milliseconds time) const {
    reports::RunReport& report = made.report;
    report.tool = ThisTool(registry_.program());
    report.totals.wall_time = time;
    if (made.found && !settings_.output.out.empty())
      report.results[made.found->row].counterexample = FileNameOf(*made.found);
    const std::string json = ToJson(report);
    const std::string text = ToText(made, TextOptionsForStdout()) +
                             fmt::format("{} runs in {:.1f} s with {} {}\n", runs,
                                         static_cast<double>(time.count()) / 1000, options_.jobs,
                                         options_.jobs == 1 ? "thread" : "threads");
    ExitCode code = Combine(verdict, Print(settings_.output.json ? json : text));
    std::vector<reports::Counterexample> counterexamples;
    if (made.counterexample) {
      counterexamples.push_back(*made.counterexample);
      code = Combine(
          code, WriteFile(settings_.output, FileNameOf(*made.found), ToJson(*made.counterexample)));
    }
    code =
        Combine(code, WriteFile(settings_.output, "junit.xml", ToJUnit(report, counterexamples)));
    code = Combine(code, WriteFile(settings_.output, "run.json", json));
    return Combine(code, InterruptionCode());
  }

  const ExploreSettings& settings_;
  const Registry& registry_;
  const Entry* entry_ = nullptr;
  ExploreOptions options_;
};

void AddLengths(Command command, ExploreRequest& request) {
  Bounds& bounds = request.bounds;
  const auto length = [command](const char* name, int& value, int least, const char* text) {
    command.Add(name, value, text).InRange(least, 1000).ShowDefault();
  };
  length("--wait-for", bounds.wait, 1, "how long clients wait with --wait, in % of a lease");
  length("--stop-after", bounds.stop, 0, "when waits are stopped with --stops, in % of a lease");
  length("--hold", bounds.hold, 1, "length of the section, in % of a lease");
  command
      .Add("--stagger", request.stagger,
           "how much later each client begins than the one before; default 10 at a latch, else 0")
      .InRange(0, 1000);
  length(
      "--overstay", bounds.overstay, 0,
      "how long after its validity each comes back once; 0: not, but for 37 where a scenario has "
      "that, and no pauses");
  command
      .AddTaken(
          "--lease",
          [&bounds](const std::string& ms) {
            bounds.lease = std::chrono::milliseconds(std::stoi(ms));
          },
          "milliseconds after which a key is gone; default 4000")
      .InRange(10, 60'000);
  length("--life", bounds.life, 0,
         "how long a latch is remembered, in % of a lease; 0: longer than any run");
  length("--think", bounds.think, 0, "pause between a client's attempts, in % of a lease");
}

void AddBounds(Command command, ExploreSettings& settings) {
  ExploreRequest& request = settings.request;
  Bounds& bounds = request.bounds;
  const auto count = [command](const char* name, auto& value, const char* text) {
    command.Add(name, value, text).InRange(0, 8);
  };
  command.Add("--clients", bounds.clients, "how many compete").InRange(1, 8).ShowDefault();
  command.Add("--attempts", bounds.attempts, "attempts of each client").InRange(1, 8).ShowDefault();
  command
      .Add("--resources", bounds.resources,
           "over how many each client's attempts go in turn; the first client begins at the "
           "first of them, the second at the second")
      .InRange(1, kMostResources)
      .ShowDefault();
  command
      .AddTaken(
          "--writes",
          [&bounds](const std::string& word) { bounds.writes = *GuardKindFromText(word); },
          "holders read and write what the lock guards; it accepts all (unfenced), no token "
          "below the highest (fenced), or no write after another one's read (checked)")
      .OneOf({"unfenced", "fenced", "checked"});
  command
      .Add("--masters", bounds.masters,
           "masters of a quorum lock; default: as many as the scenario has")
      .InRange(3, kMostNodes);
  count("--readers", bounds.readers,
        "clients that ask as readers, or only wait at a latch; default 0");
  count("--setters", bounds.setters,
        "clients that set one permit more instead of asking; default 0");
  count("--other-limits", bounds.other_limits,
        "clients that take the limit for one permit more; default 0");
  command.Flag("--follow", bounds.follow, "all others but the first follow the limit in force");
  count("--stops", bounds.stops,
        "clients, the first ones, that are stopped whenever they wait; default 0");
  count("--operators", bounds.operators,
        "clients, the last ones, that take the lock away from its holders; default 0");
  command.Flag("--nest", bounds.nest,
               "at the end of a section clients ask for the next resource, too, and hold both");
  count("--crashes", request.crashes, "clients that die; default 1 if the scenario has crashes");
  count("--expiries", bounds.expiries, "leases of living clients that run out; default 1");
  count("--lost-replies", request.lost_replies,
        "replies lost to a connection reset; default 1 if the scenario has that");
  count("--lost-requests", request.lost_requests, "requests lost to a connection reset; default 0");
  count("--silent-losses", request.silent_losses, "replies lost without a sign; default 0");
  count("--pauses", request.pauses, "pauses to just past the end of a lease; default 0");
  count("--short-pauses", request.short_pauses, "pauses of half a lease; default 0");
  count("--failovers", bounds.failovers, "failovers to a replica that may lag; default 0");
  count("--restarts", bounds.restarts,
        "restarts of a server with what the scenario lets it keep; default 0");
  command.Flag("--tasks-in-order", bounds.tasks_in_order,
               "between its calls, the tasks of one client go on in the order in which they "
               "became ready; else in every order");
  command.Flag("--clocks-apart", bounds.clocks_apart, "clocks differ by two leases and more");
  command.Flag("--wait", bounds.waits, "clients wait for the lock instead of trying");
  command.Flag("--extend", bounds.extend, "clients extend in the middle of the section");
}

}  // namespace

void AddExploreCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand(
      "explore", "every order of steps and every placing of faults, within stated bounds");
  auto settings = std::make_shared<ExploreSettings>();
  settings->request.bounds.expiries = 1;
  command.Add("--lock", settings->lock, "which lock").Required();
  command.Add("--scenario", settings->request.scenario,
              "scenario whose properties are judged; default by the bounds: chaos, failover, "
              "data-loss or guarded");
  AddServerOption(command, settings->request.server);
  command.Add("--class", settings->request.synchrony,
              "none, bounded or arbitrary; default: the scenario's weakest");
  command.Add("--property", settings->request.property,
              "look for violations of this property alone (code or name)");
  AddBounds(command, *settings);
  AddLengths(command, settings->request);
  command.Add("--budget", settings->budget, "stop after this long, e.g. 90s, 5m, 1h");
  command.Add("--checkpoint", settings->checkpoint,
              "file to resume from, if it exists, and to save to");
  command.Flag("--every-order", settings->every_order,
               "take steps that commute in every order, too: the same states, in more runs");
  command.Add("--jobs", settings->jobs, "threads; 0: one for each core")
      .InRange(0, 256)
      .ShowDefault();
  command.Add("--watchdog", settings->output.watchdog, "wall-clock limit of one run, in seconds")
      .InRange(1, 3600)
      .ShowDefault();
  command.Flag("--json", settings->output.json, "print run.json instead of text");
  command.Add("--out", settings->output.out, "folder for run.json, junit.xml, counterexamples/");
  command.Footer(std::string(kExploreFooter));
  IfChosen(command, work,
           [settings, &registry] { return ExploreCommand(*settings, registry).Run(); });
}

}  // namespace interlock::scenarios::cli
