// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/critical.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/search/shrink/continued.h"

namespace interlock::scenarios {
namespace {

constexpr int kRedraws = 24;         // for each prefix of choices
constexpr std::size_t kPoints = 16;  // prefixes at first; the largest jump is then refined

class Curve {
 public:
  Curve(Trial& trial, const TrialCase& one) : trial_(trial), case_(one) {}

  /// The number of failures among kRedraws runs with these first choices.
  int FailingAfter(std::uint64_t draws) {
    const auto known = known_.find(draws);
    if (known != known_.end()) return known->second;
    int failing = 0;
    for (std::uint64_t seed = 0; seed < kRedraws; ++seed) {
      auto source = std::make_unique<ContinuedSource>(case_.tape, draws,
                                                      std::make_unique<sim::SeededSource>(seed));
      sim::Choices choices = sim::Choices::FromSource(std::move(source));
      if (trial_.FailsWith(case_.workload, choices)) ++failing;
    }
    known_.emplace(draws, failing);
    return failing;
  }

 private:
  Trial& trial_;
  const TrialCase& case_;
  std::map<std::uint64_t, int> known_;
};

/// The index of the first of those two neighbours in `points` between which the share rises most.
std::size_t LargestJump(Curve& curve, const std::vector<std::uint64_t>& points) {
  std::size_t best = 0;
  int jump = -1;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const int rise = curve.FailingAfter(points[i + 1]) - curve.FailingAfter(points[i]);
    if (rise <= jump) continue;
    jump = rise;
    best = i;
  }
  return best;
}

std::string_view Verb(sim::TraceKind kind) {
  switch (kind) {
    case sim::TraceKind::kSend:
      return " sends ";
    case sim::TraceKind::kExecute:
      return "'s command is executed: ";
    case sim::TraceKind::kReceive:
      return " receives ";
    default:
      return ": ";
  }
}

std::string Describe(const sim::TraceEvent& event, std::uint64_t steps) {
  std::string what = event.text.substr(0, event.text.find(' '));
  if (event.process >= 0) {
    what = fmt::format("{}{}{}", ClientName(event.process), Verb(event.kind),
                       what.empty() ? "goes on" : what);
  }
  return fmt::format("step {} of {}, {} at {}", event.step, steps, what, Instant(event.time));
}

}  // namespace

std::string CriticalStep(Trial& trial, const TrialCase& one, const RunResult& run) {
  const Violation* violation = run.Find(trial.property());
  if (violation == nullptr) return {};
  // The choices after which something happened, up to the violation, because a choice shows only in
  // what follows.
  std::vector<const sim::TraceEvent*> events;
  std::uint64_t steps = 0;
  for (const sim::TraceEvent& event : run.events) {
    if (event.step == 0) continue;
    steps = event.step;
    if (event.time > violation->at) continue;
    if (events.empty() || events.back()->draws < event.draws) events.push_back(&event);
  }
  std::vector<std::uint64_t> all = {0};
  for (const sim::TraceEvent* event : events) {
    if (event->draws > all.back()) all.push_back(event->draws);
  }
  if (all.size() < 2) return {};
  Curve curve(trial, one);
  std::vector<std::uint64_t> some;
  const std::size_t stride = (all.size() + kPoints - 1) / kPoints;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  if (some.back() != all.back()) some.push_back(all.back());
  const std::size_t rough = LargestJump(curve, some);
  std::vector<std::uint64_t> fine;
  for (const std::uint64_t draws : all) {
    if (draws >= some[rough] && draws <= some[rough + 1]) fine.push_back(draws);
  }
  const std::size_t at = LargestJump(curve, fine);
  if (trial.ended()) return {};
  const auto decides =
      std::ranges::find_if(events, [&](const auto* event) { return event->draws == fine[at + 1]; });
  const auto percent = [](int failing) { return failing * 100 / kRedraws; };
  return fmt::format("{}: {} % of redrawn schedules fail before it, {} % after it",
                     Describe(**decides, steps), percent(curve.FailingAfter(fine[at])),
                     percent(curve.FailingAfter(fine[at + 1])));
}

}  // namespace interlock::scenarios
