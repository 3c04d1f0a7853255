// SPDX-License-Identifier: MIT
//
// What the library promises, as properties over generated runs in which everything goes wrong at
// once. A failing case is made smaller, and prints its token for `interlock replay`;
// `RC_PARAMS="seed=..."` makes RapidCheck draw the same ones again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/cases/replay_token.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/cases/any_workload.h"

namespace interlock::scenarios {
namespace {

void MakeSomeReaders(Workload& workload) {
  for (ClientPlan& client : workload.clients) {
    for (Operation& operation : client.operations) operation.shared = *rc::gen::arbitrary<bool>();
  }
}

/// A generated run of this lock, and a token to replay it with should an assertion fail.
RunResult AnyRun(std::string_view lock, std::string_view scenario_name) {
  const auto synchrony = *rc::gen::element(SynchronyClass::kBounded, SynchronyClass::kArbitrary);
  const Scenario& scenario = *FindScenario(scenario_name);
  Workload workload = *testing::AnyWorkload(scenario);
  const auto seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
  for (const auto& subject : SoundSubjects()) {
    if (subject->name() != lock) continue;
    if (std::holds_alternative<harness::Readers>(subject->traits().kind)) MakeSomeReaders(workload);
    sim::Universe universe;
    sim::Choices choices = ChoicesOfRun(seed);
    RunResult result = RunOnce(universe, {subject.get(), &scenario, synchrony}, workload, choices);
    RC_LOG() << Encode({std::string(lock), std::string(scenario_name), synchrony,
                        PackedRun{workload, choices.TakeTape()}})
             << "\n";
    RC_ASSERT(!result.inconclusive.has_value());
    if (synchrony == SynchronyClass::kBounded) {
      RC_ASSERT(result.Find(Judged::kSectionExclusion) == nullptr);
      RC_ASSERT(result.Find(Judged::kPermitsSection) == nullptr);
    }
    return result;
  }
  RC_FAIL("no such lock");
}

void ExpectNone(const RunResult& result, std::initializer_list<Judged> properties) {
  for (const Judged property : properties) {
    const Violation* violation = result.Find(property);
    if (violation != nullptr) RC_FAIL(violation->what);
  }
}

RC_GTEST_PROP(MutexPropertyTest, AtMostOneHolderAtTheServerAndInTheClientsBelief, ()) {
  ExpectNone(AnyRun("mutex", "chaos"), {Judged::kServerExclusion, Judged::kBeliefExclusion});
}

RC_GTEST_PROP(MutexPropertyTest, EveryLiveWaiterIsServed, ()) {
  ExpectNone(AnyRun("mutex", "chaos"), {Judged::kDeadlock, Judged::kCrashRecovery});
}

RC_GTEST_PROP(MutexPropertyTest, OnlyTheOwnerReleasesAndExtends, ()) {
  ExpectNone(AnyRun("mutex", "chaos"), {Judged::kForeignRelease, Judged::kForeignExtend});
}

RC_GTEST_PROP(MutexPropertyTest, NothingIsLeftBehind, ()) {
  ExpectNone(AnyRun("mutex", "chaos"), {Judged::kKeys});
}

RC_GTEST_PROP(SharedMutexPropertyTest, AWriterIsAloneAtTheServerAndInTheClientsBelief, ()) {
  ExpectNone(AnyRun("shared-mutex", "chaos"), {Judged::kServerExclusion, Judged::kBeliefExclusion});
}

RC_GTEST_PROP(SharedMutexPropertyTest, EveryLiveWaiterIsServed, ()) {
  ExpectNone(AnyRun("shared-mutex", "chaos"), {Judged::kDeadlock, Judged::kCrashRecovery});
}

RC_GTEST_PROP(SharedMutexPropertyTest, OnlyTheOwnerReleasesAndExtends, ()) {
  ExpectNone(AnyRun("shared-mutex", "chaos"), {Judged::kForeignRelease, Judged::kForeignExtend});
}

RC_GTEST_PROP(SharedMutexPropertyTest, NobodyIsRefusedForNothingAndNothingIsLeft, ()) {
  ExpectNone(AnyRun("shared-mutex", "chaos"), {Judged::kSpuriousRefusal, Judged::kKeys});
}

RC_GTEST_PROP(SingleFilePropertyTest, AtMostOneHolderWithOnePermit, ()) {
  ExpectNone(AnyRun("single-file", "chaos"), {Judged::kPermitsServer, Judged::kPermitsBelief});
}

RC_GTEST_PROP(SingleFilePropertyTest, AtMostAsManyHoldersAsPermits, ()) {
  ExpectNone(AnyRun("single-file", "permits"), {Judged::kPermitsServer, Judged::kPermitsBelief});
}

RC_GTEST_PROP(SingleFilePropertyTest, EveryLiveWaiterIsServed, ()) {
  ExpectNone(AnyRun("single-file", "permits"), {Judged::kDeadlock, Judged::kCrashRecovery});
}

RC_GTEST_PROP(SingleFilePropertyTest, OnlyTheOwnerReleasesAndExtends, ()) {
  ExpectNone(AnyRun("single-file", "permits"), {Judged::kForeignRelease, Judged::kForeignExtend});
}

RC_GTEST_PROP(SingleFilePropertyTest, NothingIsLeftBehind, ()) {
  ExpectNone(AnyRun("single-file", "permits"), {Judged::kKeys});
}

}  // namespace
}  // namespace interlock::scenarios
