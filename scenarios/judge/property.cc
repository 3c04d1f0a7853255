// SPDX-License-Identifier: MIT
#include "scenarios/judge/property.h"

#include <algorithm>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/order.h"
#include "scenarios/judge/ownership.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/termination.h"
#include "scenarios/judge/tokens.h"
#include "scenarios/judge/validity.h"
#include "scenarios/judge/writes.h"

namespace interlock::scenarios {
namespace {

// A property that no single run can show has its row here.
constinit const Property kDeterminismProperty = {
    .code = "LK016",
    .slug = "determinism",
    .name = "determinism",
    .headline = "the same run gave two results",
    .definition =
        "Violated when the same workload and tape give another trace hash; this is a fault of the "
        "simulator or of code that escapes it, never a verdict on a lock.",
    .scenario = "none",
    .story =
        "Code under test reads a real clock or real randomness, or walks a container in the order "
        "of its addresses; the second execution of the run takes another way.",
    .fixes = {"take time, randomness and waiting only from the given runtime",
              "iterate in an order that depends on values, not on addresses or hashes",
              "build with the address sanitizer: uninitialised memory differs from run to run"},
};

constinit const Property kCrashProperty = {
    .judged = Judged::kCrash,
    .code = "LK017",
    .slug = "crash",
    .name = "crash",
    .headline = "the lock took its process down",
    .definition =
        "Violated when the process that runs the lock ends (by a signal, an escaped exception, "
        "exit or for want of memory), or when a run takes more real time than the watchdog allows.",
    .scenario = "none",
    .story =
        "C1's reply is an error that the adapter has never seen; it reads the third element of a "
        "list that has two, and every other client of that process goes down with it.",
    .fixes = {"look at the kind and size of each reply before you read from it",
              "bound every loop and recursion, and every wait by its deadline",
              "let no exception leave the lock: turn what goes wrong into a status"},
};

constexpr std::array kTable = {
    &kServerExclusionProperty,   // LK001
    &kBeliefExclusionProperty,   // LK002
    &kSectionExclusionProperty,  // LK003
    &kPermitsServerProperty,     // LK013, at the server
    &kPermitsBeliefProperty,     // LK013, as the clients believe
    &kPermitsSectionProperty,    // LK013, in the sections
    &kForeignReleaseProperty,    // LK005
    &kForeignExtendProperty,     // LK006
    &kKeysProperty,              // LK011
    &kTokensProperty,            // LK007
    &kFencedWritesProperty,      // LK004
    &kSpuriousRefusalProperty,   // LK010
    &kFalseValidityProperty,     // LK014
    &kTerminationProperty,       // LK015
    &kOrderProperty,             // LK012
    &kCrashRecoveryProperty,     // LK008
    &kDeadlockProperty,          // LK009
    &kDeterminismProperty,       // LK016
    &kCrashProperty,             // LK017
};

constexpr char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Upper(x) == Upper(y); });
}

}  // namespace

bool NeedsWaits(const harness::Traits& traits, bool) { return traits.waits; }

bool NeedsOwnership(const harness::Traits& traits, bool shows_ownership) {
  return shows_ownership || !ModelOf(traits.kind).held;
}

bool Property::IsOf(const harness::Kind& kind) const {
  const bool exercises =
      ModelOf(kind).held ? exercised != nullptr : of_latches.exercised != nullptr;
  return exercises && CounterpartOf(kind, *judged) == *judged;
}

Reading Property::ReadingOf(const harness::Kind& kind) const {
  if (ModelOf(kind).held) return {headline, fixes, judge, exercised, from_outside};
  Reading reading{headline, fixes, of_latches.judge, of_latches.exercised, of_latches.from_outside};
  if (!of_latches.headline.empty()) reading.headline = of_latches.headline;
  if (!of_latches.fix.empty()) reading.fixes.fill(of_latches.fix);
  return reading;
}

std::span<const Property* const> AllProperties() { return kTable; }

const Property& PropertyOf(Judged judged) {
  return **std::find_if(kTable.begin(), kTable.end(),
                        [judged](const Property* row) { return row->judged == judged; });
}

std::span<const Property* const> FindProperties(std::string_view code_or_slug) {
  const auto matches = [code_or_slug](const Property* row) {
    return EqualIgnoringCase(row->code, code_or_slug) || EqualIgnoringCase(row->slug, code_or_slug);
  };
  const auto first = std::find_if(kTable.begin(), kTable.end(), matches);
  return {first, std::find_if_not(first, kTable.end(), matches)};
}

std::string_view Slug(Judged judged) { return PropertyOf(judged).slug; }
std::string_view Code(Judged judged) { return PropertyOf(judged).code; }

std::optional<Judged> JudgedFromSlug(std::string_view slug) {
  for (const Property* row : kTable) {
    if (row->slug == slug) return row->judged;
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios
