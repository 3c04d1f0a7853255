// SPDX-License-Identifier: MIT
#include "scenarios/oracles/termination.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/oracles/words.h"

namespace interlock::scenarios {
namespace {

bool StoodStill(const History& history, const Attempt& attempt) {
  return std::any_of(history.pauses.begin(), history.pauses.end(), [&](const Disturbance& pause) {
    return pause.client == attempt.client && pause.at >= attempt.asked &&
           pause.at <= attempt.answered;
  });
}

std::int64_t GrantsToOthers(const History& history, const Attempt& attempt, VirtualTime until) {
  return std::count_if(history.holds.begin(), history.holds.end(), [&](const ClientHold& hold) {
    const VirtualTime from = hold.belief.front().from;
    return hold.client != attempt.client && attempt.asked <= from && from <= until;
  });
}

}  // namespace

void JudgeTermination(const History& history, Duration overrun_bound,
                      std::vector<Violation>& violations) {
  const Attempt* first = nullptr;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.deadline == kOpen || Died(history, attempt.client)) continue;
    if (std::min(attempt.answered, history.end) <= attempt.deadline + overrun_bound) continue;
    if (StoodStill(history, attempt)) continue;
    if (first == nullptr || attempt.deadline < first->deadline) first = &attempt;
  }
  if (first == nullptr) return;
  const VirtualTime due = first->deadline + overrun_bound;
  violations.push_back(
      {Judged::kTermination, due, first->client,
       first->answered == kOpen
           ? fmt::format("{} asked with a deadline of {} and has no answer at {}; {} late is the "
                         "lock's own bound",
                         Client(first->client), Instant(first->deadline), Instant(history.end),
                         Instant(overrun_bound))
           : fmt::format("{} asked with a deadline of {} and was answered at {}; {} late is the "
                         "lock's own bound",
                         Client(first->client), Instant(first->deadline), Instant(first->answered),
                         Instant(overrun_bound))});
}

std::int64_t MostCommands(std::int64_t commands_per_lease, Duration lease, Duration waited,
                          std::int64_t grants) {
  const std::int64_t leases = waited / lease + 1;
  return leases * commands_per_lease + grants * kCommandsPerGrant;
}

void JudgeStorm(const History& history, std::int64_t commands_per_lease,
                std::vector<Violation>& violations) {
  std::optional<Violation> worst;
  std::int64_t worst_excess = 0;
  for (const Attempt& attempt : history.attempts) {
    const VirtualTime until =
        std::min({attempt.answered, history.end, DiedAt(history, attempt.client, attempt.asked)});
    const Duration waited = std::max(until - attempt.asked, Duration{});
    const std::int64_t grants = GrantsToOthers(history, attempt, until);
    const std::int64_t most = MostCommands(commands_per_lease, history.lease, waited, grants);
    if (attempt.commands - most <= worst_excess) continue;
    worst_excess = attempt.commands - most;
    worst = Violation{
        Judged::kTermination, until, attempt.client,
        fmt::format("{} sent {} commands from {} until {} while {} others were granted; the "
                    "bound is {} = {} for each lease of {} that has begun + {} for each grant",
                    Client(attempt.client), attempt.commands, Instant(attempt.asked),
                    Instant(until), grants, most, commands_per_lease, Instant(history.lease),
                    kCommandsPerGrant)};
  }
  if (worst.has_value()) violations.push_back(std::move(*worst));
}

std::string WhyStepsRanOut(const History& history) {
  std::int64_t commands = 0;
  for (const Attempt& attempt : history.attempts) commands += attempt.commands;
  return fmt::format(
      "the step limit was reached at {}: {} requests sent {} commands, each within "
      "its bound; the run is too long to be judged",
      Instant(history.end), history.attempts.size(), commands);
}

}  // namespace interlock::scenarios
