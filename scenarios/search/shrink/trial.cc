// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/trial.h"

#include <algorithm>
#include <utility>

#include "scenarios/cases/replay_token.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/shrink/aimed_source.h"
#include "scenarios/search/shrink/passes.h"

namespace interlock::scenarios {
namespace {

/// The properties that may name a run, including the one in question.
std::vector<Judged> PromisedBy(const RunCase& run_case, std::optional<Judged> property) {
  std::vector<Judged> promised;
  if (property.has_value()) promised.push_back(*property);
  for (const Judged judged : JudgedFor(*run_case.scenario, *run_case.subject)) {
    if (judged != property && IsPromised(judged, run_case)) promised.push_back(judged);
  }
  return promised;
}

const Violation* Earliest(const RunResult& run, const std::vector<Judged>& promised) {
  for (const Violation& violation : run.violations) {
    if (std::find(promised.begin(), promised.end(), violation.property) != promised.end()) {
      return &violation;
    }
  }
  return nullptr;
}

std::uint64_t HashOf(const Workload& workload, const sim::Tape& tape) {
  return sim::HashBytes(Encode({"", "", SynchronyClass::kNone, PackedRun{workload, tape}}), 0);
}

/// In the order of the workload's fault plan.
std::vector<std::optional<Target>> AllTargets(const Aimed& one) {
  std::vector<std::optional<Target>> all;
  for (const auto& of_client : one.targets)
    all.insert(all.end(), of_client.begin(), of_client.end());
  return all;
}

/// The hash of the case; without targets, it is that of the plain workload.
std::uint64_t HashOf(const Aimed& one, const sim::Tape& tape) {
  std::uint64_t hash = HashOf(one.workload, tape);
  const auto targets = AllTargets(one);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto& target = targets[i];
    if (!target) continue;
    hash = sim::HashNumber(i << 8 | static_cast<std::uint64_t>(target->kind), hash);
    hash = sim::HashNumber(PlaceOf(target->operation, target->part), hash);
    hash = sim::HashNumber(static_cast<std::uint64_t>(target->nth), hash);
  }
  return hash;
}

std::vector<AimedFault> FaultsOf(const Aimed& one) {
  std::vector<AimedFault> faults;
  const auto targets = AllTargets(one);
  for (const sim::Fault& fault : FaultPlanOf(one.workload)) {
    faults.push_back({fault, targets[faults.size()]});
  }
  return faults;
}

/// The case with only those faults that struck.
Aimed WithStruck(Workload bare, const std::vector<AimedFault>& faults) {
  Aimed one = ByNumber(std::move(bare));
  for (const AimedFault& its_own : faults) {
    const sim::Fault& fault = its_own.fault;
    if (!its_own.struck) continue;
    const auto client = static_cast<std::size_t>(fault.process);
    one.workload.clients[client].faults.push_back(
        {fault.kind, fault.step, fault.length, fault.node});
    one.targets[client].push_back(its_own.target);
  }
  return one;
}

/// Whether each aimed fault struck, and at its planned step.
bool AsNumbered(const Aimed& one, const std::vector<AimedFault>& faults) {
  const sim::FaultPlan planned = FaultPlanOf(one.workload);
  const auto targets = AllTargets(one);
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (!targets[i]) continue;
    if (!faults[i].struck || faults[i].fault.step != planned[i].step) return false;
  }
  return true;
}

}  // namespace

reports::Size SizeOf(const TrialCase& one) {
  reports::Size size;
  size.clients = one.workload.clients.size();
  for (const ClientPlan& client : one.workload.clients) {
    size.faults += client.faults.size();
    size.operations += client.operations.size();
  }
  size.switches = SwitchesIn(one.tape);
  return size;
}

const Violation* NamingViolation(const RunResult& run, const RunCase& run_case, Judged property) {
  return Earliest(run, PromisedBy(run_case, property));
}

const Violation* NamingViolation(const RunResult& run, const RunCase& run_case) {
  const Violation* naming = Earliest(run, PromisedBy(run_case, std::nullopt));
  return naming == nullptr && !run.violations.empty() ? &run.violations.front() : naming;
}

Trial::Trial(sim::Universe& universe, const RunCase& run_case, Judged property, int budget,
             const std::atomic<bool>* stop)
    : universe_(universe),
      case_(run_case),
      property_(property),
      promised_(PromisedBy(run_case, property)),
      budget_(budget),
      stop_(stop) {}

RunResult Trial::Run(const Workload& workload, sim::Choices& choices, bool keep_events) {
  ++tries_;
  GuardProgress();
  RunResult run = RunOnce(universe_, case_, workload, choices, keep_events);
  spent_ += 1 + static_cast<int>(run.commands) / kCommandsOfOne;
  return run;
}

bool Trial::Confirm(const TrialCase& one, int times) {
  std::optional<std::uint64_t> hash;
  for (int i = 0; i < times && !ended(); ++i) {
    sim::Choices choices = sim::Choices::FromTape(one.tape);
    const RunResult run = Run(one.workload, choices);
    if (run.Find(property_) == nullptr || hash.value_or(run.trace_hash) != run.trace_hash) {
      return false;
    }
    hash = run.trace_hash;
    named_ = Code(Earliest(run, promised_)->property);
  }
  return true;
}

bool Trial::SameReason(const RunResult& run) {
  if (run.Find(property_) == nullptr) return false;
  const std::string_view own = Code(property_);
  const std::string_view name = Code(Earliest(run, promised_)->property);
  if (name != own && name != named_) return false;
  named_ = name;
  return true;
}

RunResult Trial::RunAgain(const TrialCase& one) {
  sim::Choices choices = sim::Choices::FromTape(one.tape);
  return Run(one.workload, choices, true);
}

template <typename Case>
void Trial::NotePassed(const Case& one, std::uint64_t hash, const sim::Tape& tape,
                       const sim::Tape& drawn) {
  passed_.insert(hash);
  if (tape.size() > 0 && drawn.size() == 0) passed_.insert(HashOf(one, drawn));
}

std::optional<sim::Tape> Trial::Fails(const Workload& workload, const sim::Tape& tape) {
  if (ended()) return std::nullopt;
  const std::uint64_t hash = HashOf(workload, tape);
  if (passed_.contains(hash)) return std::nullopt;
  sim::Choices choices = sim::Choices::FromTape(tape);
  const bool fails = FailsWith(workload, choices);
  sim::Tape drawn = choices.TakeTape();
  if (fails) return drawn;
  NotePassed(workload, hash, tape, drawn);
  return std::nullopt;
}

bool Trial::FailsWith(const Workload& workload, sim::Choices& choices) {
  return !ended() && SameReason(Run(workload, choices));
}

AimedOutcome Trial::FailsAimed(const Aimed& one, const sim::Tape& tape) {
  AimedOutcome outcome;
  if (ended()) return outcome;
  const std::uint64_t hash = HashOf(one, tape);
  if (passed_.contains(hash)) return outcome;
  outcome = FailsAimedWith(one, std::make_unique<sim::TapeSource>(tape));
  if (!outcome.fails) NotePassed(one, hash, tape, outcome.tape);
  return outcome;
}

AimedOutcome Trial::FailsAimedWith(const Aimed& one, std::unique_ptr<sim::ChoiceSource> choices) {
  AimedOutcome outcome;
  if (ended()) return outcome;
  std::vector<AimedFault> faults = FaultsOf(one);
  if (!faults.empty()) choices = std::make_unique<AimedSource>(std::move(choices), faults);
  Workload bare = one.workload;
  for (ClientPlan& client : bare.clients) client.faults.clear();
  sim::Choices made = sim::Choices::FromSource(std::move(choices));
  const RunResult run = Run(bare, made);
  outcome.as_numbered = AsNumbered(one, faults);
  outcome.tape = made.TakeTape();
  outcome.drew = made.draws() > 0;
  outcome.fails = SameReason(run);
  if (outcome.fails) outcome.one = WithStruck(std::move(bare), faults);
  return outcome;
}

}  // namespace interlock::scenarios
