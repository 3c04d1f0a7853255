// SPDX-License-Identifier: MIT
//
// One row for each property: a history that looks as if it had put the property to the test and has
// not, so that `exercised` must not count it, and what makes it one that has. A property without a
// row fails: a goal that counts without the situation that it stands for is a false green.
#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/judge/exercised.h"
#include "scenarios/judge/property.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using testing::Ended;
using testing::Inside;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::Released;

/// A history, and the goals that the recorder noted while it was written.
struct RowHistory {
  History history = NewHistory();
  std::vector<Goal> noted = {};
  /// Where nothing else is said it promises an order, and extends leases.
  harness::Traits traits = {.can_extend = true, .bypass_bound = 0};
};

struct TableRow {
  Judged property;
  std::string_view only_looks_like_it;
  std::function<void(RowHistory& told)> write;
  std::function<void(RowHistory& told)> complete;  ///< null: nothing in a run exercises it
};

/// The client was granted, worked, and gave back.
void Takes(RowHistory& told, int client, VirtualTime from) {
  History& history = told.history;
  history.attempts.push_back(Answered(Asked(client, Ask::kTry, from - Ms(1)), from + Ms(1)));
  history.server_holds.push_back(
      Ended(Owns(client, from, from + Ms(1000)), ServerHoldEnd::kReleased, from + Ms(400)));
  history.holds.push_back(
      Released(Inside(Believes(client, from + Ms(1), from + Ms(399)), from + Ms(1), from + Ms(399)),
               from + Ms(399), from + Ms(401)));
}

void OneAfterTheOther(RowHistory& told) {
  Takes(told, 0, Ms(10));
  Takes(told, 1, Ms(600));
}

/// The third client is refused while the first one holds.
void IsRefused(RowHistory& told) {
  told.history.attempts.push_back(
      Answered(Asked(2, Ask::kTry, Ms(100)), Ms(101), StatusCode::kNotAcquired));
}

void TakesAndRefusesOne(RowHistory& told) {
  Takes(told, 0, Ms(10));
  IsRefused(told);
}

/// Several ask a semaphore of one permit over a quorum.
void OnePermitOfAQuorum(RowHistory& told) {
  OneAfterTheOther(told);
  IsRefused(told);
  told.traits.kind = harness::Permits{};
  told.history.quorum = 2;
}

void TwoPermits(RowHistory& told) {
  told.history.limits = Limits(2);
  Takes(told, 3, Ms(20));
}

/// C1's lease has run out; it releases, or asks to extend it, after C2 was granted.
void ComesLate(RowHistory& told) {
  told.history.server_holds = {
      Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kExpired, Ms(1010)),
      Ended(Owns(1, Ms(1100), Ms(2100)), ServerHoldEnd::kExpired, Ms(2100))};
  told.history.holds = {
      Released(Believes(0, Ms(11), Ms(1000)), Ms(2200), Ms(2202), StatusCode::kNotOwner)};
}

void DiesAfterAll(RowHistory& told) {
  OneAfterTheOther(told);
  Crash(told.history, 0, Ms(2000));
}

void DiesHolding(RowHistory& told) {
  told.history.deaths.clear();
  Crash(told.history, 0, Ms(200));
  told.history.holds[0].release_called = kOpen;
}

void WaitsForWhatIsFree(RowHistory& told) {
  Takes(told, 0, Ms(10));
  told.history.attempts[0].ask = Ask::kWait;
}

void WaitsForWhatIsTaken(RowHistory& told) {
  told.history.attempts.push_back(Answered(Asked(1, Ask::kWait, Ms(100)), Ms(413)));
}

Access AccessOf(std::size_t hold, VirtualTime at) { return {hold, true, at, at, true}; }

void StandInLine(RowHistory& told, VirtualTime second) {
  for (const auto& [client, queued] : {std::pair(1, Ms(20)), {2, second}}) {
    Attempt attempt = Answered(Asked(client, Ask::kWait, queued), queued + Ms(40));
    attempt.queued = queued;
    told.history.attempts.push_back(attempt);
  }
}

const std::vector<TableRow>& Table() {
  static const std::vector<TableRow> kRows = {
      {Judged::kServerExclusion, "two were granted, and nobody asked while another one held",
       OneAfterTheOther, IsRefused},
      {Judged::kBeliefExclusion, "the same of what they believed", OneAfterTheOther, IsRefused},
      {Judged::kSectionExclusion, "one was refused, and only one was ever inside",
       TakesAndRefusesOne, [](RowHistory& told) { Takes(told, 1, Ms(600)); }},
      {Judged::kPermitsServer, "of a quorum's permits there was never more than one",
       OnePermitOfAQuorum, TwoPermits},
      {Judged::kPermitsBelief, "the same of what they believed", OnePermitOfAQuorum, TwoPermits},
      {Judged::kPermitsSection, "no more were inside than there are permits",
       [](RowHistory& told) {
         OneAfterTheOther(told);
         IsRefused(told);
         told.traits.kind = harness::Permits{};
         told.history.limits = Limits(2);
       },
       [](RowHistory& told) { Takes(told, 3, Ms(20)); }},
      {Judged::kForeignRelease, "a release came late, and nobody held by then", ComesLate,
       [](RowHistory& told) { told.history.holds[0].release_called = Ms(1500); }},
      {Judged::kForeignExtend, "an extension in good time",
       [](RowHistory& told) {
         Takes(told, 0, Ms(10));
         told.noted = {Goal::kExtended, Goal::kRenewedByItself};
       },
       [](RowHistory& told) { told.noted = {Goal::kRenewedAfterLoss}; }},
      {Judged::kCrashRecovery, "a client died that had given back", DiesAfterAll, DiesHolding},
      {Judged::kDeadlock, "a waiter found it free", WaitsForWhatIsFree, WaitsForWhatIsTaken},
      {Judged::kKeys, "nobody was ever granted anything",
       [](RowHistory& told) { told.history.attempts = {Asked(0, Ask::kTry, Ms(1))}; },
       [](RowHistory& told) { Takes(told, 0, Ms(10)); }},
      {Judged::kFencedWrites, "all accesses were those of one grant",
       [](RowHistory& told) {
         OneAfterTheOther(told);
         told.history.accesses = {AccessOf(0, Ms(20)), AccessOf(0, Ms(30))};
       },
       [](RowHistory& told) { told.history.accesses.push_back(AccessOf(1, Ms(610))); }},
      {Judged::kTokens, "there was one token in all",
       [](RowHistory& told) { Takes(told, 0, Ms(10)); },
       [](RowHistory& told) { Takes(told, 1, Ms(600)); }},
      {Judged::kSpuriousRefusal, "everybody got what it asked for", OneAfterTheOther, IsRefused},
      {Judged::kOrder, "two waited, one after the other",
       [](RowHistory& told) { StandInLine(told, Ms(70)); },
       [](RowHistory& told) { StandInLine(told, Ms(30)); }},
      {Judged::kFalseValidity, "nobody asked when it was over", OneAfterTheOther,
       [](RowHistory& told) { told.noted = {Goal::kAskedAfterValidity}; }},
      {Judged::kTermination, "a try was refused, which had no deadline to keep", TakesAndRefusesOne,
       [](RowHistory& told) {
         told.history.attempts.push_back(
             Answered(Asked(1, Ask::kWaitFor, Ms(100)), Ms(200), StatusCode::kTimeout));
       }},
      {Judged::kCrash, "a client's crash is a fault, not the lock's", DiesAfterAll, nullptr},
  };
  return kRows;
}

bool IsExercised(Judged property, const RowHistory& told) {
  GoalSet goals;
  for (const Goal goal : told.noted) goals.Add(goal);
  AddGoals(told.history, goals);
  return Exercised(told.history, told.traits, goals)[property];
}

TEST(ExercisedTableTest, EveryPropertyHasARow) {
  for (const Judged property : kAllJudged) {
    const auto rows = std::count_if(Table().begin(), Table().end(),
                                    [&](const TableRow& row) { return row.property == property; });
    EXPECT_EQ(rows, 1) << Slug(property);
  }
}

TEST(ExercisedTableTest, WhatOnlyLooksLikeItDoesNotCount) {
  for (const TableRow& row : Table()) {
    RowHistory told;
    row.write(told);
    EXPECT_FALSE(IsExercised(row.property, told))
        << Slug(row.property) << ": " << row.only_looks_like_it;
  }
}

TEST(ExercisedTableTest, WhatIsMissingThereMakesItCount) {
  for (const TableRow& row : Table()) {
    if (!row.complete) continue;
    RowHistory told;
    row.write(told);
    row.complete(told);
    EXPECT_TRUE(IsExercised(row.property, told)) << Slug(row.property);
  }
}

}  // namespace
}  // namespace interlock::scenarios
