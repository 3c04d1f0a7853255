// SPDX-License-Identifier: MIT
#include "scenarios/catalogue/fault_classes.h"

#include <string_view>
#include <utility>

#include "scenarios/catalogue/server_faults.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;

struct Class {
  std::string_view name;
  std::string_view scenario;
  std::string_view summary;
  SynchronyClass synchrony;
  std::vector<FaultKind> faults;
};

std::vector<Judged> EveryLockProperty() {
  std::vector<Judged> all;
  for (const Judged property : kAllJudged) {
    // For a semaphore the exclusions become these.
    const bool permits = property == Judged::kPermitsServer || property == Judged::kPermitsBelief ||
                         property == Judged::kPermitsSection;
    if (!permits) all.push_back(property);
  }
  return all;
}

Scenario ToScenario(const Class& one) {
  Scenario scenario;
  scenario.name = one.scenario;
  scenario.fault_class = one.name;
  scenario.summary = one.summary;
  scenario.classes = {one.synchrony};
  scenario.shape.faults = one.faults;
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = EveryLockProperty();
  return scenario;
}

std::vector<Class> OnOneServer() {
  return {
      {"none", "guarantee.none.standalone", "nothing goes wrong", SynchronyClass::kNone, {}},
      {"client-crash",
       "guarantee.client-crash.standalone",
       "clients die at any step",
       SynchronyClass::kNone,
       {FaultKind::kCrash}},
      {"client-pause-bounded",
       "guarantee.client-pause-bounded.standalone",
       "clients stand still, but wake before a validity ends that they rely on",
       SynchronyClass::kBounded,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"client-pause",
       "guarantee.client-pause.standalone",
       "clients stand still for any time, anywhere",
       SynchronyClass::kArbitrary,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"link",
       "guarantee.link.standalone",
       "messages are lost or late, connections break or go silent",
       SynchronyClass::kArbitrary,
       {FaultKind::kLostRequest, FaultKind::kLostReply, FaultKind::kResetBefore,
        FaultKind::kResetAfter, FaultKind::kDelayRequest, FaultKind::kDelayReply,
        FaultKind::kHalfOpen}},
  };
}

}  // namespace

std::vector<Scenario> FaultClasses() {
  std::vector<Scenario> all;
  for (const Class& one : OnOneServer()) all.push_back(ToScenario(one));
  for (const ServerCase& one : ServerCases()) {
    Scenario& scenario = all.emplace_back();
    scenario.name = one.guarantee;
    scenario.fault_class = one.name;
    scenario.summary = one.summary;
    ShapeFor(one, scenario);
    scenario.judges = EveryLockProperty();
  }
  return all;
}

}  // namespace interlock::scenarios::catalogue
