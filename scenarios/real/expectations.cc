// SPDX-License-Identifier: MIT
#include "scenarios/real/expectations.h"

#include <algorithm>
#include <array>

#include "scenarios/real/real_fault.h"
#include "scenarios/real/real_plan.h"

namespace interlock::scenarios::real {
namespace {

/// All that befalls anybody are pauses and deaths of clients.
bool ServersAnswer(const WorkloadShape& shape) {
  return std::all_of(shape.faults.begin(), shape.faults.end(), [](sim::FaultKind kind) {
    return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kRestart ||
           kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
  });
}

constexpr std::string_view kChance = "it takes something at just the right moment, by chance";
constexpr std::string_view kInstant = "something has to happen between two of its commands";
constexpr std::string_view kNoTrace = "what it leaves ends with its lease, and leaves no trace";
constexpr std::string_view kNotAsked =
    "no client of a real run stops a wait, sets a limit, is an operator or is called of a loss";
constexpr std::string_view kLateness = "it is late by no more than a real machine may be";

struct Escape {
  std::string_view specimen;
  Judged property;
  std::string_view why;
};

constexpr auto kEscapes = std::to_array<Escape>({
    {"broken/late-grant-left", Judged::kKeys, kNoTrace},
    {"broken/token-cleared-first", Judged::kKeys, kNoTrace},
    {"broken/skips-late-unlock", Judged::kKeys, kNoTrace},
    {"broken/renewal-outlives-release", Judged::kKeys, kNoTrace},
    {"broken/reentrant-counts-resends", Judged::kKeys, kNoTrace},
    {"broken/extend-adds-up", Judged::kKeys, kNoTrace},
    {"broken/nil-is-expired", Judged::kServerExclusion, kInstant},
    {"broken/get-compare-del", Judged::kForeignRelease, kInstant},
    {"broken/created-in-steps", Judged::kDeadlock, kInstant},
    {"broken/created-in-steps", Judged::kKeys, kInstant},
    {"broken/ttl-of-the-first", Judged::kPermitsBelief, kInstant},
    {"broken/dead-writer-first", Judged::kDeadlock, kInstant},
    {"broken/latch-turnstile", Judged::kDeadlock, kInstant},
    {"broken/latch-counter-beside-ids", Judged::kServerExclusion, kInstant},
    {"broken/fence-before-lock", Judged::kTokens, kInstant},
    {"broken/waits-a-lease", Judged::kDeadlock, kLateness},
    {"broken/deadline-not-looked-at", Judged::kTermination, kLateness},
    {"broken/counts-its-sleeps", Judged::kTermination, kLateness},
    {"broken/restarts-its-wait", Judged::kTermination, kLateness},
    {"broken/after-you", Judged::kTermination, kLateness},
    {"broken/sleeps-to-the-end", Judged::kTermination, kLateness},
    {"broken/loss-told-late", Judged::kFalseValidity, kLateness},
    {"broken/stopped-waiter-stays", Judged::kDeadlock, kNotAsked},
    {"broken/stop-swallows-the-hint", Judged::kDeadlock, kNotAsked},
    {"broken/stopped-though-granted", Judged::kKeys, kNotAsked},
    {"broken/stopped-though-granted", Judged::kSpuriousRefusal, kNotAsked},
    {"broken/stop-at-the-next-look", Judged::kTermination, kNotAsked},
    {"broken/force-wakes-nobody", Judged::kDeadlock, kNotAsked},
    {"broken/force-takes-whoever", Judged::kForeignRelease, kNotAsked},
    {"broken/called-after-release", Judged::kFalseValidity, kNotAsked},
    {"broken/limit-of-the-latest", Judged::kPermitsServer, kNotAsked},
    {"broken/limit-of-the-latest", Judged::kPermitsBelief, kNotAsked},
    {"broken/limit-for-a-while", Judged::kPermitsServer, kNotAsked},
    {"broken/limit-for-a-while", Judged::kSpuriousRefusal, kNotAsked},
    {"broken/limit-wakes-nobody", Judged::kDeadlock, kNotAsked},
    {"broken/latch-life-of-the-first", Judged::kDeadlock, "every latch outlives a real run"},
    {"broken/latch-life-of-the-first", Judged::kSpuriousRefusal, "every latch outlives a real run"},
    {"broken/client-clock", Judged::kServerExclusion, "all processes of a machine have its clock"},
    {"broken/seconds-from-one-on", Judged::kBeliefExclusion, "real leases are below a second"},
    {"broken/renewed-by-timer", Judged::kBeliefExclusion,
     "from outside nobody sees how long a renewed lease is believed in"},
    {"broken/readers-one-by-one", Judged::kSpuriousRefusal,
     "whoever asks beside others may be refused for their sake"},
    {"broken/last-reader-deletes", Judged::kForeignRelease, kChance},
    {"broken/extend-over-whoever", Judged::kForeignExtend, kChance},
    {"broken/exists-set-expire", Judged::kServerExclusion, kChance},
    {"broken/exists-set-expire", Judged::kKeys, kChance},
    {"broken/setnx-then-expire", Judged::kKeys, kChance},
    {"broken/setnx-then-expire", Judged::kCrashRecovery, kChance},
    {"broken/getset-guard", Judged::kCrashRecovery, kChance},
    {"broken/getset-guard", Judged::kKeys, kChance},
    {"broken/looks-then-writes", Judged::kServerExclusion, kChance},
    {"broken/extend-from-reply", Judged::kBeliefExclusion, kChance},
    {"broken/validity-from-reply", Judged::kBeliefExclusion, kChance},
    {"broken/valid-from-wake-up", Judged::kBeliefExclusion, kChance},
    {"broken/signal-deleted", Judged::kDeadlock, kChance},
    {"broken/waiter-left-in-queue", Judged::kDeadlock, kChance},
    {"broken/pop-then-record", Judged::kDeadlock, kChance},
    {"broken/pop-then-record", Judged::kCrashRecovery, kChance},
    {"broken/redis-single-file", Judged::kPermitsSection, kChance},
    {"broken/redis-single-file", Judged::kDeadlock, kChance},
    {"broken/lease-not-looked-at", Judged::kSectionExclusion, kChance},
    {"broken/zero-is-for-ever", Judged::kTermination, kChance},
    {"broken/both-prime", Judged::kPermitsBelief, kChance},
    {"broken/latch-marks-then-counts", Judged::kDeadlock, kChance},
    {"broken/latch-wakes-one", Judged::kDeadlock, kChance},
});

const Escape* Find(std::string_view specimen, Judged property) {
  const auto found = std::find_if(kEscapes.begin(), kEscapes.end(), [&](const Escape& one) {
    return one.specimen == specimen && one.property == property;
  });
  return found == kEscapes.end() ? nullptr : &*found;
}

}  // namespace

std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits) {
  const WorkloadShape shape = RealShape(scenario);
  switch (property) {
    case Judged::kOrder:
      return "from outside nobody sees who queued first";
    case Judged::kFencedWrites:
      return "nothing is guarded outside of Redis";
    case Judged::kForeignRelease:
    case Judged::kForeignExtend:
      if (traits.latch) return "nobody holds a latch";
      if (traits.renews) return "from outside nobody sees when a renewed lease ends";
      if (!ServersAnswer(shape)) return "what is held back may be released or extended later";
      return "";
    case Judged::kFalseValidity:
      if (!shape.overstay) return "nobody comes back late to ask";
      return "";
    case Judged::kSpuriousRefusal:
    case Judged::kTermination:
      if (traits.latch) return "a real machine's delays excuse it";
      if (!shape.faults.empty()) return "a fault may be the reason";
      return "";
    default:
      return "";
  }
}

std::string_view WhyItMayEscape(std::string_view specimen, Judged property) {
  const Escape* const escape = Find(specimen, property);
  return escape == nullptr ? "" : escape->why;
}

bool IsSeenByChance(std::string_view specimen, Judged property) {
  return WhyItMayEscape(specimen, property) == kChance;
}

}  // namespace interlock::scenarios::real
