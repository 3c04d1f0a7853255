// SPDX-License-Identifier: MIT
#include "scenarios/judge/kept_alive.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Whether its holder was alive, and had not begun to give it back, when it expired.
bool WasInUse(const History& history, const ServerHold& entry) {
  return std::ranges::any_of(history.holds, [&](const ClientHold& hold) {
    return entry.IsOf(hold) && hold.told_at() < entry.promised_until &&
           hold.used_until() > entry.promised_until &&
           DiedAt(history, hold.client) > entry.promised_until;
  });
}

/// Tolerance for different clock rates and rounding to milliseconds.
Duration Slack(const History& history) { return history.lease / 8; }

/// The hold starts a little later than the grant, and a short remainder is not renewed.
bool RanOutTooSoon(const History& history, const ServerHold& entry, const KeptAlive& said) {
  return entry.end == ServerHoldEnd::kExpired &&
         entry.promised_until - entry.granted < said.at_least - Slack(history) &&
         WasInUse(history, entry);
}

/// The hold starts when the holder learns of it, and a renewal takes time too.
bool WasKeptTooLong(const History& history, const ServerHold& entry, const KeptAlive& said) {
  if (!said.at_most.has_value()) return false;
  const Duration longest = *said.at_most + 2 * history.latency + Slack(history);
  if (entry.promised_until - entry.granted <= longest) return false;
  return std::ranges::none_of(history.renewals, [&](const Renewal& asked) {
    return asked.client == entry.client && asked.called <= entry.ended &&
           asked.called >= entry.granted;
  });
}

/// Until when the faults before `until` may have kept the client from reaching a server.
VirtualTime HinderedUntil(const History& history, int client, VirtualTime until, Duration overrun) {
  VirtualTime last{};
  for (const Disturbance& fault : history.disturbances) {
    if (fault.client != client || fault.at > until) continue;
    last = std::max(last, fault.at + (fault.unheard ? overrun : Duration{}));
  }
  for (const Delay& outage : history.outages) {
    if (outage.client != client || outage.interval.from > until) continue;
    last = std::max(last, outage.interval.to + overrun);
  }
  return last;
}

/// Whether the lease could have been kept, whatever faults met its client.
bool WasGivenUp(const History& history, const ServerHold& entry, const KeptAlive& said) {
  if (history.server_changed) return false;
  const VirtualTime end = entry.promised_until;
  const VirtualTime hindered = HinderedUntil(history, entry.client, end, said.overrun);
  const VirtualTime silent_from = std::max({entry.renewed, entry.last_sent, hindered});
  return end - silent_from > LeaseOf(history, entry.client) * 5 / 8;
}

Violation RanOut(const ServerHold& entry, bool met, const KeptAlive& said) {
  const std::string why =
      met ? fmt::format(
                "though the lock could speak to the server again and has sent nothing "
                "since {}",
                Instant(std::max(entry.renewed, entry.last_sent)))
          : std::string("though no fault had met its client");
  return Violated(Judged::kFalseValidity, entry.promised_until, entry.client,
                  "the lease of {}, granted at {}, ran out at {} while it was held, {}; the lock "
                  "says that it renews it for {} at least",
                  ClientName(entry.client), entry.granted, entry.promised_until, why,
                  said.at_least);
}

Violation KeptTooLong(const ServerHold& entry, const KeptAlive& said) {
  return Violated(Judged::kFalseValidity, entry.renewed, entry.client,
                  "the lease of {}, granted at {}, was prolonged at {} until {}, though the lock "
                  "says that it renews it for {} at most",
                  ClientName(entry.client), entry.granted, entry.renewed, entry.promised_until,
                  *said.at_most);
}

}  // namespace

KeptAlive KeptAliveBy(const harness::Subject& subject, const harness::LockOptions& options) {
  if (!subject.traits().renews) return {};
  return {subject.KeptAliveFor(options), subject.KeptAliveAtMost(options),
          subject.OverrunBound(options)};
}

void JudgeKeptAlive(const History& history, const KeptAlive& said,
                    std::vector<Violation>& violations) {
  if (history.server_clock_moved) return;
  std::optional<Violation> short_one;
  std::optional<Violation> long_one;
  for (const ServerHold& entry : history.server_holds) {
    if (entry.copied || entry.promised_until == kOpen) continue;
    const bool met = AnyMet(history.disturbances, entry.client, {}, entry.promised_until);
    if (RanOutTooSoon(history, entry, said) && (!met || WasGivenUp(history, entry, said))) {
      KeepEarlier(RanOut(entry, met, said), short_one);
    }
    if (!met && WasKeptTooLong(history, entry, said)) {
      KeepEarlier(KeptTooLong(entry, said), long_one);
    }
  }
  if (short_one.has_value()) violations.push_back(std::move(*short_one));
  if (long_one.has_value()) violations.push_back(std::move(*long_one));
}

}  // namespace interlock::scenarios
