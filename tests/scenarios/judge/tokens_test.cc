// SPDX-License-Identifier: MIT
//
// Tokens (LK007), judged on hand-written histories.
#include "scenarios/judge/tokens.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;

std::vector<Violation> TokenVerdict(const History& history) {
  std::vector<Violation> violations;
  JudgeTokens(history, violations);
  return violations;
}

ClientHold Fenced(ClientHold hold, std::uint64_t token) {
  hold.fencing_token = token;
  return hold;
}

/// C1, C2 and C3 are granted one after the other with these fencing tokens.
History ThreeGrants(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(1, Ms(2000), Ms(3000)),
                          Owns(2, Ms(4000), Ms(5000))};
  history.holds = {Fenced(Believes(0, Ms(11), Ms(1000)), first),
                   Fenced(Believes(1, Ms(2001), Ms(2990)), second),
                   Fenced(Believes(2, Ms(4001), Ms(4990)), third)};
  history.holds[0].asked = Ms(9);
  history.holds[1].asked = Ms(1999);
  history.holds[2].asked = Ms(3999);
  return history;
}

TEST(TokensTest, FencingTokensThatIncreaseAreFine) {
  EXPECT_THAT(TokenVerdict(ThreeGrants(33, 34, 90)), IsEmpty());
}

TEST(TokensTest, AFencingTokenThatFallsIsConvicted) {
  const auto violations = TokenVerdict(ThreeGrants(33, 34, 1));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTokens));
  EXPECT_EQ(violations[0].at, Ms(4001));
  EXPECT_EQ(violations[0].client, 2);
  EXPECT_THAT(violations[0].what, HasSubstr("fencing token 1, after C2 had been granted with 34"));
}

TEST(TokensTest, AnEqualFencingTokenIsConvicted) {
  const auto violations = TokenVerdict(ThreeGrants(33, 33, 34));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTokens));
  EXPECT_EQ(violations[0].at, Ms(2001));
}

TEST(TokensTest, OfGrantsAtOneInstantTheOrderIsThatOfTheServerToo) {
  for (const bool second_client_first : {true, false}) {
    History history = NewHistory();
    history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(1, Ms(10), Ms(1010))};
    if (second_client_first) std::swap(history.server_holds[0], history.server_holds[1]);
    history.holds = {Fenced(Believes(0, Ms(11), Ms(1000)), 34),
                     Fenced(Believes(1, Ms(11), Ms(1000)), 33)};
    for (ClientHold& hold : history.holds) hold.asked = Ms(9);
    EXPECT_EQ(TokenVerdict(history).empty(), second_client_first);
  }
}

// One command may let several in, as from the line where two permits have become free.
TEST(TokensTest, GrantsOfOneCommandHaveNoOrderAmongThemselves) {
  for (const bool one_command : {true, false}) {
    History history = NewHistory();
    history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(1, Ms(10), Ms(1010))};
    history.server_holds[1].beside = one_command;
    history.holds = {Fenced(Believes(0, Ms(11), Ms(1000)), 34),
                     Fenced(Believes(1, Ms(11), Ms(1000)), 33)};
    for (ClientHold& hold : history.holds) hold.asked = Ms(9);
    EXPECT_EQ(TokenVerdict(history).empty(), one_command);
  }
}

// C1's reply took so long that C2 learned of its grant first: the order is the server's.
TEST(TokensTest, TheOrderIsThatOfTheServerNotOfTheClients) {
  History history = ThreeGrants(33, 34, 90);
  history.holds[0].belief = {{Ms(2500), Ms(2600)}};
  EXPECT_THAT(TokenVerdict(history), IsEmpty());
  history = ThreeGrants(34, 33, 90);
  history.holds[0].belief = {{Ms(2500), Ms(2600)}};
  EXPECT_THAT(PropertiesOf(TokenVerdict(history)), ElementsAre(Judged::kTokens));
}

TEST(TokensTest, GrantsWithoutFencingTokensAreNotCompared) {
  History history = ThreeGrants(33, 34, 90);
  for (ClientHold& hold : history.holds) hold.fencing_token.reset();
  EXPECT_THAT(TokenVerdict(history), IsEmpty());
}

TEST(TokensTest, AnOwnerTokenOfTwoGrantsIsConvicted) {
  History history = ThreeGrants(33, 34, 90);
  history.holds[2].token = history.holds[0].token;
  const auto violations = TokenVerdict(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kTokens));
  EXPECT_EQ(violations[0].at, Ms(4001));
  EXPECT_THAT(violations[0].what, HasSubstr("owner token"));
}

TEST(TokensTest, TheTokenOfAnAttemptThatFailedMustNotComeBack) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(0, Ms(2000), Ms(3000))};
  history.holds = {Believes(0, Ms(2001), Ms(2990))};
  history.holds[0].asked = Ms(1999);
  EXPECT_THAT(PropertiesOf(TokenVerdict(history)), ElementsAre(Judged::kTokens));
}

// A try whose reply was lost is repeated with the same token: still one request, one grant.
TEST(TokensTest, ARepeatedTryOfOneRequestKeepsItsToken) {
  History history = NewHistory();
  history.server_holds = {Owns(0, Ms(10), Ms(1010)), Owns(0, Ms(2000), Ms(3000))};
  history.holds = {Believes(0, Ms(2001), Ms(2990))};
  history.holds[0].asked = Ms(9);
  EXPECT_THAT(TokenVerdict(history), IsEmpty());
}

TEST(TokensTest, LocksWithoutOwnerTokensReuseNone) {
  History history = ThreeGrants(33, 34, 90);
  for (ClientHold& hold : history.holds) hold.token.clear();
  for (ServerHold& hold : history.server_holds) hold.token.clear();
  EXPECT_THAT(TokenVerdict(history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
