// SPDX-License-Identifier: MIT
#include "scenarios/judge/property.h"

#include <algorithm>

#include "scenarios/cases/kind_model.h"
#include "sim/redis/text.h"

namespace interlock::scenarios {
namespace {

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

#define INTERLOCK_ROW_ADDRESS(name) &k##name##Property,
constexpr std::array kTable = {INTERLOCK_PROPERTIES(INTERLOCK_ROW_ADDRESS) & kDeterminismProperty};
#undef INTERLOCK_ROW_ADDRESS

}  // namespace

// LK016 and LK017, which no look at one run shows, have their rows here.
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

bool NeedsWaits(const Demand& of) { return of.traits.waits; }

// A latch has no owners to show.
bool NeedsOwnership(const Demand& of) {
  return of.shows_ownership || !ModelOf(of.traits.kind).held;
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
  return **std::ranges::find_if(kTable,
                                [judged](const Property* row) { return row->judged == judged; });
}

std::span<const Property* const> FindProperties(std::string_view code_or_slug) {
  const auto matches = [name = sim::redis::ToLower(code_or_slug)](const Property* row) {
    return sim::redis::EqualsIgnoreCase(row->code, name) || row->slug == name;
  };
  const auto first = std::ranges::find_if(kTable, matches);
  return {first, std::find_if_not(first, kTable.end(), matches)};
}

std::string_view Slug(Judged judged) { return PropertyOf(judged).slug; }
std::string_view Code(Judged judged) { return PropertyOf(judged).code; }

std::optional<Judged> JudgedFromSlug(std::string_view slug) {
  const auto row = std::ranges::find(kTable, slug, &Property::slug);
  return row == kTable.end() ? std::nullopt : (*row)->judged;
}

}  // namespace interlock::scenarios
