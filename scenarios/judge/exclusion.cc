// SPDX-License-Identifier: MIT
#include "scenarios/judge/exclusion.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/forced.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

struct End {
  VirtualTime at{};
  bool begins = false;
  int client = 0;
  bool shared = false;
  VirtualTime asked{};

  bool IsOf(const End& other) const { return client == other.client && shared == other.shared; }
};

/// A hold that an operator takes away ends there; only its own client still believes in it.
void Append(Interval interval, VirtualTime forced_out, const ClientHold& hold,
            std::vector<End>& ends) {
  interval.to = std::min(interval.to, forced_out);
  if (interval.from >= interval.to) return;
  ends.push_back({interval.from, true, hold.client, hold.shared, hold.asked});
  if (interval.to != kOpen) {
    ends.push_back({interval.to, false, hold.client, hold.shared, hold.asked});
  }
}

/// Intervals are half open: at the same instant ends sort before beginnings. A newcomer is bound by
/// the limits in force since it asked; those inside may stay when the limit shrinks.
/// `what`: what both did at once.
std::optional<Violation> EarliestOverlap(std::vector<End> ends, const Limits& limits,
                                         Judged property, std::string_view what) {
  if (ends.empty()) return std::nullopt;
  std::ranges::sort(ends, [](const End& a, const End& b) {
    return std::tuple(a.at, a.begins, a.client, a.shared) <
           std::tuple(b.at, b.begins, b.client, b.shared);
  });
  std::vector<End> inside;
  inside.reserve(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const End& end = ends[i];
    if (!end.begins) {
      inside.erase(std::ranges::find_if(inside, [&](const End& other) { return other.IsOf(end); }));
      continue;
    }
    const auto conflicts = [&](const End& other) { return Conflict(other, end); };
    const auto met = std::ranges::find_if(inside, conflicts);
    if (met != inside.end() &&
        std::count_if(met, inside.end(), conflicts) >= limits.Most(end.asked, end.at)) {
      VirtualTime until = kOpen;
      for (std::size_t j = i + 1; j < ends.size() && until == kOpen; ++j) {
        if (!ends[j].begins && (ends[j].IsOf(end) || ends[j].IsOf(*met))) until = ends[j].at;
      }
      return Violated(property, end.at, end.client, "{} and {} {} from {} until {}",
                      ClientName(met->client), ClientName(end.client), what, end.at, until);
    }
    inside.push_back(end);
  }
  return std::nullopt;
}

}  // namespace

void JudgeExclusion(const History& history, const harness::Kind& kind,
                    std::vector<Violation>& violations) {
  if (static_cast<int>(history.holds.size()) <= history.limits.Least()) return;
  std::vector<End> beliefs;
  std::vector<End> sections;
  beliefs.reserve(2 * history.holds.size());
  sections.reserve(2 * history.holds.size());
  for (const ClientHold& hold : history.holds) {
    const VirtualTime forced_out = ForcedOutAt(history, hold);
    for (const Interval& belief : hold.belief) Append(belief, forced_out, hold, beliefs);
    if (hold.entered()) Append(hold.section, forced_out, hold, sections);
  }
  const Judged belief = CounterpartOf(kind, Judged::kBeliefExclusion);
  const Judged section = CounterpartOf(kind, Judged::kSectionExclusion);
  for (const auto& found :
       {EarliestOverlap(std::move(beliefs), history.limits, belief, "both believed to hold"),
        EarliestOverlap(std::move(sections), history.limits, section, "were both inside")}) {
    if (found.has_value()) violations.push_back(*found);
  }
}

bool MayBeSeveral(const History& history) {
  return history.quorum == 1 || history.limits.Most() > 1;
}

namespace {

void JudgeBeliefsAndSections(const JudgedResource& of, Violations& found) {
  JudgeExclusion(of.history, of.traits.kind, found);
}

/// The history with its sections cut where the validity ended, because a client that was late to
/// leave no longer held anything.
History WithSectionsCut(const History& history) {
  History cut = history;
  for (ClientHold& hold : cut.holds) {
    if (!hold.entered()) continue;
    hold.section.to = std::min(hold.section.to, hold.believed_until());
  }
  return cut;
}

void JudgeBeliefsFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  const History& history = of.history;
  const harness::Kind& kind = of.rules.traits.kind;
  JudgeExclusion(WithSectionsCut(history), kind, verdict.violations);
  const Judged section = CounterpartOf(kind, Judged::kSectionExclusion);
  if (verdict.Find(section) != nullptr) return;
  std::vector<Violation> uncut;
  JudgeExclusion(history, kind, uncut);
  const auto late = std::ranges::find(uncut, section, &Violation::property);
  if (late == uncut.end()) return;
  verdict.undecided[section] = late->what + "; but one of them was late to leave, after its lease";
}

/// Whether more clients entered, not necessarily at once, than the limit allows at a time.
bool WereMoreInside(const Evidence& of) {
  const auto entered = std::ranges::count_if(of.history.holds,
                                             [](const ClientHold& hold) { return hold.entered(); });
  return of.goals.Has(Goal::kContended) && entered > of.history.limits.Most();
}

}  // namespace

constinit const Property kBeliefExclusionProperty = {
    .judged = Judged::kBeliefExclusion,
    .code = "LK002",
    .slug = "belief-exclusion",
    .name = "belief exclusion",
    .headline = "two clients believed they held the lock",
    .definition =
        "Violated when two conflicting grants are, at one instant, both valid in their own "
        "clients' reckoning.",
    .scenario = "kleppmann.k6",
    .story =
        "C1's requests are executed, then C1 stops before it reads the replies. The keys expire, "
        "C2 acquires; C1 wakes, reads five times OK, and counts its validity from that moment.",
    .fixes = {"count the validity from before the request was sent, on the monotonic clock",
              "subtract an allowance for clock drift that covers both clocks' worst rate",
              "treat a failed extend, or a lost connection, as the end of the lease"},
    .assumes = {.connections = true, .clocks = true, .writes = true},
    .judge = JudgeBeliefsAndSections,
    .exercised = Reached<Goal::kContended>,
    .from_outside = {.judge = JudgeBeliefsFromOutside},
};

constinit const Property kSectionExclusionProperty = {
    .judged = Judged::kSectionExclusion,
    .code = "LK003",
    .slug = "section-exclusion",
    .name = "section exclusion",
    .headline = "two clients were in the section at once",
    .definition = "Violated when the protected sections of two conflicting grants overlap.",
    .scenario = "kleppmann.k1",
    .story =
        "C1 enters the section and is paused for longer than its lease. C2 is rightly granted the "
        "lock and enters; C1 wakes inside the section. No lease can prevent this.",
    .fixes = {"look and take in one step: SET NX PX, or a script",
              "guard the resource itself with fencing tokens: then the late write is refused",
              "check the remaining validity before each protected step, and extend in good time"},
    .assumes = {.short_pauses = true, .connections = true, .clocks = true, .writes = true},
    .exercised = WereMoreInside,
};

constinit const Property kPermitsBeliefProperty = {
    .judged = Judged::kPermitsBelief,
    .code = "LK013",
    .slug = "permits-belief",
    .name = "permits as believed",
    .headline = "too many clients believed in a permit",
    .definition =
        "Violated when, at one instant, more clients than there are permits hold one that is "
        "valid in their own reckoning.",
    .scenario = "kleppmann.k6",
    .story =
        "A client reads its grant late and counts the validity from the reply, so it goes on "
        "believing after the server has given its permit to the next.",
    .fixes = {"count the validity from before the request was sent, on the monotonic clock",
              "score permits by the server's clock, never by the clients'",
              "tell the user as soon as a permit is lost"},
    .assumes = {.connections = true, .clocks = true, .writes = true},
    .judge = JudgeBeliefsAndSections,
    .exercised =
        [](const Evidence& of) {
          return of.goals.Has(Goal::kContended) && MayBeSeveral(of.history);
        },
    .from_outside = {.judge = JudgeBeliefsFromOutside},
};

constinit const Property kPermitsSectionProperty = {
    .judged = Judged::kPermitsSection,
    .code = "LK013",
    .slug = "permits-section",
    .name = "permits in the section",
    .headline = "too many clients were in the section",
    .definition =
        "Violated when the protected sections of more grants overlap than there are permits.",
    .scenario = "kleppmann.k1",
    .story =
        "A permit holder is paused inside the section for longer than its lease; its permit goes "
        "to another, and both work at once when it wakes. No lease can prevent this.",
    .fixes = {"count and take in one script",
              "check the remaining validity before each protected step",
              "let the resource itself enforce the limit if exceeding it does harm"},
    .assumes = {.short_pauses = true, .connections = true, .clocks = true, .writes = true},
    .exercised = [](const Evidence& of) { return WereMoreInside(of) && MayBeSeveral(of.history); },
};

}  // namespace interlock::scenarios
