// SPDX-License-Identifier: MIT
#include "scenarios/judge/exclusion.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "scenarios/judge/forced.h"
#include "scenarios/judge/words.h"

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

struct Overlap {
  VirtualTime at{};
  int entering = 0;
  int inside = 0;
  VirtualTime until{};
};

/// What an operator has taken away goes on for its client alone.
void Append(Interval interval, VirtualTime forced_out, const ClientHold& hold,
            std::vector<End>& ends) {
  interval.to = std::min(interval.to, forced_out);
  if (interval.from >= interval.to) return;
  ends.push_back({interval.from, true, hold.client, hold.shared, hold.asked});
  if (interval.to != kOpen) {
    ends.push_back({interval.to, false, hold.client, hold.shared, hold.asked});
  }
}

/// Half open intervals: at one instant ends come before beginnings. Who comes in was granted under
/// a limit that was in force since it asked; who is inside stays when that shrinks.
std::optional<Overlap> EarliestOverlap(std::vector<End> ends, const Limits& limits) {
  if (ends.empty()) return std::nullopt;
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return std::tuple(a.at, a.begins, a.client, a.shared) <
           std::tuple(b.at, b.begins, b.client, b.shared);
  });
  std::vector<End> inside;
  inside.reserve(ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const End& end = ends[i];
    if (!end.begins) {
      inside.erase(std::find_if(inside.begin(), inside.end(),
                                [&](const End& other) { return other.IsOf(end); }));
      continue;
    }
    const auto conflicts = [&](const End& other) { return Conflict(other, end); };
    const auto met = std::find_if(inside.begin(), inside.end(), conflicts);
    if (met != inside.end() &&
        std::count_if(met, inside.end(), conflicts) >= limits.Most(end.asked, end.at)) {
      VirtualTime until = kOpen;
      for (std::size_t j = i + 1; j < ends.size() && until == kOpen; ++j) {
        if (!ends[j].begins && (ends[j].IsOf(end) || ends[j].IsOf(*met))) until = ends[j].at;
      }
      return Overlap{end.at, end.client, met->client, until};
    }
    inside.push_back(end);
  }
  return std::nullopt;
}

}  // namespace

void JudgeExclusion(const History& history, bool semaphore, std::vector<Violation>& violations) {
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
  if (const auto overlap = EarliestOverlap(std::move(beliefs), history.limits)) {
    violations.push_back({semaphore ? Judged::kPermitsBelief : Judged::kBeliefExclusion,
                          overlap->at, overlap->entering,
                          fmt::format("{} and {} both believed to hold from {} until {}",
                                      ClientName(overlap->inside), ClientName(overlap->entering),
                                      Instant(overlap->at), Instant(overlap->until))});
  }
  if (const auto overlap = EarliestOverlap(std::move(sections), history.limits)) {
    violations.push_back({semaphore ? Judged::kPermitsSection : Judged::kSectionExclusion,
                          overlap->at, overlap->entering,
                          fmt::format("{} and {} were both inside from {} until {}",
                                      ClientName(overlap->inside), ClientName(overlap->entering),
                                      Instant(overlap->at), Instant(overlap->until))});
  }
}

}  // namespace interlock::scenarios
