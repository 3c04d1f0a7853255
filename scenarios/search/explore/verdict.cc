// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/verdict.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "scenarios/judge/property.h"
#include "scenarios/search/explore/visited.h"

namespace interlock::scenarios {
namespace {

std::string Grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string Share(const ExploreProgress& progress) {
  const double done = std::clamp(progress.done, 1e-9, 1.0);
  const double estimate = static_cast<double>(progress.states) / done;
  return fmt::format("{:.3g} % of an estimated {} states", std::min(done * 100, 99.9),
                     Grouped(static_cast<std::uint64_t>(std::llround(std::min(estimate, 1e18)))));
}

}  // namespace

std::string ProgressText(const ExploreProgress& progress, double seconds) {
  const double left = seconds * (1 - progress.done) / std::max(progress.done, 1e-9);
  std::string text = Share(progress);
  if (left < 1e6) text += fmt::format(", {:.0f} s left", std::ceil(left));
  return text;
}

std::string DivergenceText(const Exploration& exploration) {
  const std::string met =
      fmt::format("random paths met {} states that the search had not", exploration.divergences);
  if (exploration.unlike == 0) {
    return met +
           ", and were the same when they were repeated: states that differ were taken for "
           "one, which is a fault of the search";
  }
  return fmt::format("{}, and {} of {} paths went otherwise when they were repeated", met,
                     exploration.unlike, exploration.audited);
}

std::string VerdictText(const Exploration& exploration, const Bounds& bounds) {
  const std::string bound = ToText(bounds);
  const std::uint64_t states = exploration.progress.states;
  if (exploration.divergences > 0) {
    return fmt::format("no verdict: {}: {}", DivergenceText(exploration), bound);
  }
  if (exploration.violation) {
    const MinimalCase& found = *exploration.violation;
    return fmt::format("{} {}: {}: {} ({} {}, {} commands)", Code(found.property),
                       Slug(found.property), found.what,
                       found.minimal ? "minimal within " + ToText(found.bounds)
                                     : "not minimised, found within " + bound,
                       found.faults, found.faults == 1 ? "fault" : "faults", found.commands);
  }
  if (!exploration.inconclusive.empty()) {
    return fmt::format("inconclusive: {}: {}", exploration.inconclusive, bound);
  }
  if (!exploration.complete) {
    return fmt::format("inconclusive: {}: {}", Share(exploration.progress), bound);
  }
  return fmt::format("no violation: {}: {} states (complete, hash collision < {:.0e})", bound,
                     Grouped(states), CollisionBound(states));
}

ExploreProgressLine::ExploreProgressLine(const Bounds& bounds)
    : terminal_(isatty(STDERR_FILENO) != 0), started_ms_(NowMs()), shown_ms_(started_ms_) {
  std::fprintf(stderr, "exploring %s\n", ToText(bounds).c_str());
}

void ExploreProgressLine::Update(const ExploreProgress& progress) {
  const std::int64_t now = NowMs();
  if (now - shown_ms_ < (terminal_ ? 200 : 10'000)) return;
  shown_ms_ = now;
  shown_ = true;
  const std::string text = ProgressText(progress, static_cast<double>(now - started_ms_) / 1000) +
                           fmt::format(" ({} so far)", Grouped(progress.states));
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", text.c_str());
}

void ExploreProgressLine::Finish() {
  if (shown_ && terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace interlock::scenarios
