// SPDX-License-Identifier: MIT
//
// Programs and fault plans as values of RapidCheck: a property of a right program holds; that of a
// wrong one fails with the fewest steps and faults, and what RapidCheck prints replays.
#include <interlock/harness/rapidcheck.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace interlock::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Amount = int;

void Add(SimulatedClient& client, const Amount& amount) {
  if (client.Call({"INCRBY", "sum", std::to_string(amount)}).ok()) client.Note("added", amount);
}

/// Adds twice what it says if the reply is lost and it asks again.
void AddAgain(SimulatedClient& client, const Amount& amount) {
  for (;;) {
    const auto added = client.Call({"INCRBY", "sum", std::to_string(amount)});
    if (added.code() == StatusCode::kCancelled) return;
    if (added.ok()) break;
  }
  client.Note("added", amount);
}

std::string Wrong(const ProgramView& view) {
  std::int64_t noted = 0;
  for (const ProgramNote& note : view.notes) noted += std::stoll(note.value);
  const std::string sum = view.server.String("sum").value_or("0");
  return std::stoll(sum) == noted ? ""
                                  : "the sum is " + sum + " instead of " + std::to_string(noted);
}

const SimulateOptions kOptions = {.runs = 20, .faults = {{"lost-reply", 2}, {"pause", 2}}};

Program Adding(const ClientSteps<Amount>& steps,
               const std::function<void(SimulatedClient&, const Amount&)>& add) {
  return ProgramOf<Amount>("test.adding", steps, add, {{"the sum is right", Wrong, true}});
}

ClientSteps<Amount> Positive(ClientSteps<Amount> steps) {
  for (auto& client : steps.clients) {
    for (Amount& amount : client) amount = 1 + (amount & 7);
  }
  return steps;
}

RC_GTEST_PROP(ProgramProperty, StepsAreSomeForEachOfSomeClients,
              (const ClientSteps<Amount>& steps)) {
  RC_ASSERT(!steps.clients.empty() && steps.clients.size() <= 4U);
  for (const auto& client : steps.clients) RC_ASSERT(!client.empty() && client.size() <= 6U);
}

RC_GTEST_PROP(ProgramProperty, AnAtomicSumIsRightWithoutFaults,
              (const ClientSteps<Amount>& steps, const FaultPlan& plan)) {
  RequireOk(Simulate(Adding(Positive(steps), Add), plan, {.runs = 5}));
}

rc::detail::FailureResult FailureOf(
    const std::function<void(SimulatedClient&, const Amount&)>& add) {
  const auto property = [&](const ClientSteps<Amount>& steps, const FaultPlan& plan) {
    RequireOk(Simulate(Adding(Positive(steps), add), plan, kOptions));
  };
  rc::detail::TestParams params;
  params.seed = 20240101;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params);
  rc::detail::FailureResult failure;
  EXPECT_TRUE(result.match(failure)) << "the property holds";
  return failure;
}

TEST(ProgramPropertyTest, AFailureIsPrintedWithTheFewestStepsAndFaultsAndReplays) {
  const rc::detail::FailureResult failure = FailureOf(AddAgain);
  ASSERT_EQ(failure.counterExample.size(), 1U);
  const std::string& example = failure.counterExample.front().second;
  EXPECT_THAT(example, HasSubstr("C1: 0")) << "one step of one client";
  EXPECT_THAT(example, Not(HasSubstr("C2"))) << example;
  EXPECT_THAT(example, HasSubstr("lost-reply")) << example;
  EXPECT_THAT(example, Not(HasSubstr("pause"))) << example;
  EXPECT_THAT(failure.description, HasSubstr("the sum is 2 instead of 1"));
  const std::string begin = "harness::Replay(program, \"";
  const std::size_t at = example.find(begin);
  ASSERT_NE(at, std::string::npos) << example;
  const std::size_t from = at + begin.size();
  const std::string token = example.substr(from, example.find('"', from) - from);
  const SimulateVerdict again = Replay(Adding({{{1}}}, AddAgain), token);
  EXPECT_TRUE(again.violated) << again.text;
  EXPECT_EQ(again.message, "the sum is 2 instead of 1");
}

TEST(FaultPlanTest, RemembersTheSmallestCaseOfTheProgramThatItWasLastGiven) {
  const FaultPlan plan(7);
  EXPECT_EQ(plan.ToString(), "seed 7");
  const Program large = Adding({{{1, 2, 3}, {4, 5}}}, AddAgain);
  const SimulateVerdict verdict = Simulate(large, plan, {.runs = 200, .faults = kOptions.faults});
  ASSERT_TRUE(verdict.violated) << verdict.text;
  EXPECT_EQ(plan.token(), verdict.token);
  EXPECT_THAT(plan.ToString(), HasSubstr("lost-reply"));
  // The right program passes, and the case stays as it was.
  EXPECT_TRUE(Simulate(Adding({{{1, 2, 3}, {4, 5}}},
                              [](SimulatedClient& client, const Amount&) {
                                (void)client.Call({"GET", "sum"});
                              }),
                       plan, kOptions)
                  .ok);
  EXPECT_EQ(plan.token(), verdict.token);
  EXPECT_FALSE(Simulate(Program{.name = "test.none"}, plan, kOptions).ok);
}

}  // namespace
}  // namespace interlock::harness
