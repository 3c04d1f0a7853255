// SPDX-License-Identifier: MIT
#include "scenarios/judge/validity.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/earliest.h"
#include "scenarios/judge/words.h"

namespace interlock::scenarios {
namespace {

std::optional<std::string> WhyFalse(const History& history, const ClientHold& hold) {
  if (hold.sent == kOpen) {
    if (!history.ownership_seen || hold.token.empty()) return std::nullopt;
    return std::string("the server had never granted it");
  }
  const Duration left = history.lease - hold.elapsed - history.drift_allowance;
  if (left > Duration{}) return std::nullopt;
  return fmt::format("its request had gone out {} before on its own clock, and the lease is {}",
                     Instant(hold.elapsed), Instant(history.lease));
}

std::string_view WhyWrong(const LossCall& call, const LossCall* before) {
  if (call.released) return "and it had given it back";
  if (before != nullptr) return "and had been called already";
  return call.lost ? "" : "and it was not";
}

void JudgeLossCalls(const History& history, std::vector<Violation>& violations) {
  std::optional<Violation> first;
  for (const ClientHold& hold : history.holds) {
    const LossCall* before = nullptr;
    for (const LossCall& call : hold.loss_calls) {
      const std::string_view wrong = WhyWrong(call, before);
      before = &call;
      if (wrong.empty()) continue;
      KeepEarlier(Violation{Judged::kFalseValidity, call.at, hold.client,
                            fmt::format("{} was called at {} because its lease is lost, {}",
                                        ClientName(hold.client), Instant(call.at), wrong)},
                  first);
    }
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

/// Its holder lived, and had not begun to give it back when it ran out.
bool WasInUse(const History& history, const ServerHold& entry) {
  return std::any_of(history.holds.begin(), history.holds.end(), [&](const ClientHold& hold) {
    return hold.client == entry.client && hold.token == entry.token &&
           hold.belief.front().from < entry.promised_until &&
           hold.release_called > entry.promised_until &&
           DiedAt(history, hold.client) > entry.promised_until;
  });
}

/// What clocks of different rates, and whole milliseconds, may make of a lease.
Duration Slack(const History& history) { return history.lease / 8; }

/// The hold is counted from a little later than the grant, and what is short is not renewed.
bool RanOutTooSoon(const History& history, const ServerHold& entry, const KeptAlive& said) {
  return entry.end == ServerHoldEnd::kExpired &&
         entry.promised_until - entry.granted < said.at_least - Slack(history) &&
         WasInUse(history, entry);
}

/// The hold is counted from when the holder knew of it, and a renewal takes its time, too.
bool WasKeptTooLong(const History& history, const ServerHold& entry, const KeptAlive& said) {
  if (!said.at_most.has_value()) return false;
  const Duration longest = *said.at_most + 2 * history.latency + Slack(history);
  if (entry.promised_until - entry.granted <= longest) return false;
  return std::none_of(history.renewals.begin(), history.renewals.end(), [&](const Renewal& asked) {
    return asked.client == entry.client && asked.called <= entry.ended &&
           asked.called >= entry.granted;
  });
}

bool WasMet(const History& history, int client, VirtualTime until) {
  return std::any_of(
      history.disturbances.begin(), history.disturbances.end(),
      [&](const Disturbance& fault) { return fault.client == client && fault.at <= until; });
}

}  // namespace

void JudgeFalseValidity(const History& history, std::vector<Violation>& violations) {
  JudgeLossCalls(history, violations);
  const ClientHold* first = nullptr;
  std::string why;
  for (const ClientHold& hold : history.holds) {
    if (first != nullptr && first->belief.front().from <= hold.belief.front().from) continue;
    if (auto found = WhyFalse(history, hold)) {
      first = &hold;
      why = std::move(*found);
    }
  }
  if (first == nullptr) return;
  const VirtualTime at = first->belief.front().from;
  violations.push_back({Judged::kFalseValidity, at, first->client,
                        fmt::format("{} was told \"granted\" at {}, though {}",
                                    ClientName(first->client), Instant(at), why)});
}

KeptAlive KeptAliveBy(const harness::Subject& subject, const harness::LockOptions& options) {
  if (!subject.traits().renews) return {};
  return {subject.KeptAliveFor(options), subject.KeptAliveAtMost(options)};
}

void JudgeKeptAlive(const History& history, const KeptAlive& said,
                    std::vector<Violation>& violations) {
  if (history.server_clock_moved) return;
  std::optional<Violation> short_one;
  std::optional<Violation> long_one;
  for (const ServerHold& entry : history.server_holds) {
    if (entry.copied || entry.promised_until == kOpen) continue;
    const bool too_soon = RanOutTooSoon(history, entry, said);
    const bool too_long = WasKeptTooLong(history, entry, said);
    if (!too_soon && !too_long) continue;
    if (WasMet(history, entry.client, entry.promised_until)) continue;
    if (too_soon) {
      KeepEarlier(Violation{Judged::kFalseValidity, entry.promised_until, entry.client,
                            fmt::format("the lease of {}, granted at {}, ran out at {} while it "
                                        "was held, though no fault had met its client and the lock "
                                        "says that it renews it for {} at least",
                                        ClientName(entry.client), Instant(entry.granted),
                                        Instant(entry.promised_until), Instant(said.at_least))},
                  short_one);
    }
    if (too_long) {
      KeepEarlier(Violation{Judged::kFalseValidity, entry.renewed, entry.client,
                            fmt::format("the lease of {}, granted at {}, was prolonged at {} until "
                                        "{}, though the lock says that it renews it for {} at most",
                                        ClientName(entry.client), Instant(entry.granted),
                                        Instant(entry.renewed), Instant(entry.promised_until),
                                        Instant(*said.at_most))},
                  long_one);
    }
  }
  if (short_one.has_value()) violations.push_back(std::move(*short_one));
  if (long_one.has_value()) violations.push_back(std::move(*long_one));
}

bool MustKnowOfEnd(VirtualTime until, bool told, VirtualTime asked) {
  if (until == kOpen) return false;
  return told ? asked >= until : asked > until + kNotice;
}

void ConvictCalledValid(int client, VirtualTime until, VirtualTime asked,
                        std::vector<Violation>& violations) {
  violations.push_back({Judged::kFalseValidity, asked, client,
                        fmt::format("{} was told at {} that its lease is valid, which had ended at "
                                    "{}",
                                    ClientName(client), Instant(asked), Instant(until))});
}

void JudgeUntold(int client, VirtualTime until, VirtualTime now,
                 std::vector<Violation>& violations) {
  violations.push_back({Judged::kFalseValidity, now, client,
                        fmt::format("{} had not been told at {} that its lease is lost, whose "
                                    "validity had ended at {}",
                                    ClientName(client), Instant(now), Instant(until))});
}

}  // namespace interlock::scenarios
