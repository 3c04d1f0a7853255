// SPDX-License-Identifier: MIT
#include <csignal>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <CLI/Option.hpp>

#include "reports/text_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/cli/values.h"
#include "scenarios/explore/exhaustive.h"
#include "scenarios/explore/verdict.h"
#include "scenarios/guard.h"
#include "scenarios/property.h"
#include "scenarios/replay_token.h"
#include "scenarios/to_report.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

std::atomic<bool> stop_requested{false};

void OnSignal(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);  // who asks twice does not want to wait
}

struct Settings {
  std::string lock;
  std::string scenario;
  std::string synchrony;
  Bounds bounds;
  // Not given: one, if the scenario has such faults; no pause and no silent loss.
  std::optional<int> crashes;
  std::optional<int> lost_replies;
  std::optional<int> silent_losses;
  std::optional<int> pauses;
  std::string budget;
  std::string checkpoint;
  int jobs = 0;
  int watchdog = 30;
};

class ExploreCommand {
 public:
  ExploreCommand(const Settings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    if (const auto bad = Prepare(); bad != ExitCode::kPass) return bad;
    std::signal(SIGINT, OnSignal);
    std::signal(SIGTERM, OnSignal);
    GuardOptions guard;
    guard.patience = std::chrono::seconds(settings_.watchdog);
    guard.program = registry_.program();
    InstallGuard(guard);
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
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
    return Publish(exploration, seconds.count());
  }

 private:
  ExitCode ResolveBounds(const Scenario& scenario) {
    options_.bounds = settings_.bounds;
    struct Kind {
      std::optional<int> given;
      sim::FaultKind fault;
      int otherwise;
      int& bound;
      const char* name;
    };
    Bounds& bounds = options_.bounds;
    const Kind kinds[] = {
        {settings_.crashes, sim::FaultKind::kCrash, 1, bounds.crashes, "--crashes"},
        {settings_.lost_replies, sim::FaultKind::kResetAfter, 1, bounds.lost_replies,
         "--lost-replies"},
        {settings_.silent_losses, sim::FaultKind::kLostReply, 0, bounds.silent_losses,
         "--silent-losses"},
        {settings_.pauses, sim::FaultKind::kPause, 0, bounds.pauses, "--pauses"}};
    const auto& faults = scenario.shape.faults;
    for (const Kind& kind : kinds) {
      const bool has = std::find(faults.begin(), faults.end(), kind.fault) != faults.end();
      if (!has && kind.given.value_or(0) > 0) {
        return Complain(ExitCode::kUsage, fmt::format("{}: the scenario {} has no such fault",
                                                      kind.name, scenario.name));
      }
      kind.bound = has ? kind.given.value_or(kind.otherwise) : 0;
    }
    return ExitCode::kPass;
  }

  ExitCode Prepare() {
    const auto entries = registry_.Select(settings_.lock);
    if (!entries.ok()) return Complain(ExitCode::kUsage, entries.status().message());
    const auto scenarios = SelectScenarios(settings_.scenario);
    if (!scenarios.ok()) return Complain(ExitCode::kUsage, scenarios.status().message());
    if (entries->size() != 1 || scenarios->size() != 1) {
      return Complain(ExitCode::kUsage, "an exploration is of one lock in one scenario");
    }
    entry_ = registry_.Find(entries->front().subject->name());
    const Scenario* scenario = scenarios->front();
    if (!Applies(*scenario, entry_->subject->traits())) {
      return Complain(ExitCode::kUsage, "this scenario does not apply to this lock");
    }
    SynchronyClass synchrony = scenario->classes.back();
    if (!settings_.synchrony.empty()) {
      const auto& classes = scenario->classes;
      const auto found = std::find_if(classes.begin(), classes.end(), [this](SynchronyClass one) {
        return ToString(one) == settings_.synchrony;
      });
      if (found == classes.end()) {
        return Complain(ExitCode::kUsage,
                        fmt::format("the scenario has no class \"{}\"", settings_.synchrony));
      }
      synchrony = *found;
    }
    options_.run_case = {entry_->subject.get(), scenario, synchrony};
    if (const auto bad = ResolveBounds(*scenario); bad != ExitCode::kPass) return bad;
    options_.jobs = settings_.jobs > 0
                        ? settings_.jobs
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    options_.stop = &stop_requested;
    options_.checkpoint = settings_.checkpoint;
    const reports::ToolInfo tool = ThisTool();
    options_.version = fmt::format("{} {} {}", tool.version, tool.commit, tool.compiler);
    if (settings_.budget.empty()) return ExitCode::kPass;
    const auto budget = ParseBudget(settings_.budget);
    if (!budget) {
      return Complain(
          ExitCode::kUsage,
          fmt::format("--budget {}: use a length such as 90s, 5m or 1h", settings_.budget));
    }
    options_.budget = *budget;
    return ExitCode::kPass;
  }

  ExitCode Publish(const Exploration& exploration, double seconds) const {
    std::string text;
    if (exploration.violation) text = Counterexample(exploration);
    text += fmt::format("{} in {} ({}): {}\n", entry_->subject->name(),
                        options_.run_case.scenario->name, ToString(options_.run_case.synchrony),
                        VerdictText(exploration, options_.bounds));
    text += fmt::format("{} runs in {:.1f} s with {} {}\n", exploration.progress.runs, seconds,
                        options_.jobs, options_.jobs == 1 ? "thread" : "threads");
    return Combine(Print(text), ExitCodeOf(exploration));
  }

  static ExitCode ExitCodeOf(const Exploration& exploration) {
    if (exploration.divergences > 0) return ExitCode::kInternal;
    if (exploration.violation) return ExitCode::kViolated;
    const bool said = exploration.complete && exploration.inconclusive.empty();
    return said ? ExitCode::kPass : ExitCode::kInconclusive;
  }

  std::string Counterexample(const Exploration& exploration) const {
    const MinimalCase& minimal = *exploration.violation;
    Found found;
    found.unit = {entry_, options_.run_case.scenario, options_.run_case.synchrony};
    found.property = minimal.property;
    found.original = minimal.workload;
    found.workload = minimal.workload;
    found.tape = minimal.tape;
    found.violating_runs = 1;
    found.runs = 1;
    ReplayToken token;
    token.lock = entry_->subject->name();
    token.scenario = options_.run_case.scenario->name;
    token.synchrony = options_.run_case.synchrony;
    token.run = PackedRun{minimal.workload, minimal.tape};
    found.token = Encode(token);
    const reports::Counterexample counterexample =
        Explain(found, registry_.program(), Effort::kTry).counterexample;
    return reports::ToText(counterexample, TextOptionsForStdout()) + "\n";
  }

  const Settings& settings_;
  const Registry& registry_;
  const Entry* entry_ = nullptr;
  ExploreOptions options_;
};

void AddBounds(CLI::App& command, Settings& settings) {
  Bounds& bounds = settings.bounds;
  const auto count = [&command](const char* name, auto& value, const char* text) {
    command.add_option(name, value, text)->check(CLI::Range(0, 8));
  };
  command.add_option("--clients", bounds.clients, "how many compete")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  command.add_option("--attempts", bounds.attempts, "how often each of them asks")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  count("--crashes", settings.crashes, "clients that die; 1 if the scenario has crashes");
  count("--expiries", bounds.expiries, "leases of living clients that run out; 1 if not given");
  count("--lost-replies", settings.lost_replies,
        "replies lost to a connection reset; 1 if the scenario has that");
  count("--silent-losses", settings.silent_losses, "replies lost without a sign; else 0");
  count("--pauses", settings.pauses, "pauses to just past the end of a lease; else 0");
  command.add_flag("--wait", bounds.waits, "clients wait for the lock instead of trying");
  command.add_flag("--extend", bounds.extend, "clients extend in the middle of the section");
}

}  // namespace

void AddExploreCommand(CLI::App& app, const Registry& registry, Work& work) {
  CLI::App* command = app.add_subcommand(
      "explore", "every order of steps and every placing of faults, within stated bounds");
  auto settings = std::make_shared<Settings>();
  settings->bounds.expiries = 1;
  command->add_option("--lock", settings->lock, "which lock")->required();
  command->add_option("--scenario", settings->scenario, "whose properties are judged")->required();
  command->add_option("--class", settings->synchrony,
                      "none, bounded or arbitrary; the scenario's weakest if not given");
  AddBounds(*command, *settings);
  command->add_option("--budget", settings->budget, "stop after this long, e.g. 90s, 5m, 1h");
  command->add_option("--checkpoint", settings->checkpoint,
                      "a file to go on from, if it is there, and to save to");
  command->add_option("--jobs", settings->jobs, "threads; 0: one for each core")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  command->add_option("--watchdog", settings->watchdog, "real seconds that one run may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->callback([settings, &registry, &work] {
    work = [settings, &registry] { return ExploreCommand(*settings, registry).Run(); };
  });
}

}  // namespace interlock::scenarios::cli
