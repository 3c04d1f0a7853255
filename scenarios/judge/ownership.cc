// SPDX-License-Identifier: MIT
//
// Over a quorum of servers JudgeQuorums judges all of them together.
#include "scenarios/judge/ownership.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/quorum.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// The violation that an observation shows.
class Convicted {
 public:
  Convicted(const Observation& of, const harness::Kind& kind)
      : kind_(kind), at_(of.at), client_(of.client), who_(ClientName(of.client)) {}

  Violation operator()(const GrantedBeside& one) const {
    return Of(CounterpartOf(kind_, Judged::kServerExclusion),
              "the server granted to {} while {} was promised the lock until {}", who_,
              ClientName(one.other), one.until);
  }
  Violation operator()(const GrantedUnderAnotherLimit& one) const {
    if (one.wish == 0) {
      return Of(Judged::kPermitsServer,
                "the server granted to {}, which follows the limit in force, while none was", who_);
    }
    return Of(Judged::kPermitsServer,
              "the server granted to {}, which has a limit of {}, while one of {} was in force",
              who_, one.wish, one.in_force);
  }
  Violation operator()(const RemovedAnothers& one) const {
    return Of(Judged::kForeignRelease, "{} removed the lock while {} owned it (lease to {})", who_,
              ClientName(one.owner), one.until);
  }
  // A release is to touch another's lease as little as an extension is.
  Violation operator()(const AlteredAnothers& one) const {
    return Of(one.by_release ? Judged::kForeignRelease : Judged::kForeignExtend,
              "{} changed the lease of {} from {} to {}", who_, ClientName(one.owner), one.from,
              one.to);
  }
  Violation operator()(const RevivedItsOwn& one) const {
    return Of(Judged::kForeignExtend, "{} extended a lease that was over since {}", who_, one.over);
  }
  Violation operator()(const ReleasedNothing& one) const {
    return Of(Judged::kForeignRelease,
              "{} was told \"released\", but released nothing of its own: its ownership {} {}",
              who_, one.ends <= at_ ? "had ended at" : "goes on until", one.ends);
  }
  Violation operator()(const ExtendedNothing& one) const {
    return Of(Judged::kForeignExtend, "{} was told \"extended\", but its lease was to end at {}",
              who_, one.ends);
  }
  Violation operator()(const RenewedNothing& one) const {
    return Of(Judged::kForeignExtend,
              "{} was told that its lease, which nobody asked to extend, is valid until {}, though "
              "the server has promised it until {} only",
              who_, one.told, one.promised);
  }
  Violation operator()(const ForcedNothing& /*one*/) const {
    return Of(Judged::kForeignRelease,
              "{}, an operator, was told \"released\", but nobody has released what it had seen",
              who_);
  }
  Violation operator()(const DeniedForce& one) const {
    return Of(Judged::kSpuriousRefusal, "{}, an operator, was told \"{}\" of a holder {}", who_,
              one.answer, one.why);
  }

 private:
  template <typename... Figures>
  Violation Of(Judged property, Sentence<Figures...> sentence, const Figures&... figures) const {
    return Violated(property, at_, client_, sentence, figures...);
  }

  const harness::Kind& kind_;
  const VirtualTime at_;
  const int client_;
  const std::string who_;
};

void JudgeQuorumsOf(const JudgedResource& of, Violations& found) {
  if (of.traits.quorum) JudgeQuorums(of.history, of.traits.kind, found);
}

/// Whether there was contention while somebody owned it in the server.
bool WasContended(const Evidence& of) {
  return of.goals.Has(Goal::kContended) && !of.history.server_holds.empty();
}

bool WasLost(StatusCode code) {
  return code == StatusCode::kNotOwner || code == StatusCode::kLeaseLost;
}

/// A violation if the client was told "released" when nothing of its own was left, or "not owner"
/// while its lease still ran.
std::optional<Violation> JudgeLateRelease(const History& history, const ClientHold& hold,
                                          const ServerHold& promise) {
  if (hold.release_returned == kOpen) return std::nullopt;
  const VirtualTime over = LatestEnd(history, promise);
  if (hold.release_status == StatusCode::kOk && over < hold.release_called) {
    return Violated(Judged::kForeignRelease, hold.release_returned, hold.client,
                    "{} released at {} and was told \"released\", though its lease was over since "
                    "{} at the latest",
                    ClientName(hold.client), hold.release_called, over);
  }
  if (WasLost(hold.release_status) && hold.release_returned < promise.promised_until) {
    return Violated(Judged::kForeignRelease, hold.release_returned, hold.client,
                    "{} released at {} and was told \"{}\": somebody has ended its lease, which "
                    "ran until {} at least",
                    ClientName(hold.client), hold.release_called, hold.release_status,
                    promise.promised_until);
  }
  return std::nullopt;
}

std::optional<Violation> JudgeLateRenewal(const Renewal& renewal) {
  if (renewal.answer != StatusCode::kOk || renewal.called <= renewal.promised_until) {
    return std::nullopt;
  }
  return Violated(Judged::kForeignExtend, renewal.answered, renewal.client,
                  "{} asked at {} to extend and was told \"extended\", though its lease was over "
                  "since {} at the latest",
                  ClientName(renewal.client), renewal.called, renewal.promised_until);
}

void JudgeReleasesFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  verdict.undecided[Judged::kForeignRelease] = of.rules.disturbed;
  if (!of.rules.EndsAreSure()) return;
  std::optional<Violation> first;
  for (std::size_t i = 0; i < of.history.holds.size(); ++i) {
    KeepEarlier(JudgeLateRelease(of.history, of.history.holds[i], of.history.server_holds[i]),
                first);
  }
  if (first.has_value()) verdict.violations.push_back(std::move(*first));
}

void JudgeRenewalsFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  verdict.undecided[Judged::kForeignExtend] = of.rules.disturbed;
  if (!of.rules.EndsAreSure()) return;
  std::optional<Violation> first;
  for (const Renewal& one : of.history.renewals) KeepEarlier(JudgeLateRenewal(one), first);
  if (first.has_value()) verdict.violations.push_back(std::move(*first));
}

std::string_view WhyEndsAreHidden(const OutsideSetting& setting) {
  if (setting.traits.renews) return "from outside nobody sees when a renewed lease ends";
  return setting.servers_answer ? "" : "what is held back may be released or extended later";
}

std::string_view WhyNotAtALatch(const OutsideSetting& /*setting*/) {
  return "nobody holds a latch";
}

// A lock that renews outlasts the moment at which a named case has its lease end.
bool NeedsUnrenewedOwnership(const Demand& of) {
  return NeedsOwnership(of) && (!of.traits.renews || of.scenario.pinned.empty());
}

}  // namespace

void JudgeObserved(const History& history, const harness::Kind& kind, Violations& found) {
  for (const Observation& one : history.observed) {
    found.push_back(std::visit(Convicted(one, kind), one.what));
  }
}

constinit const Property kServerExclusionProperty = {
    .judged = Judged::kServerExclusion,
    .code = "LK001",
    .slug = "server-exclusion",
    .name = "server exclusion",
    .headline = "the server granted one lock twice",
    .definition =
        "Violated when the server makes a conflicting grant while an earlier grant has neither "
        "expired by the server's clock nor been released; losing the key does not end a grant.",
    .scenario = "redis.d1",
    .story =
        "C1 is granted the lock by a master that dies before its replica has seen the write. The "
        "replica is promoted, knows of no lock, and grants it to C2 while C1's lease still runs.",
    .fixes = {"grant in one atomic step: SET NX PX or one script, never EXISTS followed by SET",
              "let the data survive: fsync always, or start again only after the longest TTL has "
              "passed",
              "use a quorum of independent masters, and guard the resource with fencing tokens"},
    .need = NeedsOwnership,
    .assumes = {.writes = true},
    .judge = JudgeQuorumsOf,
    .exercised = WasContended,
    .from_outside = {.judge = JudgeProvenHolds},
    .of_latches = {.headline = "a latch opened before all had counted down",
                   .definition = "Violated when somebody is let through while a party's count "
                                 "down has not reached the server.",
                   .fix = "remember who has counted down: a number cannot tell a new party from "
                          "one that says it again",
                   .exercised = Reached<Goal::kAwaitedClosed>,
                   // What is forgotten makes it open late.
                   .assumes_writes = false},
};

constinit const Property kPermitsServerProperty = {
    .judged = Judged::kPermitsServer,
    .code = "LK013",
    .slug = "permits-server",
    .name = "permits at the server",
    .headline = "the server granted too many permits",
    .definition =
        "Violated when more grants of a semaphore are unexpired and unreleased at the server than "
        "it has permits when the last of them is made, or when a permit goes to a client that "
        "takes another number for the limit than the one which the semaphore keeps in the server.",
    .scenario = "etcd.e1",
    .story =
        "A waiter's own entry expires while it queues. The permit is handed to it all the same, "
        "and to the next one too, because the server no longer counts the first.",
    .fixes = {"keep one entry per permit, with its own token and expiry, not a count",
              "drop the expired, count and add in one script, by the server's clock",
              "release only the entry with your own token"},
    .need = NeedsOwnership,
    .assumes = {.writes = true},
    .judge = JudgeQuorumsOf,
    .exercised = [](const Evidence& of) { return WasContended(of) && MayBeSeveral(of.history); },
    .from_outside = {.judge = JudgeProvenHolds},
};

constinit const Property kForeignReleaseProperty = {
    .judged = Judged::kForeignRelease,
    .code = "LK005",
    .slug = "foreign-release",
    .name = "foreign release",
    .headline = "released somebody else's lock",
    .definition =
        "Violated when a release ends or alters another live grant, or answers \"released\" "
        "although its caller owned nothing when it was executed.",
    .scenario = "redis.d2",
    .story =
        "C1's work outlasts its lease, the key expires and C2 acquires. C1 then releases with a "
        "plain DEL and deletes C2's key; C3 enters beside C2.",
    .fixes = {"store a random owner token per grant; compare it and delete in one script",
              "do not read the token and then delete: the lease can change hands in between",
              "after a try of unknown outcome, undo only your own token"},
    .need = NeedsUnrenewedOwnership,
    .assumes = {.counts = true},
    .exercised = Reached<Goal::kReleaseOfLostLease>,
    .from_outside = {.judge = JudgeReleasesFromOutside,
                     .why_hidden = WhyEndsAreHidden,
                     .shown = [](const SeenFromOutside& of,
                                 const GoalSet&) { return of.rules.EndsAreSure(); }},
    .of_latches = {.from_outside = {.why_hidden = WhyNotAtALatch}},
};

constinit const Property kForeignExtendProperty = {
    .judged = Judged::kForeignExtend,
    .code = "LK006",
    .slug = "foreign-extend",
    .name = "foreign extend",
    .headline = "extended a lease that was not its own",
    .definition =
        "Violated when an extend prolongs another's lease, succeeds after its own has expired, or "
        "creates the key anew.",
    .scenario = "redis.d5",
    .story =
        "C1 renews late with a plain PEXPIRE. Its lease has ended and C2 owns the key: C1 "
        "prolongs C2's lease and believes that it is its own.",
    .fixes = {"compare the owner token and set the expiry in one script",
              "never renew with SET: it creates what has expired",
              "take a refused extend as the loss of the lease, and tell the user at once"},
    .need = NeedsUnrenewedOwnership,
    .exercised =
        [](const Evidence& of) {
          // A lock that never extends may still do so by a request while another client holds it.
          if (!of.traits.can_extend && !of.traits.renews) return of.goals.Has(Goal::kContended);
          return of.goals.Has(Goal::kExtendAfterLoss) || of.goals.Has(Goal::kRenewedAfterLoss);
        },
    .from_outside = {.judge = JudgeRenewalsFromOutside,
                     .why_hidden = WhyEndsAreHidden,
                     // What a request prolongs is not seen.
                     .shown =
                         [](const SeenFromOutside& of, const GoalSet& goals) {
                           return of.rules.EndsAreSure() && goals.Has(Goal::kExtendAfterLoss);
                         }},
    .of_latches = {.from_outside = {.why_hidden = WhyNotAtALatch}},
};

}  // namespace interlock::scenarios
