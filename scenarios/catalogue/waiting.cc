// SPDX-License-Identifier: MIT
//
// Queues: what happens to those who wait when there are many of them. Nothing goes wrong here, so
// whoever waits has kept its connection and its place.
#include "scenarios/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

Scenario Crowd() {
  Scenario scenario;
  scenario.name = "crowd";
  scenario.summary = "up to ten clients stand in line; nothing goes wrong";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.max_clients = 10;
  scenario.shape.max_operations = 4;
  scenario.judges = {Judged::kServerExclusion,
                     Judged::kBeliefExclusion,
                     Judged::kSectionExclusion,
                     Judged::kDeadlock,
                     Judged::kOrder,
                     Judged::kTermination,
                     Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> Waiting() { return {Crowd()}; }

}  // namespace interlock::scenarios::catalogue
