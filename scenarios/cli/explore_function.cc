// SPDX-License-Identifier: MIT
#include <interlock/harness/explore.h>

#include <algorithm>
#include <utility>

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
  request.bounds.clients = std::clamp(options.clients, 1, 8);
  request.bounds.attempts = std::clamp(options.attempts, 1, 8);
  request.bounds.resources = std::clamp(options.resources, 1, scenarios::kMostResources);
  request.bounds.masters =
      options.masters > 0 ? std::clamp(options.masters, 3, scenarios::kMostNodes) : 0;
  request.bounds.readers = std::clamp(options.readers, 0, 8);
  request.bounds.setters = std::clamp(options.setters, 0, 8);
  request.bounds.other_limits = std::clamp(options.other_limits, 0, 8);
  request.bounds.follow = options.follow;
  request.bounds.life = std::clamp(options.life, 0, 1000);
  request.bounds.nest = options.nest;
  request.bounds.waits = options.waits;
  request.bounds.extend = options.extend;
  request.bounds.overstay = std::clamp(options.overstay, 0, 1000);
  request.bounds.wait = std::clamp(options.wait, 1, 1000);
  request.bounds.hold = std::clamp(options.hold, 1, 1000);
  request.bounds.think = std::clamp(options.think, 0, 1000);
  request.bounds.expiries = options.expiries;
  request.crashes = options.crashes;
  request.lost_replies = options.lost_replies;
  request.lost_requests = options.lost_requests;
  request.silent_losses = options.silent_losses;
  request.pauses = options.pauses;
  request.short_pauses = options.short_pauses;
  request.bounds.failovers = std::clamp(options.failovers, 0, 8);
  request.bounds.restarts = std::clamp(options.restarts, 0, 8);
  return request;
}

}  // namespace

ExploreVerdict Explore(std::shared_ptr<const Subject> subject, const ExploreOptions& options) {
  ExploreVerdict verdict;
  if (subject == nullptr) {
    verdict.text = "the subject is null";
    return verdict;
  }
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
