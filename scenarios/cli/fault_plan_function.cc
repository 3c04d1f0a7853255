// SPDX-License-Identifier: MIT
#include <interlock/harness/fault_plan.h>

#include <algorithm>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/cli/program_verdict.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_report.h"

namespace interlock::harness {
namespace {

/// Of the token's case, shrunk as far as this program lets it; not violated if it does not fail.
SimulateVerdict VerdictOn(const std::string& token, const Program& program, int shrink_runs) {
  const auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return scenarios::cli::WithoutVerdict(calm.status().message());
  const auto one = scenarios::CaseIn(token, program, *calm);
  if (!one.ok()) return scenarios::cli::WithoutVerdict(one.status().message());
  return scenarios::cli::VerdictOf(program, scenarios::ResultOf(program, *one, 1, shrink_runs));
}

}  // namespace

struct FaultPlan::Memory {
  std::uint64_t seed = 0;
  std::string token;
};

FaultPlan::FaultPlan(std::uint64_t seed) : FaultPlan(seed, "") {}

FaultPlan::FaultPlan(std::uint64_t seed, std::string token)
    : memory_(std::make_shared<Memory>(Memory{seed, std::move(token)})) {}

std::uint64_t FaultPlan::seed() const { return memory_->seed; }
const std::string& FaultPlan::token() const { return memory_->token; }

std::string FaultPlan::ToString() const {
  const auto one = scenarios::PackedRunIn(token());
  if (!one.has_value()) return fmt::format("seed {}", seed());
  const std::vector<std::string> faults = scenarios::FaultLines(one->workload);
  return fmt::format("{}; harness::Replay(program, \"{}\")",
                     faults.empty() ? "no faults" : fmt::format("{}", fmt::join(faults, ", ")),
                     token());
}

std::ostream& operator<<(std::ostream& out, const FaultPlan& plan) {
  return out << plan.ToString();
}

SimulateVerdict Simulate(const Program& program, const FaultPlan& plan,
                         const SimulateOptions& options) {
  SimulateVerdict verdict;
  if (!plan.token().empty()) {
    verdict = VerdictOn(plan.token(), program, std::max(options.shrink_runs, 0));
  }
  if (!verdict.violated) {
    SimulateOptions with_seed = options;
    with_seed.seed = plan.seed();
    verdict = Simulate(program, with_seed);
  }
  if (verdict.violated) plan.memory_->token = verdict.token;
  return verdict;
}

}  // namespace interlock::harness
