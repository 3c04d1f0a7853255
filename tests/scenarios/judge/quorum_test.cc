// SPDX-License-Identifier: MIT
//
// What the entries of several servers make together, and what is judged of it.
#include "scenarios/judge/quorum.h"

#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/log/answers.h"
#include "scenarios/log/ledger.h"
#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/judge/observed.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using testing::Ended;
using testing::Ms;
using testing::Owns;
using testing::Released;

History OfServers(int nodes) {
  History history = testing::NewHistory();
  history.nodes = nodes;
  history.quorum = nodes / 2 + 1;
  return history;
}

ServerHold On(int node, ServerHold entry) {
  entry.node = node;
  return entry;
}

TEST(QuorumTest, LastsWhileAQuorumOfPromisesLasts) {
  History history = OfServers(3);
  history.server_holds = {On(0, Owns(0, Ms(10), Ms(1010))), On(1, Owns(0, Ms(12), Ms(1012))),
                          On(2, Owns(0, Ms(15), Ms(1015)))};
  const History view = QuorumView(history);
  ASSERT_EQ(view.server_holds.size(), 1U);
  EXPECT_EQ(view.server_holds[0].granted, Ms(12));
  EXPECT_EQ(view.server_holds[0].promised_until, Ms(1012));
  EXPECT_EQ(view.server_holds[0].promise_end(), Ms(1012));
}

TEST(QuorumTest, AMinorityMakesNoEntryButMayBlockOthers) {
  History history = OfServers(5);
  history.server_holds = {On(0, Owns(0, Ms(10), Ms(1010))), On(1, Owns(0, Ms(10), Ms(1010))),
                          On(2, Owns(1, Ms(20), Ms(1020)))};
  const History view = QuorumView(history);
  EXPECT_TRUE(view.server_holds.empty());
  ASSERT_EQ(view.blocked.size(), 1U);
  EXPECT_EQ(view.blocked[0].from, Ms(20));
  EXPECT_EQ(view.blocked[0].to, Ms(1010));
}

TEST(QuorumTest, EndsWhenTheReleasesLeaveNoQuorum) {
  History history = OfServers(3);
  history.server_holds = {
      Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(100)),
      Ended(On(1, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(110)),
      On(2, Owns(0, Ms(10), Ms(1010)))};
  const History view = QuorumView(history);
  ASSERT_EQ(view.server_holds.size(), 1U);
  EXPECT_EQ(view.server_holds[0].end, ServerHoldEnd::kReleased);
  EXPECT_EQ(view.server_holds[0].promise_end(), Ms(110));
}

TEST(QuorumTest, WhatAServerForgetsWasPromisedAllTheSame) {
  History history = OfServers(3);
  history.server_holds = {Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kLost, Ms(50)),
                          On(1, Owns(0, Ms(10), Ms(1010)))};
  const History view = QuorumView(history);
  ASSERT_EQ(view.server_holds.size(), 1U);
  EXPECT_EQ(view.server_holds[0].end, ServerHoldEnd::kLost);
  EXPECT_EQ(view.server_holds[0].ended, Ms(50));
  EXPECT_EQ(view.server_holds[0].promise_end(), Ms(1010));
}

TEST(QuorumTest, TwoEntriesOfOneServerAreOneVote) {
  History history = OfServers(3);
  ServerHold back = On(0, Owns(0, Ms(60), Ms(1010)));
  back.copied = true;
  history.server_holds = {Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kLost, Ms(50)),
                          back};
  EXPECT_TRUE(QuorumView(history).server_holds.empty());
}

// Where commands take no time a grant and its release may fall on one instant.
TEST(QuorumTest, GrantsOfOneInstantKeepTheirOrder) {
  History history = OfServers(3);
  for (const int client : {1, 0}) {
    for (const int node : {0, 1, 2}) {
      history.server_holds.push_back(
          Ended(On(node, Owns(client, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(10)));
    }
  }
  const History view = QuorumView(history);
  ASSERT_EQ(view.server_holds.size(), 2U);
  EXPECT_EQ(view.server_holds[0].client, 1);
  EXPECT_EQ(view.server_holds[1].client, 0);
  EXPECT_EQ(view.server_holds[1].granted, Ms(10));
}

// The later quorum had the earlier vote.
TEST(QuorumTest, AQuorumOfAnInstantComesBeforeTheOneThatItsReleaseLetIn) {
  History history = OfServers(3);
  const auto given_back = [](ServerHold entry) {
    entry.grants_before_end = 3;
    return Ended(entry, ServerHoldEnd::kReleased, Ms(10));
  };
  history.server_holds = {
      On(0, Owns(0, Ms(10), Ms(1010))), given_back(On(1, Owns(1, Ms(10), Ms(1010)))),
      given_back(On(2, Owns(1, Ms(10), Ms(1010)))), On(2, Owns(0, Ms(10), Ms(1010)))};
  const History view = QuorumView(history);
  ASSERT_EQ(view.server_holds.size(), 2U);
  EXPECT_EQ(view.server_holds[0].client, 1);
  std::vector<Violation> violations;
  JudgeQuorums(view, {}, violations);
  EXPECT_TRUE(violations.empty());
}

// It has given back the first vote before it gets the second one.
TEST(QuorumTest, TwoVotesOneAfterTheOtherAreNoQuorumOfAnInstant) {
  History history = OfServers(3);
  ServerHold first = Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(10));
  first.grants_before_end = 1;
  history.server_holds = {
      first, Ended(On(1, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(10))};
  EXPECT_TRUE(QuorumView(history).server_holds.empty());
}

// A server comes back from before the release, which takes nothing from the votes before it.
TEST(QuorumTest, AnEntryThatCameBackTakesNoVoteAway) {
  History history = OfServers(3);
  ServerHold back = On(0, Owns(0, Ms(10), Ms(1010)));
  back.copied = true;
  back.waived = Ms(10);
  history.server_holds = {Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(10)),
                          Ended(On(1, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kReleased, Ms(10)),
                          back};
  for (ServerHold& entry : history.server_holds) entry.grants_before_end = 2;
  EXPECT_EQ(QuorumView(history).server_holds.size(), 1U);
}

// Nobody gives anything back at that instant.
TEST(QuorumTest, TwoQuorumsOfOneInstantConflict) {
  History history = OfServers(3);
  history.server_holds = {On(0, Owns(0, Ms(10), Ms(1010))), On(1, Owns(1, Ms(10), Ms(1010))),
                          On(2, Owns(1, Ms(10), Ms(1010))), On(2, Owns(0, Ms(10), Ms(1010)))};
  std::vector<Violation> violations;
  JudgeQuorums(QuorumView(history), {}, violations);
  EXPECT_EQ(violations.size(), 1U);
}

TEST(QuorumTest, TwoQuorumsAtATimeConflict) {
  History history = OfServers(3);
  history.server_holds = {Ended(On(0, Owns(0, Ms(10), Ms(1010))), ServerHoldEnd::kLost, Ms(50)),
                          On(1, Owns(0, Ms(10), Ms(1010))), On(0, Owns(1, Ms(100), Ms(1100))),
                          On(2, Owns(1, Ms(100), Ms(1100)))};
  std::vector<Violation> violations;
  JudgeQuorums(QuorumView(history), {}, violations);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].property, Judged::kServerExclusion);
  EXPECT_EQ(violations[0].at, Ms(100));
  EXPECT_EQ(violations[0].client, 1);
}

TEST(QuorumTest, OneAfterTheOtherDoesNot) {
  History history = OfServers(3);
  for (const int node : {0, 1}) {
    history.server_holds.push_back(On(node, Owns(0, Ms(10), Ms(1010))));
    history.server_holds.push_back(On(node, Owns(1, Ms(1010), Ms(2010))));
  }
  std::vector<Violation> violations;
  JudgeQuorums(QuorumView(history), {}, violations);
  EXPECT_TRUE(violations.empty());
}

// One server was told of the grant, and keeps it: the client met no fault that explains it.
TEST(QuorumTest, AVoteThatWasNotGivenBackIsLeftBehind) {
  History history = OfServers(3);
  history.holds = {Released(Believes(0, Ms(10), Ms(900)), Ms(100), Ms(110))};
  for (const int node : {0, 1}) {
    history.server_holds.push_back(
        Ended(On(node, Owns(0, Ms(5), Ms(1005))), ServerHoldEnd::kReleased, Ms(105)));
  }
  history.server_holds.push_back(On(2, Owns(0, Ms(5), Ms(1005))));
  std::vector<Violation> violations;
  JudgeOrphans(history, violations);
  EXPECT_EQ(violations.size(), 1U);
  history.outages = {{0, {Ms(90), Ms(200)}}};
  violations.clear();
  JudgeOrphans(history, violations);
  EXPECT_TRUE(violations.empty());
}

TEST(QuorumTest, AReleaseIsNoneUnlessAQuorumWasReleased) {
  History history = OfServers(3);
  const ClientHold hold = Released(Believes(0, Ms(10), Ms(900)), Ms(100), Ms(110));
  history.server_holds = {Ended(On(0, Owns(0, Ms(5), Ms(1005))), ServerHoldEnd::kReleased, Ms(105)),
                          On(1, Owns(0, Ms(5), Ms(1005)))};
  std::vector<Violation> violations;
  CompareReleased(hold, Ms(110), history);
  testing::JudgeObserved(history, violations);
  EXPECT_EQ(violations.size(), 1U);
  history.server_holds[1] = Ended(history.server_holds[1], ServerHoldEnd::kReleased, Ms(106));
  violations.clear();
  CompareReleased(hold, Ms(110), history);
  testing::JudgeObserved(history, violations);
  EXPECT_TRUE(violations.empty());
}

TEST(QuorumTest, AnExtensionOfAMinorityIsNone) {
  History history = OfServers(3);
  const ClientHold hold = Believes(0, Ms(10), Ms(900));
  for (const int node : {0, 1, 2}) {
    history.server_holds.push_back(On(node, Owns(0, Ms(5), Ms(1005))));
    history.server_holds.back().expires_at_ms = 1004;
  }
  const auto renew = [&](std::size_t index) {
    ServerHold& entry = history.server_holds[index];
    entry.renewed = Ms(505);
    entry.leased_ms = 1000;
    entry.promised_until = Ms(1505);
    entry.expires_at_ms = 1504;
  };
  renew(0);
  std::vector<Violation> violations;
  CompareExtended(hold, Ms(500), 500, Ms(510), history);
  testing::JudgeObserved(history, violations);
  EXPECT_EQ(violations.size(), 1U);
  renew(2);
  violations.clear();
  CompareExtended(hold, Ms(500), 500, Ms(510), history);
  testing::JudgeObserved(history, violations);
  EXPECT_TRUE(violations.empty());
}

TEST(QuorumTest, GoalsTellOfSplitVotesAndMinorities) {
  History history = OfServers(5);
  const auto voted = [](int node, int client) {
    return Ended(On(node, Owns(client, Ms(10 + node), Ms(1010))), ServerHoldEnd::kReleased, Ms(30));
  };
  history.server_holds = {voted(0, 0), voted(1, 0), voted(2, 1), voted(3, 1)};
  GoalSet goals;
  AddQuorumGoals(history, QuorumView(history), goals);
  EXPECT_TRUE(goals.Has(Goal::kSplitVote));
  EXPECT_TRUE(goals.Has(Goal::kMinorityGivenBack));
  EXPECT_FALSE(goals.Has(Goal::kBareExtension));
}

// A lock of one server over independent masters would be judged for what it never said.
TEST(QuorumTest, QuorumLocksAreJudgedOverIndependentMastersAndOthersAreNot) {
  const harness::Traits quorum{.quorum = true};
  for (const Scenario& scenario : Catalogue()) {
    const sim::Topology topology =
        scenario.pinned.empty() ? scenario.shape.topology : scenario.pinned.front().topology;
    const bool over_masters = topology == sim::Topology::kIndependent;
    EXPECT_EQ(Applies(scenario, quorum), over_masters && !scenario.semaphores_only)
        << scenario.name;
    const bool of_all = !over_masters && !IsCluster(topology) && !scenario.semaphores_only &&
                        !scenario.renewing_only && !scenario.shape.share_objects;
    EXPECT_EQ(Applies(scenario, {}), of_all) << scenario.name;
  }
}

/// Each of these clients has all votes from 10 ms on.
History AllHave(std::initializer_list<int> clients) {
  History history = OfServers(3);
  for (const int client : clients) {
    for (const int node : {0, 1, 2}) {
      history.server_holds.push_back(On(node, Owns(client, Ms(10), Ms(1010))));
    }
  }
  return history;
}

TEST(QuorumTest, OfASemaphoreAsManyMayHaveAQuorumAsThereArePermits) {
  History history = AllHave({0, 1, 2});
  history.limits = Limits(3);
  std::vector<Violation> violations;
  JudgeQuorums(QuorumView(history), harness::Permits{}, violations);
  EXPECT_TRUE(violations.empty());
  history.limits = Limits(2);
  JudgeQuorums(QuorumView(history), harness::Permits{}, violations);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].property, Judged::kPermitsServer);
  EXPECT_EQ(violations[0].client, 2);
}

TEST(QuorumTest, ReadersHaveQuorumsSideBySide) {
  History history = AllHave({0, 1});
  for (ServerHold& entry : history.server_holds) entry.shared = true;
  std::vector<Violation> violations;
  JudgeQuorums(QuorumView(history), {}, violations);
  EXPECT_TRUE(violations.empty());
  for (ServerHold& entry : history.server_holds) entry.shared = entry.client == 0;
  JudgeQuorums(QuorumView(history), {}, violations);
  EXPECT_EQ(violations.size(), 1U);
}

}  // namespace
}  // namespace interlock::scenarios
