// SPDX-License-Identifier: MIT
//
// Queues: what happens to those who wait when there are many of them, or when they hold something
// meanwhile. Nothing goes wrong here, so whoever waits has kept its connection and its place.
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

/// Several resources at a time. Whoever takes more than one takes them in one order, so that a
/// circle of clients which wait for each other is the lock's doing.
Scenario Nested() {
  Scenario scenario;
  scenario.name = "nested";
  scenario.summary = "clients ask for one resource while they hold others; nothing goes wrong";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.max_operations = 4;
  scenario.shape.max_resources = kMostResources;
  scenario.shape.nest = true;
  scenario.judges = {Judged::kServerExclusion,  Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kTokens,
                     Judged::kDeadlock,         Judged::kSpuriousRefusal,
                     Judged::kTermination,      Judged::kKeys};
  return scenario;
}

}  // namespace

std::vector<Scenario> Waiting() { return {Crowd(), Nested()}; }

}  // namespace interlock::scenarios::catalogue
