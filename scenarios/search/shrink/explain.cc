// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/explain.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "scenarios/search/shrink/aim.h"
#include "scenarios/search/shrink/continued.h"
#include "scenarios/search/shrink/critical.h"
#include "scenarios/search/shrink/parts.h"

namespace interlock::scenarios {
namespace {

constexpr Duration kPrecision = std::chrono::microseconds(100);
constexpr int kOtherSchedules = 24;
constexpr int kLaterSteps = 12;
constexpr std::size_t kMostSwitches = 4;  // reported one by one

std::string Shown(const Knob& knob, Duration length) {
  if (knob.is_rate) return fmt::format("{} ppm", length.count());
  return fmt::format("{:.1f} ms", static_cast<double>(length.count()) / 1e6);
}

std::string FirstWord(std::string_view text) { return std::string(text.substr(0, text.find(' '))); }

class Explainer {
 public:
  Explainer(Trial& trial, const TrialCase& one, const RunResult& run)
      : trial_(trial), case_(one), run_(run) {}

  Explanation Run() {
    trial_.Confirm(case_, 1);
    const std::vector<Knob> knobs = KnobsOf(case_.workload);
    std::size_t fault_knobs = 0;
    const std::vector<Place> faults = FaultPlaces(case_.workload);
    for (std::size_t i = 0; i < faults.size(); ++i) {
      const PlannedFault& fault = FaultAt(faults[i]);
      const sim::FaultInfo* info = sim::FindFault(fault.kind);
      const bool has_length = info != nullptr && info->length() != sim::FaultLength::kUnused;
      TryFault(i, faults[i], has_length ? &knobs[fault_knobs++] : nullptr);
    }
    TrySwitches();
    for (std::size_t i = fault_knobs; i < knobs.size(); ++i) TryLength(knobs[i]);
    TryOtherSchedules();
    said_.tries = trial_.tries();
    return std::move(said_);
  }

 private:
  const PlannedFault& FaultAt(Place place) const {
    return case_.workload.clients[place.client].faults[place.index];
  }

  /// Whether the workload fails under the same choices or calm ones: a part is not needed merely
  /// because the choices of others shift.
  bool Fails(const Workload& workload) {
    return trial_.Fails(workload, case_.tape).has_value() ||
           (case_.tape.size() > 0 && trial_.Fails(workload, {}).has_value());
  }

  /// The place where a fault struck, named by what its client did next: "before its DEL".
  std::string WhereOf(Place place) const {
    const std::string_view kind = sim::ToString(FaultAt(place).kind);
    const int process = static_cast<int>(place.client);
    bool struck = false;
    for (const sim::TraceEvent& event : run_.events) {
      if (event.process != process) continue;
      struck = struck || (event.kind == sim::TraceKind::kFault && event.text.starts_with(kind));
      if (struck && event.kind == sim::TraceKind::kSend) {
        return " before its " + FirstWord(event.text);
      }
    }
    return fmt::format(" at its step {}", FaultAt(place).step);
  }

  std::string NameOf(Place place) const {
    const PlannedFault& fault = FaultAt(place);
    const sim::FaultInfo* info = sim::FindFault(fault.kind);
    const std::string who = ClientName(static_cast<int>(place.client));
    if (info == nullptr || info->family == sim::FaultFamily::kClient ||
        info->family == sim::FaultFamily::kLink) {
      return fmt::format("{} of {}", sim::ToString(fault.kind), who);
    }
    if (!info->uses_node) return fmt::format("{} while {} runs", info->name, who);
    return fmt::format("{} of node {} while {} runs", info->name, fault.node, who);
  }

  void TryFault(std::size_t index, Place place, const Knob* knob) {
    const std::string name = NameOf(place);
    if (Fails(WithoutFaults(ByNumber(case_.workload), index, 1).workload)) {
      said_.irrelevant.push_back(name);
      return;
    }
    const std::string where = WhereOf(place);
    if (knob == nullptr || !NameLengths(*knob, name, where)) said_.needed.push_back(name + where);
    if (said_.nearest.empty()) said_.nearest = fmt::format("having no {}", name);
    TryLaterSteps(place, name);
  }

  /// Reports the range of lengths in which the fault does its harm. Returns false if its length
  /// does not matter.
  bool NameLengths(const Knob& knob, const std::string& name, const std::string& where) {
    const Duration now = knob.Read(case_.workload);
    const Duration lease = case_.workload.lease;
    const Duration far = knob.is_rate ? Duration(500'000) : 8 * lease;
    const bool is_signed =
        std::ranges::any_of(knob.canonical, [](Duration length) { return length < Duration{}; });
    const auto low = Limit(knob, now, is_signed ? -far : Duration{});
    const auto high = Limit(knob, now, far);
    std::string bounds;
    if (low.has_value() && high.has_value()) {
      bounds = fmt::format(" between {} and {}", Shown(knob, *low), Shown(knob, *high));
    } else if (low.has_value()) {
      bounds = fmt::format(" > {}", Shown(knob, *low));
    } else if (high.has_value()) {
      bounds = fmt::format(" < {}", Shown(knob, *high));
    } else {
      return false;
    }
    said_.needed.push_back(name + bounds + where);
    const Duration limit = low.has_value() ? *low : *high;
    if (!near_) said_.nearest = fmt::format("the {} ({})", name, Shown(knob, limit));
    near_ = true;
    return true;
  }

  /// The value nearest to `failing` on the way to `passing` at which the case passes; none if it
  /// fails even at the far end.
  std::optional<Duration> Limit(const Knob& knob, Duration failing, Duration passing) {
    if (Fails(knob.Set(case_.workload, passing))) return std::nullopt;
    const Duration precision = knob.is_rate ? Duration(1) : kPrecision;
    while (!trial_.ended()) {
      const Duration gap = failing - passing;
      if (gap <= precision && gap >= -precision) break;
      const Duration middle = passing + gap / 2;
      (Fails(knob.Set(case_.workload, middle)) ? failing : passing) = middle;
    }
    return passing;
  }

  void TryLaterSteps(Place place, const std::string& name) {
    const int first = FaultAt(place).step;
    int last = first;
    while (last < first + kLaterSteps) {
      Workload later = case_.workload;
      later.clients[place.client].faults[place.index].step = last + 1;
      if (!Fails(later)) break;
      ++last;
    }
    if (last == first) return;
    said_.irrelevant.push_back(fmt::format("when in {}'s steps {} to {}{} the {} comes",
                                           ClientName(static_cast<int>(place.client)), first, last,
                                           last == first + kLaterSteps ? " or later" : "", name));
  }

  void TrySwitches() {
    constexpr auto kLane = static_cast<std::size_t>(sim::Lane::kSchedule);
    std::size_t switches = 0;
    const auto& choices = case_.tape.lanes[kLane];
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == 0 || ++switches > kMostSwitches) continue;
      sim::Tape without = case_.tape;
      without.lanes[kLane][i] = 0;
      if (trial_.ended() || trial_.Fails(case_.workload, without).has_value()) continue;
      const std::string what = FirstDifference(trial_.RunAgain({case_.workload, without}));
      said_.needed.push_back(what);
      if (!near_) said_.nearest = fmt::format("the order: not {}", what);
      near_ = true;
    }
    if (switches > kMostSwitches) {
      said_.needed.push_back(
          fmt::format("{} more choices of the schedule", switches - kMostSwitches));
    }
  }

  /// The first action of the case that differs from the other run's.
  std::string FirstDifference(const RunResult& other) const {
    const std::size_t most = std::min(run_.events.size(), other.events.size());
    for (std::size_t i = 0; i < most; ++i) {
      const sim::TraceEvent& mine = run_.events[i];
      const sim::TraceEvent& theirs = other.events[i];
      if (mine.hash == theirs.hash || mine.step == 0) continue;
      if (mine.process == theirs.process || mine.process < 0 || theirs.process < 0) {
        return fmt::format("the order of events at {}", Instant(mine.time));
      }
      return fmt::format("{} goes before {} at {}", ClientName(mine.process),
                         ClientName(theirs.process), Instant(mine.time));
    }
    return "one choice of the schedule";
  }

  void TryLength(const Knob& knob) {
    const Duration now = knob.Read(case_.workload);
    // A knob with a single simple value needs no explanation if it has that value.
    if (knob.canonical.size() == 1 && now == knob.canonical.front()) return;
    const Duration lease = case_.workload.lease;
    bool varied = false;
    for (const Duration other : {Duration{}, lease / 2, 2 * lease}) {
      if (other == now) continue;
      if (trial_.ended()) return;
      varied = true;
      if (Fails(knob.Set(case_.workload, other))) continue;
      const auto limit = Limit(knob, now, other);
      if (!limit.has_value()) continue;
      said_.needed.push_back(
          fmt::format("{} {} {}", knob.name, other < now ? ">" : "<", Shown(knob, *limit)));
      if (!near_) said_.nearest = fmt::format("{} ({})", knob.name, Shown(knob, *limit));
      near_ = true;
      return;
    }
    if (varied) said_.irrelevant.push_back(knob.name);
  }

  void TryOtherSchedules() {
    int failing = 0;
    for (int i = 0; i < kOtherSchedules; ++i) {
      if (trial_.ended()) return;
      sim::Choices choices = sim::Choices::FromSeed(static_cast<std::uint64_t>(i));
      if (trial_.FailsWith(case_.workload, choices)) ++failing;
    }
    if (failing == kOtherSchedules) {
      said_.irrelevant.push_back(
          fmt::format("the schedule ({} of {} others fail, too)", failing, kOtherSchedules));
      return;
    }
    said_.critical = CriticalStep(trial_, case_, run_);
  }

  Trial& trial_;
  const TrialCase& case_;
  const RunResult& run_;
  Explanation said_;
  bool near_ = false;  // `nearest` names a limit, which is nearer than a part left out
};

}  // namespace

Explanation ExplainByTrying(sim::Universe& universe, const RunCase& run_case, const TrialCase& one,
                            const RunResult& run, Judged property, int budget,
                            const std::atomic<bool>* stop) {
  Trial trial(universe, run_case, property, budget, stop);
  return Explainer(trial, one, run).Run();
}

std::uint64_t ViolatingStep(const RunResult& run, const Violation& violation) {
  std::uint64_t step = 0;
  for (const sim::TraceEvent& event : run.events) {
    if (event.time > violation.at) break;
    if (event.step != 0) step = event.step;
  }
  return step;
}

}  // namespace interlock::scenarios
