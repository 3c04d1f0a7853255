// SPDX-License-Identifier: MIT
//
// Any tape is a valid run: a shrinker may cut, zero and edit one as it likes. So for any lock,
// workload and tape the run ends by itself, judges, and replays from what it has really drawn.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios {
namespace {

struct Case {
  std::shared_ptr<const harness::Subject> subject;
  Workload workload;
  sim::Tape tape;  ///< as drawn from the seed
};

RunResult Run(const Case& one, const sim::Tape& tape, sim::Tape* drawn = nullptr) {
  sim::Universe universe;
  const RunCase run_case{one.subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
  sim::Choices choices = sim::Choices::FromTape(tape);
  RunResult result = RunOnce(universe, run_case, one.workload, choices);
  if (drawn != nullptr) *drawn = choices.TakeTape();
  return result;
}

/// Everything is drawn here, on the test's own stack, before any fiber runs.
Case AnyCase() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  Case one;
  one.subject = *rc::gen::element(testing::PlainSubject(), SoundSubjects()[0], SoundSubjects()[1]);
  const Scenario& scenario = *FindScenario("chaos");
  one.workload = Generator(scenario).Draw(seed);
  const RunCase run_case{one.subject.get(), &scenario, SynchronyClass::kArbitrary};
  sim::Universe universe;
  sim::Choices choices = ChoicesOfRun(seed);
  RunOnce(universe, run_case, one.workload, choices);
  one.tape = choices.TakeTape();
  return one;
}

void ExpectValidRun(const Case& one, const sim::Tape& tape) {
  sim::Tape drawn;
  const RunResult result = Run(one, tape, &drawn);
  RC_ASSERT(!result.inconclusive.has_value());
  for (const Violation& violation : result.violations) {
    // Sections may overlap in this class, whatever the lock; all else is promised.
    const RunCase run_case{one.subject.get(), FindScenario("chaos"), SynchronyClass::kArbitrary};
    RC_ASSERT(!IsPromised(violation.property, run_case));
  }
  RC_ASSERT(Run(one, drawn).trace_hash == result.trace_hash);
}

RC_GTEST_PROP(AnyTapeTest, ATruncatedTapeIsAValidRun, ()) {
  const Case one = AnyCase();
  sim::Tape tape = one.tape;
  for (auto& lane : tape.lanes) lane.resize(*rc::gen::inRange<std::size_t>(0, lane.size() + 1));
  ExpectValidRun(one, tape);
}

RC_GTEST_PROP(AnyTapeTest, AZeroedTapeIsAValidRun, ()) {
  const Case one = AnyCase();
  sim::Tape tape = one.tape;
  for (auto& lane : tape.lanes) {
    for (auto& choice : lane) {
      if (*rc::gen::arbitrary<bool>()) choice = 0;
    }
  }
  ExpectValidRun(one, tape);
}

RC_GTEST_PROP(AnyTapeTest, ARandomTapeIsAValidRun, ()) {
  const Case one = AnyCase();
  sim::Tape tape;
  for (auto& lane : tape.lanes) {
    lane = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::arbitrary<std::uint32_t>());
  }
  ExpectValidRun(one, tape);
}

RC_GTEST_PROP(AnyTapeTest, AnotherRunsTapeIsAValidRun, ()) {
  const Case one = AnyCase();
  const Case other = AnyCase();
  ExpectValidRun(one, other.tape);
}

RC_GTEST_PROP(AnyTapeTest, TheCalmTapeIsAValidRun, ()) { ExpectValidRun(AnyCase(), {}); }

}  // namespace
}  // namespace interlock::scenarios
