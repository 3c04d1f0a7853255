// SPDX-License-Identifier: MIT
#include "scenarios/log/story.h"

#include <fmt/format.h>

#include "reports/text_layout.h"

namespace interlock::scenarios {
std::string StoryOf(const Scenario& scenario, const harness::Subject& subject,
                    const History& history) {
  const auto own = [&](int client) {
    return static_cast<std::size_t>(client) < scenario.pinned.front().clients.size();
  };
  std::size_t leases = 0;
  std::size_t refusals = 0;
  std::size_t others = 0;
  for (const Attempt& attempt : history.attempts) {
    if (!own(attempt.client)) continue;
    const bool no =
        attempt.answer == StatusCode::kNotAcquired || attempt.answer == StatusCode::kTimeout;
    std::size_t& count = attempt.answered == kOpen           ? others
                         : attempt.answer == StatusCode::kOk ? leases
                         : no                                ? refusals
                                                             : others;
    ++count;
  }
  std::string story =
      fmt::format("{} {}: {}, {}", scenario.name, subject.name(), reports::Count(leases, "lease"),
                  reports::Count(refusals, "refusal"));
  if (others > 0) story += fmt::format(", {}", reports::Count(others, "other answer"));
  for (const ClientHold& hold : history.holds) {
    if (!own(hold.client) || hold.release_returned == kOpen) continue;
    story += hold.release_status == StatusCode::kOk
                 ? ", winner's lease released: ok"
                 : fmt::format(", winner's lease lost before release: {}",
                               ToString(hold.release_status));
  }
  return story;
}

}  // namespace interlock::scenarios
