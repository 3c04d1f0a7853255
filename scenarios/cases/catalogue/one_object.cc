// SPDX-License-Identifier: MIT
//
// One lock object that several tasks of a process use at once: what it keeps of one of them (an
// owner token, a renewal, a connection) the next one meets. Redisson's locks know their threads by
// a number, redis-py's keep their token in a variable of the thread, and either was said of locks
// that did not.
#include <utility>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;

Scenario SharesObjects(std::string_view name, std::string_view summary) {
  Scenario scenario = Named(name, summary, {SynchronyClass::kBounded});
  WorkloadShape& shape = scenario.shape;
  shape.share_objects = true;
  shape.max_clients = 4;
  shape.overstay = true;
  shape.extend = true;
  shape.faults = {FaultKind::kPause, FaultKind::kExpiry, FaultKind::kLostReply,
                  FaultKind::kDelayReply, FaultKind::kRestart};
  scenario.judges = ExclusionsAnd({Judged::kForeignRelease, Judged::kForeignExtend, Judged::kTokens,
                                   Judged::kDeadlock, Judged::kSpuriousRefusal, Judged::kKeys,
                                   Judged::kFalseValidity});
  return scenario;
}

}  // namespace

std::vector<Scenario> OneObject() {
  Scenario permits =
      SharesObjects("one-object-permits", "as one-object, of a semaphore with several permits");
  GivePermits(permits);
  return {SharesObjects("one-object", "several tasks of a process use one lock object at once"),
          std::move(permits)};
}

}  // namespace interlock::scenarios::catalogue
