// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/claims.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/earliest.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/words.h"
#include "scenarios/run/processes/lease_model.h"

namespace interlock::scenarios::real {
namespace {

using Found = std::optional<Violation>;

/// Scheduling delay to tolerate on a busy machine.
constexpr Duration kMachine = std::chrono::seconds(1);

bool WasLost(StatusCode code) {
  return code == StatusCode::kNotOwner || code == StatusCode::kLeaseLost;
}

Violation Of(Judged property, VirtualTime at, int client, std::string what) {
  Violation violation;
  violation.property = property;
  violation.at = at;
  violation.client = client;
  violation.what = std::move(what);
  return violation;
}

/// A violation if the client was told "released" when nothing of its own was left, or "not owner"
/// while its lease still ran.
Found JudgeRelease(const RealHistory& history, const ClientHold& hold, const ServerHold& promise) {
  if (hold.release_returned == kOpen) return std::nullopt;
  const VirtualTime over = LatestEnd(history, promise);
  if (hold.release_status == StatusCode::kOk && over < hold.release_called) {
    return Of(Judged::kForeignRelease, hold.release_returned, hold.client,
              fmt::format("{} released at {} and was told \"released\", though its lease was over "
                          "since {} at the latest",
                          ClientName(hold.client), Instant(hold.release_called), Instant(over)));
  }
  if (WasLost(hold.release_status) && hold.release_returned < promise.promised_until) {
    return Of(Judged::kForeignRelease, hold.release_returned, hold.client,
              fmt::format("{} released at {} and was told \"{}\": somebody has ended its lease, "
                          "which ran until {} at least",
                          ClientName(hold.client), Instant(hold.release_called),
                          ToString(hold.release_status), Instant(promise.promised_until)));
  }
  return std::nullopt;
}

Found JudgeRenewal(const Renewal& renewal) {
  if (renewal.answer != StatusCode::kOk || renewal.called <= renewal.promised_until) {
    return std::nullopt;
  }
  return Of(Judged::kForeignExtend, renewal.answered, renewal.client,
            fmt::format("{} asked at {} to extend and was told \"extended\", though its lease was "
                        "over since {} at the latest",
                        ClientName(renewal.client), Instant(renewal.called),
                        Instant(renewal.promised_until)));
}

/// A request made after another was granted must get a later fencing token, and an owner token of
/// its own.
Found JudgeTokensOf(const ClientHold& earlier, const ClientHold& later) {
  const VirtualTime granted = earlier.belief.front().from;
  if (later.asked <= granted) return std::nullopt;
  const VirtualTime at = later.belief.front().from;
  if (!later.token.empty() && later.token == earlier.token) {
    return Of(Judged::kTokens, at, later.client,
              fmt::format("{} asked at {} and was granted with the owner token that {} was granted "
                          "with at {}",
                          ClientName(later.client), Instant(later.asked),
                          ClientName(earlier.client), Instant(granted)));
  }
  const bool fenced = later.fencing_token.has_value() && earlier.fencing_token.has_value();
  if (!fenced || *later.fencing_token > *earlier.fencing_token) return std::nullopt;
  return Of(Judged::kTokens, at, later.client,
            fmt::format("{} asked at {} and was granted with fencing token {}, after {} had been "
                        "granted with {} at {}",
                        ClientName(later.client), Instant(later.asked), *later.fencing_token,
                        ClientName(earlier.client), *earlier.fencing_token, Instant(granted)));
}

/// A try is granted by one of its own commands, so its lease counts from no later than the last one
/// sent.
Found JudgeValidity(const RealHistory& history, const ClientHold& hold) {
  const auto attempt = std::find_if(
      history.attempts.begin(), history.attempts.end(),
      [&](const Attempt& one) { return one.client == hold.client && one.asked == hold.asked; });
  if (attempt == history.attempts.end() || attempt->ask != Ask::kTry || hold.sent < hold.asked) {
    return std::nullopt;
  }
  const VirtualTime over = hold.sent + history.lease + history.lease / 100;
  const VirtualTime granted = hold.belief.front().from;
  if (granted <= over || hold.belief.front().to <= granted) return std::nullopt;
  return Of(Judged::kFalseValidity, granted, hold.client,
            fmt::format("{} was told at {} that it holds until {}; what it had sent last, at {}, "
                        "can have got it a lease until {}",
                        ClientName(hold.client), Instant(granted), Instant(hold.belief.front().to),
                        Instant(hold.sent), Instant(over)));
}

/// The same history with deadlines later by kMachine.
History WithSpare(const History& history) {
  History later = history;
  for (Attempt& attempt : later.attempts) {
    if (attempt.ask == Ask::kTry) attempt.deadline = attempt.asked;
    attempt.ask = Ask::kWaitFor;
    if (attempt.deadline != kOpen) attempt.deadline += kMachine;
  }
  return later;
}

/// Judges waits. Nothing excuses a client that gave up too early; one that was late has only itself
/// to blame if nothing befell any client.
void JudgeWaits(const RealHistory& history, const RealRules& rules,
                std::vector<Violation>& violations) {
  if (!rules.traits.waits) return;
  JudgePatience(history, rules.wake_up_bound, violations);
  if (!rules.disturbed.empty()) return;
  std::vector<Violation> late;
  JudgeTermination(WithSpare(history), rules.termination, late);
  JudgeStorm(history, rules.commands_per_lease, late);
  if (!late.empty()) violations.push_back(late.front());
}

struct Unexplained {
  ModelDepth depth;
  Judged property;
  const char* what;
};

constexpr auto kUnexplained = std::to_array<Unexplained>({
    {ModelDepth::kGrants, Judged::kServerExclusion, "all grants"},
    {ModelDepth::kReleases, Judged::kForeignRelease, "all grants and releases"},
    {ModelDepth::kExtends, Judged::kForeignExtend, "all grants, releases and extensions"},
    {ModelDepth::kRefusals, Judged::kSpuriousRefusal, "all that clients were told"},
});

/// Judges all answers together, for violations that no single rule sees.
void JudgeTogether(const RealHistory& history, const RealRules& rules,
                   std::vector<Violation>& violations) {
  ModelDepth deepest = rules.calm ? ModelDepth::kRefusals : ModelDepth::kExtends;
  // The model frees what is released at once.
  if (rules.stays_taken_for > Duration{}) deepest = ModelDepth::kGrants;
  const ModelAnswer answer = SearchModel(history, rules.traits, deepest);
  if (!answer.fails.has_value()) return;
  for (const Unexplained& one : kUnexplained) {
    if (one.depth != *answer.fails) continue;
    const bool permits = one.depth == ModelDepth::kGrants && rules.traits.semaphore;
    violations.push_back(
        Of(permits ? Judged::kPermitsServer : one.property, history.end, -1,
           fmt::format("no order of {} is one that a server can have given", one.what)));
  }
}

}  // namespace

void JudgeClaims(const RealHistory& history, const RealRules& rules,
                 std::vector<Violation>& violations) {
  Found release;
  Found renewal;
  Found tokens;
  Found validity;
  const bool sure = EndsAreSure(rules);
  for (std::size_t i = 0; i < history.holds.size(); ++i) {
    const ClientHold& hold = history.holds[i];
    if (sure) KeepEarlier(JudgeRelease(history, hold, history.server_holds[i]), release);
    KeepEarlier(JudgeValidity(history, hold), validity);
    for (const ClientHold& later : history.holds) KeepEarlier(JudgeTokensOf(hold, later), tokens);
  }
  for (const Renewal& one : history.renewals) {
    if (sure) KeepEarlier(JudgeRenewal(one), renewal);
  }
  for (const Violation& told : history.told_valid) KeepEarlier(told, validity);
  for (Found* const found : {&release, &renewal, &tokens, &validity}) {
    if (found->has_value()) violations.push_back(std::move(**found));
  }
  if (rules.calm) JudgeWaits(history, rules, violations);
  if (rules.servers_answered && rules.disturbed.empty() && !rules.traits.quorum) {
    JudgeTogether(history, rules, violations);
  }
}

bool EndsAreSure(const RealRules& rules) {
  return !rules.traits.renews && rules.servers_answered && rules.disturbed.empty();
}

}  // namespace interlock::scenarios::real
