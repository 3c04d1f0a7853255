// SPDX-License-Identifier: MIT
#include "scenarios/judge/liveness_bound.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/log/words.h"

namespace interlock::scenarios {

Duration LivenessBound(const LivenessTerms& terms) {
  const Duration leased = terms.lease + terms.waiters * terms.hold;
  // Rounded up: a bound one nanosecond short would convict a correct lock.
  const Duration slow((leased.count() / 1'000'000 + 1) * terms.rate_ppm);
  return leased + (terms.rate_ppm > 0 ? slow : Duration{}) + terms.waiters * terms.hand_over +
         terms.retry;
}

std::string LivenessInWords(const LivenessTerms& terms) {
  const std::string rate =
      terms.rate_ppm > 0 ? fmt::format(" x (1 + {} ppm)", terms.rate_ppm) : std::string();
  return fmt::format("{} = (lease {} + {} x hold {}){} + {} x hand-over {} + retry {}",
                     Instant(LivenessBound(terms)), Instant(terms.lease), terms.waiters,
                     Instant(terms.hold), rate, terms.waiters, Instant(terms.hand_over),
                     Instant(terms.retry));
}

Duration LongestUse(const Workload& workload, bool renews) {
  Duration longest = workload.lease / 4;  // a probe's
  for (const ClientPlan& client : workload.clients) {
    for (const Operation& operation : client.operations) {
      // Extended once, half-way; nobody stays inside when the validity is over.
      const Duration most = operation.extend ? 2 * workload.lease : workload.lease;
      // A write to the guarded resource is awaited as long as the lease is valid.
      const bool to_its_end = operation.overstay.count() > 0 || workload.guard != GuardKind::kNone;
      longest = std::max(longest, to_its_end ? most : std::min(operation.hold, most));
      if (renews) longest = std::max(longest, most + operation.hold + operation.overstay);
    }
  }
  return longest;
}

}  // namespace interlock::scenarios
