// SPDX-License-Identifier: MIT
//
// ReplicaAcknowledgement::on_disk, where it makes the difference: a server that writes its
// append-only file to disk every second loses power, at each step of one that asks soon after the
// grant in turn.
#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include <interlock/mutex.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/subjects/lease_adapter.h"
#include "scenarios/locks/subjects/mutex_adapter.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr ReplicaAcknowledgement kNobody = {};
constexpr ReplicaAcknowledgement kDisk = {.on_disk = true, .timeout = seconds(2)};

struct AskingClient {
  AskingClient(harness::Environment& environment, const ReplicaAcknowledgement& by)
      : own(environment.runtime, environment.connector, {.acknowledged_by = by}) {}
  Client own;
};

/// A Mutex of a client that asks.
class AskingLock final : private AskingClient, public subjects::LeaseLock<Mutex> {
 public:
  AskingLock(harness::Environment& environment, const harness::LockOptions& options,
             const ReplicaAcknowledgement& by)
      : AskingClient(environment, by),
        LeaseLock<Mutex>(environment, [this, &options](Client& /*unused*/) {
          return Mutex::Create(own, options.resource,
                               {.key_prefix = options.key_prefix, .lease = options.lease});
        }) {}
};

class AskingMutex final : public subjects::MutexAdapter {
 public:
  explicit AskingMutex(const ReplicaAcknowledgement& by) : by_(by) {}
  std::string_view name() const override { return "asking"; }
  std::string_view summary() const override { return "a Mutex whose client asks who has it"; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AskingLock>(environment, options, by_);
  }

 private:
  const ReplicaAcknowledgement by_;
};

Workload PowerLossAt(int step) {
  Operation hold;
  hold.hold = seconds(5);
  Operation wait;
  wait.ask = Ask::kWaitFor;
  wait.think = milliseconds(50);
  wait.wait = seconds(8);
  wait.hold = seconds(1);
  Workload workload;
  workload.lease = seconds(10);
  workload.latency_max = milliseconds(3);
  workload.persistence = sim::Persistence::kAofEverysec;
  workload.clients.resize(2);
  workload.clients[0].operations = {hold};
  workload.clients[1].faults = {{sim::FaultKind::kServerPowerLoss, step, milliseconds(100)}};
  workload.clients[1].operations = {wait};
  return workload;
}

struct PowerLosses {
  int lost = 0;       ///< runs in which two held at a time
  int exercised = 0;  ///< runs in which power was lost, and somebody held
};

PowerLosses Try(const ReplicaAcknowledgement& by) {
  const AskingMutex subject(by);
  Scenario scenario = *FindScenario("contention");
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion};
  scenario.shape.faults = {sim::FaultKind::kServerPowerLoss};
  scenario.server = sim::redis::FindDialect("valkey-9.1");
  const RunCase run_case{&subject, &scenario, SynchronyClass::kNone};
  sim::Universe universe;
  PowerLosses seen;
  for (int step = 0; step < 40; ++step) {
    sim::Choices choices = sim::Choices::FromSeed(static_cast<std::uint64_t>(step));
    const RunResult run = RunOnce(universe, run_case, PowerLossAt(step), choices);
    EXPECT_FALSE(run.inconclusive.has_value()) << *run.inconclusive;
    seen.lost += run.Find(Judged::kBeliefExclusion) != nullptr ? 1 : 0;
    const bool struck = run.struck.test(static_cast<std::size_t>(sim::FaultKind::kServerPowerLoss));
    seen.exercised += struck && run.exercised[Judged::kBeliefExclusion] ? 1 : 0;
  }
  return seen;
}

TEST(DurableMutexTest, AGrantOfWhichNobodyIsAskedIsLostWithTheLastSecond) {
  EXPECT_GT(Try(kNobody).lost, 0);
}

TEST(DurableMutexTest, AGrantThatIsOnDiskIsThereAfterALossOfPower) {
  const PowerLosses seen = Try(kDisk);
  EXPECT_EQ(seen.lost, 0);
  EXPECT_GT(seen.exercised, 0);
}

}  // namespace
}  // namespace interlock::scenarios
