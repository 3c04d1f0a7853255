// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <CLI/Option.hpp>

#include "reports/json_writer.h"
#include "reports/text_writer.h"
#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/generators.h"
#include "scenarios/guard.h"
#include "scenarios/replay_token.h"
#include "scenarios/rows.h"
#include "scenarios/to_report.h"

namespace interlock::scenarios::cli {
namespace {

using reports::ExitCode;

struct Settings {
  std::string what;
  bool json = false;
  int watchdog = 30;
};

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

/// The token itself, or the one that stands in the replay line of a counterexample file.
Result<std::string> TokenFrom(const std::string& what) {
  std::error_code error;
  if (!std::filesystem::exists(what, error)) {
    // Of whatever version: what is wrong with a token is said by who decodes it.
    if (what.starts_with('v') && what.find(':') != std::string::npos) return what;
    return Bad(fmt::format("\"{}\" is neither a replay token (v2:...) nor an existing file", what));
  }
  if (std::filesystem::is_directory(what, error)) {
    return Bad(fmt::format("{} is a directory, not a counterexample file", what));
  }
  std::ifstream file(what, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.good() && !file.eof()) return Bad(fmt::format("cannot read {}", what));
  const auto read = reports::ReadCounterexample(text.str());
  if (!read.value.has_value()) return Bad(fmt::format("{}: {}", what, read.error));
  const std::string& replay = read.value->replay;
  const auto open = replay.find('\'');
  const auto close = replay.rfind('\'');
  if (open == std::string::npos || close <= open) {
    return Bad(fmt::format("{}: its \"replay\" line holds no token", what));
  }
  return replay.substr(open + 1, close - open - 1);
}

class Replay {
 public:
  Replay(const Settings& settings, const Registry& registry)
      : settings_(settings), registry_(registry) {}

  ExitCode Run() {
    if (const Status found = Find(); !found.ok()) {
      return Complain(ExitCode::kBadInput, found.message());
    }
    GuardOptions guard;
    guard.patience = std::chrono::seconds(settings_.watchdog);
    guard.program = registry_.program();
    InstallGuard(guard);
    const GuardedThread guarded;
    const RunCase run_case{unit_.entry->subject.get(), unit_.scenario, unit_.synchrony};
    const GuardedRun run(unit_.entry->subject->name(), unit_.scenario->name, unit_.synchrony,
                         std::string_view(token_text_));
    sim::Universe universe;
    sim::Choices choices = Choices();
    const RunResult first = RunOnce(universe, run_case, workload_, choices);
    tape_ = choices.TakeTape();
    sim::Choices again = sim::Choices::FromTape(tape_);
    const RunResult second = RunOnce(universe, run_case, workload_, again);
    return Publish(first, second.trace_hash != first.trace_hash);
  }

 private:
  Status Find() {
    auto text = TokenFrom(settings_.what);
    if (!text.ok()) return text.status();
    token_text_ = *text;
    auto token = DecodeReplayToken(token_text_);
    if (!token.ok()) return token.status();
    token_ = *std::move(token);
    unit_.entry = registry_.Find(token_.lock);
    if (unit_.entry == nullptr) {
      const auto missing = registry_.Select(token_.lock);
      return Bad("the token names an " + missing.status().message());
    }
    unit_.scenario = FindScenario(token_.scenario);
    if (unit_.scenario == nullptr) {
      const auto missing = SelectScenarios(token_.scenario);
      return Bad("the token names an " + missing.status().message());
    }
    unit_.synchrony = token_.synchrony;
    if (const auto* packed = std::get_if<PackedRun>(&token_.run)) {
      workload_ = packed->workload;
    } else {
      workload_ = Generator(*unit_.scenario).Draw(std::get<std::uint64_t>(token_.run)).value();
    }
    if (workload_.permits > 1 && !unit_.entry->subject->traits().semaphore) {
      return Bad(fmt::format("the token asks for {} permits of {}, which is no semaphore",
                             workload_.permits, token_.lock));
    }
    return Status();
  }

  sim::Choices Choices() const {
    if (const auto* packed = std::get_if<PackedRun>(&token_.run)) {
      return sim::Choices::FromTape(packed->tape);
    }
    return ChoicesOfRun(std::get<std::uint64_t>(token_.run));
  }

  ExitCode Publish(const RunResult& run, bool diverged) const {
    UnitResult sum;
    AddRun(run, 0, sum);
    sum.double_runs = 1;
    sum.divergences = diverged ? 1 : 0;
    CampaignResult result;
    FillRows({unit_}, {sum}, result);
    result.report.tool = ThisTool();
    result.report.tool.program = registry_.program();
    result.report.goals.clear();
    result.report.trace_hash = run.trace_hash;
    if (const auto* seed = std::get_if<std::uint64_t>(&token_.run)) result.report.seed = *seed;
    // Not decided as a campaign's: one run has no sound control beside it.
    for (reports::ResultRow& row : result.report.results) {
      row.pass = row.verdict != reports::Verdict::kViolated;
      if (row.verdict == reports::Verdict::kViolated) row.replay = token_text_;
    }
    const std::vector<reports::Counterexample> explained = ExplainAll(run, result);
    const ExitCode code = run.inconclusive.has_value() ? ExitCode::kInconclusive : ExitCode::kPass;
    const ExitCode printed =
        Print(settings_.json ? ToJson(result.report)
                             : ToText(result.report, explained, TextOptionsForStdout()) +
                                   fmt::format("trace hash 0x{:016x}\n", run.trace_hash));
    return Combine(Combine(code, printed), ExitCodeOfReplay(result.report));
  }

  std::vector<reports::Counterexample> ExplainAll(const RunResult& run,
                                                  CampaignResult& result) const {
    std::vector<reports::Counterexample> explained;
    if (run.violations.empty()) return explained;
    for (Found& found : result.found) {
      found.original = workload_;
      found.workload = workload_;
      found.tape = tape_;
      found.token = token_text_;
      explained.push_back(Explain(found, registry_.program()).counterexample);
    }
    return explained;
  }

  /// Here a violation is what was asked about, expected or not; what was not exercised says
  /// nothing.
  static ExitCode ExitCodeOfReplay(const reports::RunReport& report) {
    ExitCode code = ExitCode::kPass;
    for (const reports::ResultRow& row : report.results) {
      if (row.verdict == reports::Verdict::kViolated) code = ExitCode::kViolated;
    }
    return report.totals.divergences > 0 ? ExitCode::kInternal : code;
  }

  const Settings& settings_;
  const Registry& registry_;
  std::string token_text_;
  ReplayToken token_;
  Unit unit_;
  Workload workload_;
  sim::Tape tape_;
};

}  // namespace

void AddReplayCommand(CLI::App& app, const Registry& registry, Work& work) {
  CLI::App* command = app.add_subcommand(
      "replay", "run one case again, exactly; exits 1 if it violates a property");
  auto settings = std::make_shared<Settings>();
  command->add_option("case", settings->what, "a token (v2:...) or a counterexample file")
      ->required();
  command->add_flag("--json", settings->json, "print run.json instead of text");
  command->add_option("--watchdog", settings->watchdog, "real seconds that the run may take")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->callback([settings, &registry, &work] {
    work = [settings, &registry] { return Replay(*settings, registry).Run(); };
  });
}

}  // namespace interlock::scenarios::cli
