// SPDX-License-Identifier: MIT
#include <interlock/harness/explore_program.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/program/program_exploration.h"
#include "scenarios/search/program/program_report.h"
#include "scenarios/search/program/program_search.h"

namespace interlock::harness {
namespace {

constexpr int kMostTries = 2000;  // runs to shrink what was found

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

Result<scenarios::ExploredProgram> WhatToExplore(const Program& program,
                                                 const ExploreProgramOptions& options) {
  if (program.posix) return Bad("posix clients cannot be explored; Simulate tries them");
  auto calm = scenarios::CalmWorkload(program);
  if (!calm.ok()) return calm.status();
  auto limits = scenarios::FaultLimits(options.faults, *calm, scenarios::ServerOf(program));
  if (!limits.ok()) return limits.status();
  for (const scenarios::FaultLimit& limit : *limits) {
    if (scenarios::IsExplorable(limit.kind)) continue;
    return Bad(
        fmt::format("the fault {} cannot be explored, because no time passes by itself there; "
                    "Simulate tries it",
                    ToString(limit.kind)));
  }
  scenarios::ExploredProgram explored{*std::move(calm), *std::move(limits), options.pauses};
  explored.workload.latency_max = Duration{};
  if (explored.pauses.empty()) explored.pauses.push_back(program.lease * 5 / 4);
  for (const Duration pause : explored.pauses) {
    if (pause.count() > 0) continue;
    return Bad(fmt::format("invalid pause of {} ns; expected more than 0", pause.count()));
  }
  return explored;
}

/// "2 clients, <= 1 crash, <= 1 pause of 1250.000 ms".
std::string BoundsOf(const scenarios::ExploredProgram& explored) {
  const std::size_t clients = explored.workload.clients.size();
  std::string text = fmt::format("{} client{}", clients, clients == 1 ? "" : "s");
  for (const scenarios::FaultLimit& limit : explored.limits) {
    text += fmt::format(", <= {} {}", limit.most, ToString(limit.kind));
    if (!scenarios::HasExploredLengths(limit.kind)) continue;
    for (std::size_t i = 0; i < explored.pauses.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " of " : " or ", scenarios::Instant(explored.pauses[i]));
    }
  }
  return explored.limits.empty() ? text + ", no faults" : text;
}

}  // namespace

ExploreVerdict Explore(const Program& program, const ExploreProgramOptions& options) {
  ExploreVerdict verdict;
  const auto explored = WhatToExplore(program, options);
  if (!explored.ok()) {
    verdict.text = explored.status().message() + "\n";
    return verdict;
  }
  scenarios::ProgramExplorationLimits limits;
  limits.most_states = options.most_states;
  if (options.budget) limits.deadline = std::chrono::steady_clock::now() + *options.budget;
  const scenarios::ProgramExploration exploration =
      scenarios::ExploreProgram(program, *explored, limits);
  verdict.passed = exploration.complete;
  verdict.violated = exploration.found.has_value();
  verdict.states = exploration.states;
  const std::string bounds = BoundsOf(*explored);
  if (verdict.passed) {
    verdict.text = fmt::format("{}: no violation: {}; {} states, {} runs\n", program.name, bounds,
                               exploration.states, exploration.runs);
  } else if (!verdict.violated) {
    verdict.text =
        fmt::format("{}: no verdict: {}: {}\n", program.name, bounds, exploration.no_verdict);
  } else {
    const scenarios::ProgramSearchResult found =
        scenarios::ResultOf(program, *exploration.found, exploration.runs, kMostTries);
    verdict.token = scenarios::TokenOf(found.found->shrunk.smallest, program);
    verdict.text =
        scenarios::TextOf(scenarios::CounterexampleOf(program, found), verdict.token) +
        fmt::format("{}: violated: {}; no run with fewer faults is\n", program.name, bounds);
  }
  return verdict;
}

}  // namespace interlock::harness
