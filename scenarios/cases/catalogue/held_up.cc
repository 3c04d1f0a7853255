// SPDX-License-Identifier: MIT
//
// One message of a client is held up: until its client has given up waiting for it, until the lease
// that it is about is over, or until all are done. Where it strikes is a sweep, and so is how long
// it lasts: the drawn scenarios meet some of this rarely.
#include <chrono>
#include <utility>
#include <vector>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// Both requests of a lock with one owner, each with an extension and a release; what takes several
/// resources, or hands its leases on, is not done by then.
constexpr int kHeldUpSteps = 64;
constexpr int kStepsOfRefused = 40;

Operation HeldUpWaits(milliseconds think, milliseconds hold, milliseconds wait = 7000ms) {
  return {.ask = Ask::kWaitFor, .think = think, .wait = wait, .hold = hold};
}

/// Comes twice, and gives back the first time, in time or only `overstay` after its lease.
ClientPlan Holder(milliseconds overstay) {
  Operation long_work = HeldUpWaits(10ms, 1600ms);
  long_work.extend = true;
  long_work.overstay = overstay;
  return Does({long_work, HeldUpWaits(300ms, 200ms)});
}

/// Comes while the holder is there.
ClientPlan Second() {
  Operation beside = HeldUpWaits(700ms, 1600ms);
  beside.extend = true;
  return Does({beside});
}

/// Is told no twice, and then has a turn.
ClientPlan Refused() {
  const Operation tries{.think = 800ms, .hold = 100ms};
  return Does({tries, HeldUpWaits(90ms, 100ms, 150ms), HeldUpWaits(1900ms, 600ms)});
}

void AddSweep(std::vector<ClientPlan> clients, int permits, sim::FaultKind kind,
              milliseconds length, int steps, std::vector<Workload>& all) {
  Workload workload = Clients(std::move(clients));
  workload.lease = 2000ms;
  workload.permits = permits;
  Append(AtAnyStep(workload, {{.kind = kind, .length = length}}, steps), all);
}

std::vector<Workload> AnyMessage(int permits) {
  using sim::FaultKind;
  std::vector<Workload> all;
  for (const milliseconds length : {1500ms, 2200ms, 9000ms}) {
    for (const FaultKind kind : {FaultKind::kDelayRequest, FaultKind::kDelayReply}) {
      AddSweep({Holder({}), Second(), Refused()}, permits, kind, length, kHeldUpSteps, all);
    }
  }
  for (const milliseconds length : {1500ms, 9000ms}) {
    AddSweep({Holder(500ms), Second(), Refused()}, permits, FaultKind::kDelayRequest, length,
             kHeldUpSteps, all);
    AddSweep({Refused(), Holder({}), Second()}, permits, FaultKind::kDelayRequest, length,
             kStepsOfRefused, all);
  }
  return all;
}

Scenario OfOneMessage(std::string_view name, std::string_view summary, int permits) {
  Scenario scenario = Named(name, summary, {SynchronyClass::kBounded, SynchronyClass::kArbitrary});
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kForeignRelease,  Judged::kForeignExtend,
                     Judged::kTokens,          Judged::kDeadlock,
                     Judged::kSpuriousRefusal, Judged::kKeys,
                     Judged::kTermination};
  scenario.always_whole = true;
  scenario.sweeps_messages = true;
  Pin(scenario, AnyMessage(permits));
  scenario.gate_runs = scenario.pinned.size();
  return scenario;
}

}  // namespace

std::vector<Scenario> HeldUp() {
  std::vector<Scenario> both = Together(
      OfOneMessage("held-up", "any one message of a client is late, up to when it is of no use", 1),
      OfOneMessage("held-up-permits", "as held-up, of a semaphore with two permits", 2));
  both.back().semaphores_only = true;
  return both;
}

}  // namespace interlock::scenarios::catalogue
