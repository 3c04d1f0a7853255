// SPDX-License-Identifier: MIT
//
// One message of a client is held up: until its client has given up waiting for it, until the lease
// that it is about is over, or until all are done. Where it strikes is a sweep, and so is how long
// it lasts: the drawn scenarios meet some of this rarely.
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "scenarios/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using std::chrono::milliseconds;

/// Two requests of any lock that ships here, each with an extension and a release.
constexpr int kSteps = 56;

Operation Waits(milliseconds think, milliseconds hold, milliseconds wait = milliseconds(7000)) {
  return {.ask = Ask::kWaitFor, .think = think, .wait = wait, .hold = hold};
}

/// C1 comes twice, and the first time gives back in time or only `overstay` after its lease. C2
/// comes meanwhile, and C3 waits in vain, and for a turn that it gets.
Workload ThreeClients(int permits, milliseconds overstay) {
  Operation long_work = Waits(milliseconds(10), milliseconds(1600));
  Operation beside = Waits(milliseconds(700), milliseconds(1600));
  long_work.extend = beside.extend = true;
  long_work.overstay = overstay;
  const Operation in_vain = Waits(milliseconds(900), milliseconds(100), milliseconds(150));
  Workload workload =
      Clients({Does({long_work, Waits(milliseconds(300), milliseconds(200))}), Does({beside}),
               Does({in_vain, Waits(milliseconds(1900), milliseconds(600))})});
  workload.lease = milliseconds(2000);
  workload.permits = permits;
  return workload;
}

Scenario OfOneMessage(std::string_view name, std::string_view summary, int permits) {
  Scenario scenario;
  scenario.name = name;
  scenario.summary = summary;
  scenario.classes = {SynchronyClass::kBounded, SynchronyClass::kArbitrary};
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion,
                     Judged::kForeignRelease,  Judged::kForeignExtend,
                     Judged::kTokens,          Judged::kDeadlock,
                     Judged::kSpuriousRefusal, Judged::kKeys,
                     Judged::kFalseValidity,   Judged::kTermination};
  scenario.always_whole = true;
  std::vector<Workload> all;
  for (const sim::FaultKind kind : {sim::FaultKind::kDelayRequest, sim::FaultKind::kDelayReply}) {
    for (const milliseconds length : {milliseconds(1500), milliseconds(2200), milliseconds(9000)}) {
      for (const milliseconds overstay : {milliseconds(0), milliseconds(500)}) {
        std::vector<Workload> some =
            AtAnyStep(ThreeClients(permits, overstay), {.kind = kind, .length = length}, kSteps);
        all.insert(all.end(), std::make_move_iterator(some.begin()),
                   std::make_move_iterator(some.end()));
      }
    }
  }
  Pin(scenario, std::move(all));
  return scenario;
}

}  // namespace

std::vector<Scenario> HeldUp() {
  std::vector<Scenario> both = {
      OfOneMessage("held-up", "any one message of a client is late, up to when it is no use", 1),
      OfOneMessage("held-up.permits", "as held-up, of a semaphore with two permits", 2)};
  both.back().semaphores_only = true;
  return both;
}

}  // namespace interlock::scenarios::catalogue
