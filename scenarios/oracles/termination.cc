// SPDX-License-Identifier: MIT
#include "scenarios/oracles/termination.h"

#include <algorithm>

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

}  // namespace interlock::scenarios
