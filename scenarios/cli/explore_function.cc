// SPDX-License-Identifier: MIT
#include <interlock/harness/explore.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cli/explore_report.h"
#include "scenarios/cli/explore_request.h"

namespace interlock::harness {
namespace {

scenarios::cli::ExploreRequest RequestOf(const ExploreOptions& options,
                                         scenarios::GuardKind writes) {
  scenarios::cli::ExploreRequest request;
  request.bounds.writes = writes;
  request.scenario = options.scenario;
  request.synchrony = options.synchrony;
  request.property = options.property;
  request.bounds.clients = options.clients;
  request.bounds.attempts = options.attempts;
  request.bounds.resources = options.resources;
  request.bounds.masters = options.masters;
  request.bounds.readers = options.readers;
  request.bounds.setters = options.setters;
  request.bounds.other_limits = options.other_limits;
  request.bounds.follow = options.follow;
  request.bounds.life = options.life;
  request.bounds.nest = options.nest;
  request.bounds.waits = options.waits;
  request.bounds.extend = options.extend;
  request.bounds.overstay = options.overstay;
  request.bounds.wait = options.wait;
  request.bounds.hold = options.hold;
  request.bounds.think = options.think;
  request.bounds.expiries = options.expiries;
  request.crashes = options.crashes;
  request.lost_replies = options.lost_replies;
  request.lost_requests = options.lost_requests;
  request.silent_losses = options.silent_losses;
  request.pauses = options.pauses;
  request.short_pauses = options.short_pauses;
  request.bounds.failovers = options.failovers;
  request.bounds.restarts = options.restarts;
  return request;
}

/// Which number is out of its range; empty: none.
std::string WhyNot(const ExploreOptions& options) {
  struct Number {
    std::string_view name;
    int value;
    int least;
    int most;
  };
  const auto given = [](const std::optional<int>& faults) { return faults.value_or(0); };
  const Number numbers[] = {
      {"clients", options.clients, 1, 8},
      {"attempts", options.attempts, 1, 8},
      {"resources", options.resources, 1, scenarios::kMostResources},
      {"masters", options.masters, options.masters == 0 ? 0 : 3, scenarios::kMostNodes},
      {"readers", options.readers, 0, 8},
      {"setters", options.setters, 0, 8},
      {"other_limits", options.other_limits, 0, 8},
      {"life", options.life, 0, 1000},
      {"overstay", options.overstay, 0, 1000},
      {"wait", options.wait, 1, 1000},
      {"hold", options.hold, 1, 1000},
      {"think", options.think, 0, 1000},
      {"expiries", options.expiries, 0, 8},
      {"crashes", given(options.crashes), 0, 8},
      {"lost_replies", given(options.lost_replies), 0, 8},
      {"lost_requests", given(options.lost_requests), 0, 8},
      {"silent_losses", given(options.silent_losses), 0, 8},
      {"pauses", given(options.pauses), 0, 8},
      {"short_pauses", given(options.short_pauses), 0, 8},
      {"failovers", options.failovers, 0, 8},
      {"restarts", options.restarts, 0, 8}};
  for (const auto& [name, value, least, most] : numbers) {
    if (value >= least && value <= most) continue;
    return fmt::format("invalid {} {}: expected {} to {}", name, value, least, most);
  }
  return "";
}

}  // namespace

ExploreVerdict Explore(std::shared_ptr<const Subject> subject, const ExploreOptions& options) {
  ExploreVerdict verdict;
  if (subject == nullptr) {
    verdict.text = "the subject is null";
    return verdict;
  }
  verdict.text = WhyNot(options);
  if (!verdict.text.empty()) return verdict;
  const auto writes = scenarios::GuardKindFromText(options.writes);
  if (!writes) {
    verdict.text =
        "invalid writes \"" + options.writes + "\"; expected none, unfenced, fenced or checked";
    return verdict;
  }
  const scenarios::Entry entry{std::move(subject), false, {}, true};
  auto resolved = scenarios::cli::Resolve(RequestOf(options, *writes), entry);
  if (!resolved.ok()) {
    verdict.text = resolved.status().message();
    return verdict;
  }
  resolved->jobs = std::max(1, options.jobs);
  resolved->budget = options.budget;
  const scenarios::Exploration exploration = scenarios::Explore(*resolved);
  const auto report = scenarios::cli::MakeReport(exploration, *resolved, entry, options.program);
  verdict.passed = scenarios::cli::ExitCodeOf(exploration) == reports::ExitCode::kPass;
  verdict.violated = scenarios::cli::ExitCodeOf(exploration) == reports::ExitCode::kViolated;
  verdict.states = exploration.progress.states;
  if (report.found) verdict.token = report.found->token;
  verdict.text = ToText(report, reports::TextOptions{});
  return verdict;
}

}  // namespace interlock::harness
