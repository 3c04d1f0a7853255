// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "reports/artefacts.h"
#include "reports/json_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cases/sources.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/interruption.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/cli/replay_forced.h"
#include "scenarios/cli/server_option.h"
#include "scenarios/judge/property.h"
#include "scenarios/log/log_file.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/isolated.h"
#include "scenarios/search/row_book.h"
#include "scenarios/search/rows.h"
#include "scenarios/search/shrink/continued.h"
#include "scenarios/search/shrink/explain.h"
#include "scenarios/search/to_report.h"

namespace interlock::scenarios::cli {
namespace {

constexpr std::string_view kReplayFooter = R"(
Exit codes: 0 no property is violated; 1 one is; 70 it is not the run that the file recorded, or,
with --redis, the server did something else; 2 no server can be made to do it.

Examples:
  interlock replay out/counterexamples/NAME.json
  gdb --args interlock replay 'v2:...' --break
  interlock replay NAME.json --until 12 --seed 7
  interlock replay NAME.json --as-test > regression_test.cc
  interlock replay NAME.json --log run.jsonl; interlock judge run.jsonl
  interlock replay out/counterexamples/*.json --redis spawn)";

using reports::ExitCode;

constexpr int kPctDepth = 3;

struct ReplaySettings {
  ForcedSettings forced;  ///< with servers; its cases are replayed in either mode
  bool stop_debugger = false;
  bool as_test = false;
  std::uint64_t until = 0;  ///< 0: to the end
  std::string then = "random";
  std::uint64_t seed = 1;
  int watchdog = 30;
  const sim::redis::Dialect* server = nullptr;  ///< null: the case's own
  std::string log;                              ///< the file for it; empty: none
};

class Replay {
 public:
  Replay(const ReplaySettings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    auto replayed = ReadReplayCase(settings_.forced.cases.front(), registry_);
    if (!replayed.ok()) return Complain(ExitCode::kBadInput, replayed.status().message());
    case_ = *std::move(replayed);
    if (settings_.server != nullptr) case_.PutOn(*settings_.server);
    const std::chrono::seconds patience(settings_.watchdog);
    InstallGuard({.patience = patience, .program = registry_.program()});
    const GuardedThread guarded;
    isolation_.isolate = !settings_.stop_debugger;  // a debugger is in this process
    isolation_.patience = patience;
    isolation_.stop = &Interrupted();
    if (isolated_.Isolates(*case_.unit.entry)) {
      const auto end = isolated_.EndOf(case_.unit, case_.token_text, true);
      if (end) return PublishCrash(*end);
    }
    run_case_ = case_.run_case();
    const GuardedRun run(run_case_.subject->name(), run_case_.scenario->name, run_case_.synchrony,
                         std::string_view(case_.token_text));
    sim::Choices choices = case_.Choices();
    const RunResult first = RunOnce(universe_, run_case_, case_.workload, choices, true);
    tape_ = choices.TakeTape();
    if (case_.file.has_value() && case_.file->record.has_value()) {
      if (const auto divergence = Divergence(*case_.file->record, first)) {
        return Complain(ExitCode::kInternal, Diverged(*divergence));
      }
    }
    if (settings_.as_test) return PrintTest(first);
    if (settings_.until > 0) return Continue(first);
    if (settings_.stop_debugger) Break(first);
    sim::Choices again = sim::Choices::FromTape(tape_);
    const RunResult second = RunOnce(universe_, run_case_, case_.workload, again);
    return Publish(first, second.trace_hash != first.trace_hash);
  }

 private:
  std::string Diverged(std::string_view where) const {
    return fmt::format(
        "{}\n  either the lock or the harness was changed since, or something escapes the "
        "simulation;\n  the changed lock is judged on this case by: {}",
        where, ReplayCommand(registry_.program(), case_.token_text));
  }

  ExitCode PrintTest(const RunResult& run) const {
    const auto ours = Registry::Make({});
    const bool shipped = ours.ok() && ours->Find(case_.token.lock) != nullptr;
    return Print(AsTest(case_, run, shipped));
  }

  /// Runs once more, with SIGTRAP at the step that completes the violation: a debugger stops there,
  /// inside the client whose step it is or in the server's execution of its command.
  void Break(const RunResult& run) {
    const Violation* violation = NamingViolation(run, run_case_);
    if (violation == nullptr) return;
    const StepWatch watch{ViolatingStep(run, *violation), [] { std::raise(SIGTRAP); }};
    sim::Choices choices = sim::Choices::FromTape(tape_);
    RunOnce(universe_, run_case_, case_.workload, choices, true, &watch);
  }

  /// The recorded choices up to a step, then others: another run, with its own token.
  ExitCode Continue(const RunResult& recorded) {
    const sim::TraceEvent* last = nullptr;
    std::uint64_t steps = 0;
    for (const sim::TraceEvent& event : recorded.events) {
      steps = std::max(steps, event.step);
      if (event.step == settings_.until) last = &event;
    }
    if (last == nullptr) {
      return Complain(ExitCode::kUsage,
                      fmt::format("--until {}: the run has {} steps", settings_.until, steps));
    }
    auto source = std::make_unique<ContinuedSource>(tape_, last->draws, Rest());
    sim::Choices choices = sim::Choices::FromSource(std::move(source));
    const RunResult run = RunOnce(universe_, run_case_, case_.workload, choices, true);
    tape_ = choices.TakeTape();
    case_.token.run = PackedRun{case_.workload, tape_};
    case_.token_text = Encode(case_.token);
    sim::Choices again = sim::Choices::FromTape(tape_);
    const RunResult second = RunOnce(universe_, run_case_, case_.workload, again);
    return Publish(run, second.trace_hash != run.trace_hash);
  }

  std::unique_ptr<sim::ChoiceSource> Rest() const {
    if (settings_.then == "pct") return std::make_unique<PctSource>(settings_.seed, kPctDepth);
    return std::make_unique<sim::SeededSource>(settings_.seed);
  }

  /// What a campaign of this one run would have found, undecided.
  CampaignResult ResultOf(const UnitResult& sum) const {
    CampaignResult result;
    FillRows({case_.unit}, {sum}, result);
    result.report.tool = ThisTool(registry_.program());
    result.report.goals.clear();
    TellServer(*case_.unit.scenario->server, result.report);
    if (const auto* seed = std::get_if<std::uint64_t>(&case_.token.run)) result.report.seed = *seed;
    return result;
  }

  /// The run does not reach its end: publishes what was seen of it.
  ExitCode PublishCrash(const WorkerEnd& end) {
    UnitResult sum;
    sum.crash = LockCrash{0, end.what, end.hung, ""};
    CampaignResult result = ResultOf(sum);
    std::erase_if(result.report.results,
                  [](const auto& row) { return row.property != Slug(Judged::kCrash); });
    Found found;
    found.unit = case_.unit;
    found.property = Judged::kCrash;
    found.candidates = {0};
    found.violating_runs = 1;
    found.original = found.workload = case_.workload;
    found.token = case_.token_text;
    found.runs = 0;
    reports::ResultRow& row = result.report.results.front();
    row.replay = case_.token_text;
    row.runs_to_first_violation.reset();
    const auto shown = ExplainEnd(found, end, registry_.program());
    const ExitCode printed =
        Print(settings_.forced.json ? ToJson(result.report)
                                    : ToText(result.report, {shown}, TextOptionsForStdout()));
    const bool unserved = EndsUnserved(case_.unit, end.what);
    return Combine(printed, unserved ? ExitCode::kInconclusive : ExitCode::kViolated);
  }

  ExitCode Publish(const RunResult& run, bool diverged) {
    UnitResult sum;
    AddRun(run, 0, sum);
    sum.double_runs = 1;
    sum.divergences = diverged ? 1 : 0;
    CampaignResult result = ResultOf(sum);
    result.report.trace_hash = run.trace_hash;
    if (settings_.until > 0) result.report.seed = settings_.seed;
    // Not decided like a campaign's rows: a single run has no sound control beside it. Properties
    // it did not exercise are no result of it.
    if (!run.inconclusive.has_value()) LeaveOutWhatIsNotExercised(result.report);
    for (reports::ResultRow& row : result.report.results) {
      row.pass = row.verdict == reports::Verdict::kHolds;
      if (row.verdict != reports::Verdict::kViolated) continue;
      row.replay = case_.token_text;
      row.runs_to_first_violation.reset();
      if (row.expected == reports::Expectation::kBreaks) row.reason = "as is known of this lock";
      row.expected = reports::Expectation::kHolds;
    }
    const std::vector<reports::Counterexample> explained = ExplainAll(run, result);
    const ExitCode ran = run.inconclusive.has_value() ? ExitCode::kInconclusive : ExitCode::kPass;
    const ExitCode code = Combine(ran, WriteLog(run));
    const ExitCode printed =
        Print(settings_.forced.json ? ToJson(result.report)
                                    : ToText(result.report, explained, TextOptionsForStdout()) +
                                          fmt::format("trace hash 0x{:016x}\n", run.trace_hash));
    return Combine(Combine(code, printed), ExitCodeOfReplay(result.report));
  }

  ExitCode WriteLog(const RunResult& run) const {
    if (settings_.log.empty()) return ExitCode::kPass;
    LogHeader header{.lock = case_.token.lock,
                     .scenario = case_.token.scenario,
                     .lease = case_.workload.lease,
                     .permits = case_.workload.permits,
                     .resources = case_.workload.resources};
    // The run adds clients that try the lock when the others are done.
    for (const LogEvent& event : run.log) {
      header.clients = std::max(header.clients, event.client + 1);
    }
    const auto error = reports::WriteFileAtomically(settings_.log, ToText(header, run.log));
    return error ? Complain(ExitCode::kInternal, error->ToString()) : ExitCode::kPass;
  }

  static void LeaveOutWhatIsNotExercised(reports::RunReport& report) {
    std::string codes;
    for (const reports::ResultRow& row : report.results) {
      if (row.verdict != reports::Verdict::kInconclusive) continue;
      codes += fmt::format("{}{}", codes.empty() ? "" : ", ", row.code);
    }
    if (!codes.empty()) report.notes.push_back("not put to the test by this run: " + codes);
    std::erase_if(report.results, [](const reports::ResultRow& row) {
      return row.verdict == reports::Verdict::kInconclusive;
    });
  }

  std::vector<reports::Counterexample> ExplainAll(const RunResult& run, CampaignResult& result) {
    std::vector<reports::Counterexample> explained;
    const Violation* naming = NamingViolation(run, run_case_);
    for (Found& found : result.found) {
      found.original = case_.workload;
      found.original_tape = tape_;
      found.workload = case_.workload;
      found.tape = tape_;
      found.token = case_.token_text;
      found.runs = 0;  // one run is no frequency
      const bool names = naming != nullptr && naming->property == found.property;
      explained.push_back(
          isolated_.Explain(found, registry_.program(), names ? Effort::kTry : Effort::kShow));
    }
    return explained;
  }

  /// Here the question is whether there is a violation, expected or not.
  static ExitCode ExitCodeOfReplay(const reports::RunReport& report) {
    ExitCode code = ExitCode::kPass;
    for (const reports::ResultRow& row : report.results) {
      if (row.verdict == reports::Verdict::kViolated) code = ExitCode::kViolated;
    }
    return report.totals.divergences > 0 ? ExitCode::kInternal : code;
  }

  const ReplaySettings& settings_;
  const Registry& registry_;
  ReplayCase case_;
  RunCase run_case_;
  sim::Universe universe_;
  sim::Tape tape_;
  CampaignOptions isolation_;
  IsolatedRunner isolated_{isolation_};
};

}  // namespace

void AddReplayCommand(Command app, const Registry& registry, Work& work) {
  Command command =
      app.Subcommand("replay", "run one case again, exactly; exits 1 if it violates a property");
  auto settings = std::make_shared<ReplaySettings>();
  command
      .Add("case", settings->forced.cases,
           "a token (v2:...) or a counterexample file; with --redis several")
      .Required();
  const Option json = command.Flag("--json", settings->forced.json, "print JSON instead of text");
  const Option redis =
      command.Add("--redis", settings->forced.redis,
                  "repeat the run on real servers, and compare: spawn starts as many as the case "
                  "has; or their URLs, separated by commas, each with an empty database");
  command
      .Flag("--allow-remote", settings->forced.allow_remote,
            "allow --redis to reach another machine")
      .Needs(redis);
  command
      .Add("--longest", settings->forced.longest,
           "with --redis: leave out cases that last longer, in seconds")
      .InRange(1, 1'000'000)
      .Needs(redis)
      .ShowDefault();
  const Option stops = command
                           .Flag("--break", settings->stop_debugger,
                                 "raise SIGTRAP at the violating step: run this under a debugger")
                           .Excludes(redis);
  AddServerOption(command, settings->server, "the case's own").Excludes(redis);
  const Option as_test = command
                             .Flag("--as-test", settings->as_test,
                                   "print a GoogleTest case that fails while this one does")
                             .Excludes(redis)
                             .Excludes(json)
                             .Excludes(stops);
  const Option until = command
                           .Add("--until", settings->until,
                                "keep the recorded choices only up to this step (from 1)")
                           .InRange(1, INT64_MAX)
                           .Excludes(as_test)
                           .Excludes(redis);
  command
      .Add("--then", settings->then,
           "strategy of the choices after --until: random, or pct (client priorities, changed at "
           "two random points)")
      .OneOf({"random", "pct"})
      .Needs(until)
      .ShowDefault();
  command.Add("--seed", settings->seed, "seed of the choices after --until")
      .Needs(until)
      .ShowDefault();
  command
      .Add("--log", settings->log,
           "write what the clients did and were told to this file, which `interlock judge` reads")
      .Excludes(as_test)
      .Excludes(redis);
  command.Add("--watchdog", settings->watchdog, "wall-clock limit of the run, in seconds")
      .InRange(1, 3600)
      .ShowDefault();
  command.Footer(std::string(kReplayFooter));
  IfChosen(command, work, [settings, &registry] {
    if (!settings->forced.redis.empty()) return ReplayOnServers(settings->forced, registry);
    if (settings->forced.cases.size() > 1) {
      return Complain(ExitCode::kUsage, "several cases are replayed with --redis only");
    }
    return Replay(*settings, registry).Run();
  });
}

}  // namespace interlock::scenarios::cli
