// SPDX-License-Identifier: MIT
#include "scenarios/judge/keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/whose.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

const ClientHold* FindHold(const History& history, int client, const std::string& token) {
  for (const ClientHold& hold : history.holds) {
    if (hold.client == client && hold.token == token) return &hold;
  }
  return nullptr;
}

bool WasToldReleased(const ClientHold& hold) {
  return hold.release_status == StatusCode::kOk || hold.release_status == StatusCode::kNotOwner ||
         hold.release_status == StatusCode::kLeaseLost;
}

bool WasDisturbed(const History& history, int client, VirtualTime from, VirtualTime to) {
  return AnyMet(history.disturbances, client, from, to) ||
         AnyMet(history.outages, client, from, to);
}

/// The request that the entry answers: the one that showed its token or, failing that, the one that
/// sent the command which made it. nullptr: nobody knows.
const Attempt* RequestOf(const History& history, const ServerHold& entry) {
  const auto& attempts = history.attempts;
  auto request = std::find_if(attempts.rbegin(), attempts.rend(),
                              [&](const Attempt& one) { return one.Shows(entry.token); });
  if (request == attempts.rend()) {
    request = FindSender(attempts, entry.made_by, entry.made_with);
  }
  return request == attempts.rend() ? nullptr : &*request;
}

/// From when on the request must have no effects and leave nothing behind: its client was told that
/// it has nothing, not this, or nothing any more. kOpen: it was told no such thing.
VirtualTime ToldNo(const History& history, const Attempt& request, const std::string& token) {
  const bool unknown = IsUnknown(request.answer) || request.answer == StatusCode::kCancelled;
  if (request.answered == kOpen || unknown) return kOpen;
  const ClientHold* hold = FindHold(history, request.client, token);
  if (hold == nullptr) return request.answered;
  // A release need not try more than once to bar a request that was never heard of.
  const bool disturbed =
      WasDisturbed(history, hold->client, hold->release_called, hold->release_returned);
  return WasToldReleased(*hold) && !disturbed ? hold->release_returned : kOpen;
}

/// Whether the lock promised that its request has no effect this late. What a lock leaves with a
/// server to refuse late requests is lost with the server's data.
bool WasBarred(const History& history, const ServerHold& entry) {
  const bool said = history.barred_for > Duration{};
  if (!said || history.server_changed || history.quorum > 1) return false;
  const Attempt* request = RequestOf(history, entry);
  if (request == nullptr || entry.granted - request->asked >= history.barred_for) return false;
  const VirtualTime told = ToldNo(history, *request, entry.token);
  if (told >= entry.surely_until()) return false;
  // An entry made before the answer may have been cleaned up since; a later one by nobody.
  return entry.granted > told || (!entry.given_back() && request->answered == told);
}

Violation CameAfterTheAnswer(const History& history, const ServerHold& entry) {
  const Attempt& request = *RequestOf(history, entry);
  const ClientHold* hold = FindHold(history, request.client, entry.token);
  const StatusCode answer = hold == nullptr ? request.answer : hold->release_status;
  return Violated(Judged::kKeys, entry.granted, request.client,
                  "{}'s {} was told \"{}\" at {}, and the server has an ownership entry of it from "
                  "{} on all the same",
                  ClientName(request.client), hold == nullptr ? "request" : "release", answer,
                  ToldNo(history, request, entry.token), entry.granted);
}

/// With less time than this left, PTTL says 0 and there is nothing to clean up.
constexpr Duration kRestOfNothing = std::chrono::milliseconds(1);

/// Whether the client was told that the entry may exist, or the request outlived the entry, or the
/// network delayed the command: nobody can clean up what has not happened yet.
bool IsAccountedFor(const History& history, const ServerHold& entry) {
  if (AnyMet(history.delays, entry.client, entry.granted, entry.granted)) return true;
  const Duration travel = history.lease / 50;  // for a request whose attempt has just given up
  const Attempt* made_it = nullptr;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.client != entry.client || attempt.asked > entry.granted) continue;
    made_it = &attempt;
    const bool unknown = IsUnknown(attempt.answer);
    if (unknown && attempt.answered >= entry.granted - travel) return true;
  }
  return made_it != nullptr && made_it->answered >= entry.surely_until() - kRestOfNothing;
}

/// Whether several of the client's messages may have been lost between these instants, or none got
/// through for a while: then even a client that asks every server again may miss some.
bool WasCutOff(const History& history, int client, VirtualTime from, VirtualTime to) {
  const auto met = [&](const Disturbance& fault) {
    return fault.client == client && from <= fault.at && fault.at <= to;
  };
  return std::ranges::count_if(history.disturbances, met) > 1 ||
         AnyMet(history.outages, client, from, to);
}

/// Whether the attempt that made the entry, on one of several servers, could not reach that server
/// again. The other servers' quorum may still have decided a definite outcome.
bool IsOfOneCutOff(const History& history, const ServerHold& entry) {
  if (history.quorum < 2) return false;
  return std::ranges::any_of(history.attempts, [&](const Attempt& attempt) {
    return attempt.client == entry.client && attempt.asked <= entry.granted &&
           entry.granted <= attempt.answered &&
           WasCutOff(history, attempt.client, attempt.asked, attempt.answered);
  });
}

bool IsSupersededBy(const History& history, int node, VirtualTime at) {
  return std::ranges::any_of(history.supersessions, [&](const Supersession& one) {
    return one.node == node && one.at < at;
  });
}

/// Whether it was made on a server that had been replaced but was still in use.
bool IsOfASupersededOne(const History& history, const ServerHold& entry) {
  return IsSupersededBy(history, entry.node, entry.granted);
}

/// Whether, while there were two primaries, the client gave it back on the other one, or was told
/// there that it is not the owner of what others have owned since, or it owned before.
bool WasGivenBackElsewhere(const History& history, const ServerHold& entry) {
  if (history.supersessions.empty() || entry.token.empty()) return false;
  const ClientHold* hold = FindHold(history, entry.client, entry.token);
  // For several resources at once it is kLeaseLost, see harness::Traits.
  const bool denied = hold != nullptr && (hold->release_status == StatusCode::kNotOwner ||
                                          hold->release_status == StatusCode::kLeaseLost);
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& other) {
    if (other.node == entry.node) return false;
    if (other.token == entry.token) return other.end == ServerHoldEnd::kReleased;
    if (!denied || other.granted > hold->release_returned) return false;
    if (other.client != entry.client) return IsOfASupersededOne(history, other);
    return IsSupersededBy(history, other.node, hold->release_returned);
  });
}

/// What is wrong with how the entry came about, or with how long it stays.
std::optional<Violation> JudgeEntry(const History& history, const ServerHold& entry) {
  if (entry.token.empty()) return {};
  if (WasBarred(history, entry)) return CameAfterTheAnswer(history, entry);
  if (entry.client < 0 || Died(history, entry.client)) return {};
  if (entry.given_back() || entry.end == ServerHoldEnd::kForeign) return {};
  // Nobody can clean up restored entries, or those on a server out of reach.
  if (entry.end == ServerHoldEnd::kLost || entry.copied || entry.waived != kOpen) return {};
  if (IsOutOfReach(history, entry) || WasGivenBackElsewhere(history, entry)) return {};
  const ClientHold* hold = FindHold(history, entry.client, entry.token);
  if (hold == nullptr) {
    if (IsAccountedFor(history, entry) || IsOfOneCutOff(history, entry)) return {};
    return Violated(Judged::kKeys, entry.granted, entry.client,
                    "the server keeps an ownership entry of {} from {} to its TTL; {} was told "
                    "that it holds nothing",
                    ClientName(entry.client), entry.granted, ClientName(entry.client));
  }
  // No fault makes a client extend what it has given back, but a command may be in flight.
  const Duration travel = history.lease / 50;
  const VirtualTime returned = hold->release_returned;  // kOpen: not released at all
  if (returned != kOpen && !entry.renewed_by_others && entry.renewed > returned + travel &&
      !AnyMet(history.delays, entry.client, entry.renewed, entry.renewed)) {
    return Violated(
        Judged::kKeys, entry.renewed, entry.client,
        "{} ended its release at {}, and prolonged its ownership entry all the same at {}",
        ClientName(entry.client), returned, entry.renewed);
  }
  if (returned >= entry.surely_until() || StaysTaken(history, entry, *hold, returned)) return {};
  // A quorum of the others may have decided the answer.
  const bool cut_off = history.quorum > 1 &&
                       WasCutOff(history, hold->client, hold->release_called - travel, returned);
  if (cut_off) return {};
  // Only a fault excuses a release that reports failure or an unknown outcome.
  if (!WasToldReleased(*hold) && WasDisturbed(history, hold->client, {}, returned)) return {};
  return Violated(Judged::kKeys, returned, entry.client,
                  "{} ended its release at {}, yet its ownership entry stays until {}",
                  ClientName(entry.client), returned, entry.promised_until);
}

}  // namespace

void JudgeOutlivingKey(const OutlivingKey& one, Violations& found) {
  const std::string what = one.left_ms.has_value()
                               ? fmt::format("{} ms to live, longer than the {} ms that it may",
                                             *one.left_ms, one.allowed_ms)
                               : std::string("no TTL");
  found.push_back({Judged::kKeys, one.at, one.client,
                   fmt::format("after a command of {} {} has {}", ClientName(one.client),
                               one.key.has_value() ? fmt::format("the key \"{}\"", *one.key)
                                                   : std::string("an ownership entry"),
                               what),
                   one.resource});
}

void JudgeOrphans(const History& history, std::vector<Violation>& violations) {
  if (history.server_clock_moved) return;  // A TTL then says little about how long a key lives.
  for (const ServerHold& entry : history.server_holds) {
    std::optional<Violation> found = JudgeEntry(history, entry);
    if (!found.has_value()) continue;
    violations.push_back(*std::move(found));
    return;
  }
}

void JudgeLeftovers(const std::vector<sim::redis::Server::KeyInfo>& keys, std::int64_t now_ms,
                    const KeyLimits& limits, const History& history,
                    std::vector<Violation>& violations) {
  if (history.server_clock_moved) return;
  for (const auto& key : keys) {
    const std::int64_t allowed = limits.Of(key.key);
    if (allowed == KeyLimits::kForEver) continue;
    if (key.expires_at_ms.has_value() && *key.expires_at_ms - now_ms <= allowed) continue;
    violations.push_back(Violated(
        Judged::kKeys, history.end, -1,
        "at the end the key \"{}\" is left with {}, longer than the {} ms that it may live",
        key.key,
        key.expires_at_ms.has_value() ? fmt::format("{} ms to live", *key.expires_at_ms - now_ms)
                                      : std::string("no TTL"),
        allowed));
    return;
  }
}

namespace {

void JudgeLeftoversFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  constexpr std::int64_t kNow = 0;  // the keys' times to live are counted from the look at them
  JudgeLeftovers(of.keys, kNow, of.rules.key_limits, of.history, verdict.violations);
}

}  // namespace

constinit const Property kKeysProperty = {
    .judged = Judged::kKeys,
    .code = "LK011",
    .slug = "keys",
    .name = "keys",
    .headline = "a key was left behind",
    .definition =
        "Violated when a key of the lock has no TTL after some command, when an ownership entry "
        "stays until its TTL although its client ended the operation, or when keys remain at rest.",
    .scenario = "redis.d4",
    .story =
        "A client wins two of five nodes, fails for want of a quorum, and does not unlock what it "
        "won. Until the TTL nobody can have those nodes; without a TTL nobody ever can.",
    .fixes = {"create and expire in one command or one script",
              "on every way out, a failed quorum included, remove what was created",
              "give auxiliary keys a TTL too, and renew it with use"},
    .assumes = {.counts = true},
    .judge = [](const JudgedResource& of, Violations& found) { JudgeOrphans(of.recorded, found); },
    .exercised =
        [](const Evidence& of) {
          return !of.history.server_holds.empty() || !of.history.holds.empty();
        },
    .from_outside = {.judge = JudgeLeftoversFromOutside},
    .of_latches = {.exercised = [](const Evidence& of) { return !of.history.attempts.empty(); },
                   .from_outside = {.judge = JudgeLeftoversFromOutside}},
};

}  // namespace interlock::scenarios
