// SPDX-License-Identifier: MIT
//
// The search of all orders by itself, over toy clients that are nothing but lists of operations on
// keys: no processes, and every number can be counted by hand.
#include "scenarios/search/foreign/order_search.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/search/foreign/order_state.h"

namespace interlock::scenarios::drive {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Operation {
  std::string key;
  bool writes = true;
};
using Program = std::vector<Operation>;

/// A run shows what each client has read, in its own order.
class Toy {
 public:
  explicit Toy(std::vector<Program> programs) : programs_(std::move(programs)) {}

  Result<DriveRun> Run(StepWatch& watch, sim::Choices& choices) {
    ++made_;
    std::map<std::string, std::string> data;
    std::vector<std::size_t> next(programs_.size());
    std::vector<std::string> seen(programs_.size());
    outcome_.clear();
    for (;;) {
      std::vector<sim::redis::Argv> commands;
      std::vector<int> clients;
      for (std::size_t i = 0; i < programs_.size(); ++i) {
        if (next[i] == programs_[i].size()) continue;
        const Operation& one = programs_[i][next[i]];
        const bool fickle = fickle_ && made_ > 1 && i == 1 && (!once_ || made_ == 2);
        commands.push_back({fickle ? "PING" : one.writes ? "SET" : "GET", one.key});
        clients.push_back(static_cast<int>(i));
      }
      if (clients.empty()) break;
      std::vector<PossibleStep> steps;
      for (std::size_t i = 0; i < clients.size(); ++i)
        steps.push_back({clients[i], 1, &commands[i]});
      if (!watch.OnSteps(steps, {})) return DriveRun();
      const std::vector<sim::Candidate> candidates(steps.size());
      const int client = clients[choices.PickTask(candidates)];
      const auto at = static_cast<std::size_t>(client);
      const Operation& one = programs_[at][next[at]++];
      std::string& value = data[one.key];
      seen[at] += value + ";";
      if (one.writes) value = fmt::format("{}.{}", client, next[at]);
      sim::redis::Footprint touched;
      one.writes ? touched.WriteKey(0, one.key) : touched.ReadKey(0, one.key);
      // The end of a client would be seen by all, if these clients had judges.
      watch.OnTaken(std::move(touched));
    }
    for (const std::string& one : seen) outcome_ += one + "|";
    for (const auto& [key, value] : data) outcome_ += key + "=" + value + " ";
    return DriveRun();
  }

  OrderSearch::Make Maker() {
    return [this](StepWatch& watch, sim::Choices& choices) { return Run(watch, choices); };
  }
  const std::string& outcome() const { return outcome_; }
  /// Its second client sends something else in each later run, or in the second one.
  void BecomeFickle(bool once = false) {
    fickle_ = true;
    once_ = once;
  }

 private:
  const std::vector<Program> programs_;
  std::string outcome_;
  int made_ = 0;
  bool fickle_ = false;
  bool once_ = false;
};

const std::atomic<bool> kNoStop = false;

/// Makes up to `most` runs of what is left.
std::multiset<std::string> Outcomes(Toy& toy, OrderSearch& search,
                                    std::uint64_t most = UINT64_MAX) {
  std::multiset<std::string> outcomes;
  for (std::uint64_t i = 0; i < most && !search.done(); ++i) {
    const auto made = search.Next();
    EXPECT_TRUE(made.ok());
    if (*made && !(*made)->pruned) outcomes.insert(toy.outcome());
  }
  return outcomes;
}

std::set<std::string> Distinct(const std::multiset<std::string>& all) {
  return {all.begin(), all.end()};
}

TEST(OrderSearchTest, WithoutReductionEveryOrderIsTakenOnce) {
  Toy toy({{{"a"}, {"a"}, {"a"}}, {{"a"}, {"a"}}});
  OrderSearch search(toy.Maker(), kNoStop, false);
  const auto outcomes = Outcomes(toy, search);
  EXPECT_EQ(outcomes.size(), 10U);  // 5 over 2
  EXPECT_EQ(Distinct(outcomes).size(), 10U);
  EXPECT_EQ(search.totals().runs, 10U);
  EXPECT_EQ(search.totals().pruned, 0U);
  EXPECT_NEAR(search.totals().share, 1, 1e-9);
}

TEST(OrderSearchTest, WhatMeetsAtOneKeyIsNotReduced) {
  Toy toy({{{"a"}, {"a"}, {"a"}}, {{"a"}, {"a"}}});
  OrderSearch search(toy.Maker(), kNoStop, true);
  EXPECT_EQ(Distinct(Outcomes(toy, search)).size(), 10U);
  EXPECT_EQ(search.totals().runs, 10U);
}

TEST(OrderSearchTest, OtherKeysAndReadsCommute) {
  const std::vector<std::vector<Program>> all = {
      {{{"a"}, {"a"}}, {{"b"}, {"b"}}},
      {{{"a", false}, {"a", false}}, {{"a", false}, {"a", false}}},
      {{{"a"}}, {{"b"}}, {{"c"}}}};
  for (const auto& programs : all) {
    Toy toy(programs);
    OrderSearch search(toy.Maker(), kNoStop, true);
    Outcomes(toy, search);
    EXPECT_EQ(search.totals().runs, 1U);
    EXPECT_NEAR(search.totals().share, 1, 1e-9);
  }
}

TEST(OrderSearchTest, TheReductionLosesNoOutcome) {
  const std::vector<std::vector<Program>> all = {
      {{{"a"}, {"b"}, {"a"}}, {{"b"}, {"a", false}, {"c"}}},
      {{{"a", false}, {"b"}}, {{"b", false}, {"a"}}, {{"a"}, {"c"}}},
      {{{"a"}, {"b"}}, {{"b"}, {"c"}}, {{"c"}, {"a"}}},
      {{{"l"}, {"x"}, {"l"}}, {{"l"}, {"y", false}, {"l"}}}};
  for (const auto& programs : all) {
    Toy toy(programs);
    OrderSearch every(toy.Maker(), kNoStop, false);
    OrderSearch reduced(toy.Maker(), kNoStop, true);
    const auto expected = Outcomes(toy, every);
    const auto found = Outcomes(toy, reduced);
    EXPECT_EQ(Distinct(found), Distinct(expected));
    EXPECT_LT(reduced.totals().runs, every.totals().runs);
    EXPECT_NEAR(reduced.totals().share, 1, 1e-9);
  }
}

TEST(OrderSearchTest, RandomRunsTellAboutHowManyThereAre) {
  for (const bool reduce : {false, true}) {
    Toy toy({{{"a"}, {"b"}, {"a"}}, {{"b"}, {"a", false}, {"c"}}});
    OrderSearch search(toy.Maker(), kNoStop, reduce);
    constexpr std::uint64_t kProbes = 2'000;
    for (std::uint64_t i = 0; i < kProbes; ++i) EXPECT_TRUE(search.Probe(i).ok());
    const auto expected = static_cast<double>(search.Expected());
    Outcomes(toy, search);
    const auto all = static_cast<double>(search.totals().runs + search.totals().pruned);
    EXPECT_NEAR(expected / all, 1, 0.15) << all;
  }
}

TEST(OrderSearchTest, ClientsThatDoSomethingElseNextTimeAreNoticed) {
  Toy toy({{{"a"}, {"a"}}, {{"a"}, {"a"}}});
  toy.BecomeFickle();
  OrderSearch search(toy.Maker(), kNoStop, true);
  Outcomes(toy, search);
  EXPECT_GT(search.totals().astray, 0U);
  EXPECT_LT(search.totals().share, 0.99);
  EXPECT_THAT(search.totals().how_astray, HasSubstr("C2 PING a"));
  EXPECT_THAT(search.totals().how_astray, HasSubstr("instead of"));
}

TEST(OrderSearchTest, WhatGoesAstrayOnceIsTriedAgain) {
  const std::vector<Program> programs = {{{"a"}, {"a"}}, {{"a"}, {"a"}}};
  Toy steady(programs);
  OrderSearch whole(steady.Maker(), kNoStop, true);
  Toy toy(programs);
  toy.BecomeFickle(true);
  OrderSearch search(toy.Maker(), kNoStop, true);
  EXPECT_EQ(Outcomes(toy, search), Outcomes(steady, whole));
  EXPECT_EQ(search.totals().retried, 1U);
  EXPECT_EQ(search.totals().astray, 0U);
  EXPECT_NEAR(search.totals().share, 1, 1e-9);
}

DriveOptions Options() {
  DriveOptions options;
  options.command = {"client"};
  options.orders.emplace();
  return options;
}

TEST(OrderSearchTest, AStateIsGoneOnFromAsIfNothingHadHappened) {
  Toy toy({{{"a"}, {"b"}, {"a"}}, {{"b"}, {"a"}, {"c"}}});
  OrderSearch whole(toy.Maker(), kNoStop, true);
  const auto expected = Outcomes(toy, whole);

  OrderSearch first(toy.Maker(), kNoStop, true);
  auto outcomes = Outcomes(toy, first, 5);
  DriveSum sum;
  sum.runs = 5;
  sum.failures = {"no \"luck\""};
  sum.kept_out = {"lock:stock"};
  const OrderCase found{"foreign-release", "lock:stock", {{{{3, 0, 1}, {}, {}}}}, 4};
  const std::string json =
      ToJson({first.left(), first.totals(), sum, {found}}, Options(), true, "1");
  auto state = ReadOrderState(json, Options(), true, "1");
  ASSERT_TRUE(state.ok()) << state.status().message();
  EXPECT_EQ(state->sum.runs, 5U);
  EXPECT_EQ(state->sum.failures, sum.failures);
  EXPECT_EQ(state->sum.kept_out, sum.kept_out);
  ASSERT_EQ(state->found.size(), 1U);
  EXPECT_EQ(state->found.front().key, found.key);
  EXPECT_EQ(state->found.front().tape.lanes[0], (std::vector<std::uint32_t>{3, 0, 1}));

  OrderSearch second(toy.Maker(), kNoStop, true);
  second.Restore(std::move(state->left), state->totals);
  outcomes.merge(Outcomes(toy, second));
  EXPECT_EQ(outcomes, expected);
  EXPECT_EQ(second.totals().runs, whole.totals().runs);
  EXPECT_EQ(second.totals().pruned, whole.totals().pruned);
  EXPECT_NEAR(second.totals().share, 1, 1e-9);
}

std::string WhyNot(const std::string& json, const DriveOptions& options) {
  const auto state = ReadOrderState(json, options, true, "1");
  return state.ok() ? "" : std::string(state.status().message());
}

TEST(OrderSearchTest, AStateOfAnotherSearchOrNoneIsRefused) {
  Toy toy({{{"a"}}, {{"a"}}});
  OrderSearch search(toy.Maker(), kNoStop, true);
  Outcomes(toy, search, 1);
  const std::string json = ToJson({search.left(), search.totals(), {}, {}}, Options(), true, "1");
  EXPECT_THAT(WhyNot(json, Options()), IsEmpty());
  DriveOptions more = Options();
  more.clients = 3;
  EXPECT_THAT(WhyNot(json, more), HasSubstr("its \"clients\" is 2, and here 3"));
  DriveOptions other = Options();
  other.orders->polls = 1;
  EXPECT_THAT(WhyNot(json, other), HasSubstr("its \"polls\" is 2, and here 1"));
  EXPECT_THAT(WhyNot(ToJson({}, Options(), true, "2"), Options()), HasSubstr("\"version\""));
  EXPECT_THAT(WhyNot("{}", Options()), HasSubstr("no state of drive --explore"));
  EXPECT_THAT(WhyNot("not json", Options()), HasSubstr("no state of drive --explore"));
  for (const std::string cut : {"\"seen\"", "\"share\"", "\"totals\"", "\"left\""}) {
    std::string damaged = json;
    damaged.replace(damaged.find(cut), cut.size(), "\"" + std::string(cut.size() - 2, 'x') + "\"");
    EXPECT_THAT(WhyNot(damaged, Options()), HasSubstr("damaged")) << cut;
  }
}

}  // namespace
}  // namespace interlock::scenarios::drive
