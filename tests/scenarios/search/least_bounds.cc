// SPDX-License-Identifier: MIT
#include "tests/scenarios/search/least_bounds.h"

#include <algorithm>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios::testing {
namespace {

using std::chrono::milliseconds;

bool Has(const Scenario& scenario, sim::FaultKind kind) {
  const auto& faults = scenario.shape.faults;
  return std::find(faults.begin(), faults.end(), kind) != faults.end();
}

/// A limit that others set or give, and a latch's life, are ways to use what has such a thing.
bool FitsTheKind(const Bounds& way, const harness::Traits& traits) {
  if (way.other_limits > 0 && !LimitStands(traits.kind).has_value()) return false;
  if ((way.setters > 0 || way.follow) && !MaySetLimits(traits.kind)) return false;
  return way.life == 0 || !ModelOf(traits.kind).held;
}

}  // namespace

std::vector<Bounds> Ways() {
  std::vector<Bounds> ways;
  const auto add = [&ways](const auto& change) {
    Bounds way;
    change(way);
    ways.push_back(way);
  };
  add([](Bounds&) {});
  add([](Bounds& way) { way.waits = true; });
  add([](Bounds& way) { way.hold = 1, way.think = 0; });      // all within a second
  add([](Bounds& way) { way.think = 125; });                  // nobody asks for a whole lease
  add([](Bounds& way) { way.stagger = 25, way.think = 0; });  // one comes as another leaves
  add([](Bounds& way) { way.waits = true, way.stagger = 25; });
  add([](Bounds& way) { way.waits = true, way.wait = 12, way.hold = 75; });  // in vain
  add([](Bounds& way) { way.waits = true, way.hold = 75, way.think = 0; });
  add([](Bounds& way) { way.waits = true, way.wait = 90, way.hold = 76, way.stagger = 38; });
  add([](Bounds& way) { way.overstay = 1; });  // its lease is over for the client only
  add([](Bounds& way) { way.overstay = 37; });
  add([](Bounds& way) { way.overstay = 37, way.waits = true; });
  add([](Bounds& way) { way.overstay = 37, way.stagger = 130; });  // behind an extension's end
  add([](Bounds& way) { way.clocks_apart = true; });
  for (const int readers : {1, 2}) {
    add([=](Bounds& way) { way.readers = readers; });
    add([=](Bounds& way) { way.readers = readers, way.overstay = 37, way.waits = true; });
    add([=](Bounds& way) { way.readers = readers, way.waits = true; });
  }
  // A writer comes back while one reader is inside, and the other one is still to come.
  add([](Bounds& way) {
    way.readers = 2, way.waits = true, way.hold = 50, way.think = 10, way.stagger = 31;
  });
  add([](Bounds& way) { way.resources = 2; });
  add([](Bounds& way) { way.other_limits = 1; });
  add([](Bounds& way) { way.other_limits = 1, way.stagger = 210; });  // nobody asks for two leases
  add([](Bounds& way) {  // a limit is set while one is inside and one waits
    way.setters = 1, way.follow = true, way.waits = true, way.hold = 75, way.stagger = 25;
  });
  add([](Bounds& way) { way.life = 40, way.stagger = 25; });  // one by one
  add([](Bounds& way) { way.lease = milliseconds(400); });    // less than a second
  // While the other one is inside, and when it comes out.
  for (const int stop : {10, 25}) {
    add([=](Bounds& way) {
      way.waits = way.tasks_in_order = true, way.stops = 1, way.stop = stop;
    });
  }
  add([](Bounds& way) { way.waits = true, way.operators = 1; });
  add([](Bounds& way) { way.operators = 1, way.think = 0; });
  return ways;
}

std::optional<ExploreOptions> Within(const Specimen& specimen, const Conviction& conviction,
                                     Bounds way) {
  const Scenario& scenario = *FindScenario(conviction.scenario);
  // Of what is written outside of Redis, and of several servers: see Specimen::out_of_reach.
  if (conviction.property == "fenced-writes") return std::nullopt;
  if (specimen.subject->traits().quorum) return std::nullopt;
  const Bound& least = specimen.least;
  if (way.waits && !specimen.too_much_when_waiting.empty()) return std::nullopt;
  if (way.overstay > 0 && (!scenario.shape.overstay || least.pauses == 0)) return std::nullopt;
  if (way.stops > 0 && !specimen.subject->traits().stops) return std::nullopt;
  if (way.operators > 0 && !specimen.subject->traits().operators) return std::nullopt;
  const bool shared = std::holds_alternative<harness::Readers>(specimen.subject->traits().kind);
  if (way.readers > (shared ? least.clients : 0)) return std::nullopt;
  // Whoever takes one at a time falls with one, unless it is out of reach.
  if (way.resources > 1 && !specimen.subject->traits().several) return std::nullopt;
  if (!FitsTheKind(way, specimen.subject->traits())) return std::nullopt;
  way.clients = least.clients;
  way.attempts = least.attempts;
  way.expiries = least.expiries;
  way.extend = scenario.shape.extend && specimen.subject->traits().can_extend;
  // Who comes back late has stood still for a while.
  const int pauses = least.pauses - (way.overstay > 0 ? 1 : 0);
  if (Has(scenario, sim::FaultKind::kCrash)) way.crashes = least.crashes;
  if (Has(scenario, sim::FaultKind::kPause)) way.pauses = way.short_pauses = pauses;
  if (Has(scenario, sim::FaultKind::kResetAfter)) way.lost_replies = least.lost_replies;
  if (Has(scenario, sim::FaultKind::kResetBefore)) way.lost_requests = least.lost_replies;
  way.faults = least.crashes + pauses + least.lost_replies;
  ExploreOptions options;
  options.run_case = {specimen.subject.get(), &scenario, conviction.synchrony};
  options.bounds = way;
  options.only = {*JudgedFromSlug(conviction.property)};
  return options;
}

}  // namespace interlock::scenarios::testing
