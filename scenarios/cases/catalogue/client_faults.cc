// SPDX-License-Identifier: MIT
//
// Scenarios of one fault of clients, links or client clocks each.
#include <string_view>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;

/// What every lock promises while its clocks are sane.
Scenario Base(std::string_view name, std::string_view summary) {
  Scenario scenario = Named(name, summary, {SynchronyClass::kNone});
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  scenario.judges = ExclusionsAnd(
      {Judged::kForeignRelease, Judged::kForeignExtend, Judged::kDeadlock, Judged::kKeys});
  return scenario;
}

Scenario Restart() {
  Scenario scenario = Base("restart", "clients die at any step, and come back with a new identity");
  scenario.shape.faults = {FaultKind::kRestart};
  scenario.judges.push_back(Judged::kCrashRecovery);
  return scenario;
}

Scenario Partition() {
  Scenario scenario =
      Base("partition", "for a while nothing arrives at the server, at a client, or at both");
  scenario.classes = {SynchronyClass::kBounded};
  scenario.shape.faults = {FaultKind::kPartition, FaultKind::kPartitionToServer,
                           FaultKind::kPartitionFromServer};
  return scenario;
}

Scenario LostPush() {
  Scenario scenario =
      Base("lost-push", "pub/sub messages are lost, so that no lock may count on being woken");
  scenario.shape.faults = {FaultKind::kLostPush};
  return scenario;
}

Scenario ClockDrift() {
  Scenario scenario = Base(
      "clock-drift", "client clocks jump forward, and drift or stand still within the allowance");
  scenario.shape.faults = {FaultKind::kClientClockRate, FaultKind::kClientClockJump,
                           FaultKind::kPauseClockFrozen};
  scenario.shape.max_rate_ppm = kMostDrift.count();
  return scenario;
}

/// No lease lock keeps a client from believing too long whose clock runs at half the speed: what is
/// left is what the server decides.
Scenario WildClocks() {
  Scenario scenario =
      Base("wild-clocks", "client clocks run at up to half or double speed, stand still, and jump");
  scenario.classes = {SynchronyClass::kArbitrary};
  FreeClocks(scenario);
  scenario.shape.faults = {FaultKind::kClientClockRate, FaultKind::kClientClockJump,
                           FaultKind::kPauseClockFrozen};
  scenario.judges = {Judged::kServerExclusion, Judged::kForeignRelease, Judged::kForeignExtend,
                     Judged::kKeys};
  return scenario;
}

/// Two lives or two clients with one identity: all that can be promised is that nothing is left.
Scenario SameIdentity() {
  Scenario scenario =
      Base("same-identity",
           "random bytes repeat: a new life, or another client, has the old one's tokens");
  scenario.shape.faults = {FaultKind::kRestartSameIdentity, FaultKind::kEntropyRepeat};
  scenario.judges = {Judged::kDeadlock};
  return scenario;
}

/// Tokens that differ, though little: nobody may look at a part of them alone.
Scenario AlikeTokens() {
  Scenario scenario =
      Base("alike-tokens", "random bytes of two clients differ in the last byte only");
  scenario.shape.faults = {FaultKind::kEntropyAlike};
  scenario.judges.push_back(Judged::kSpuriousRefusal);
  return scenario;
}

}  // namespace

std::vector<Scenario> ClientFaults() {
  return Together(Restart(), Partition(), LostPush(), ClockDrift(), WildClocks(), SameIdentity(),
                  AlikeTokens());
}

}  // namespace interlock::scenarios::catalogue
