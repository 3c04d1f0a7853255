// SPDX-License-Identifier: MIT
//
// Tokens are pasted from chats and cut by terminals: whatever is not exactly what was written must
// be refused, with a sentence that says why.
#include "scenarios/cases/replay_token.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;

ReplayToken SeedToken() {
  return {"mutex", "chaos", SynchronyClass::kArbitrary, std::uint64_t{0x1234abcd}};
}

ReplayToken PackedToken() {
  PackedRun run;
  run.workload = Generator(*FindScenario("chaos")).Draw(5);
  run.tape.lanes = {{{1, 2, 300}, {}, {4'294'967'295U}}};
  return {"broken/get-compare-del", "pause", SynchronyClass::kBounded, run};
}

std::string WithCheckSum(const std::string& body) {
  char digits[16];
  std::snprintf(digits, sizeof digits, ":%08x", TokenCheckSum(body));
  return body + digits;
}

std::string Refusal(std::string_view text) {
  const auto token = DecodeReplayToken(text);
  EXPECT_FALSE(token.ok()) << text;
  if (token.ok()) return {};
  EXPECT_EQ(token.code(), StatusCode::kInvalidArgument);
  return std::string(token.status().message());
}

void ExpectSame(const ReplayToken& expected, const Result<ReplayToken>& actual) {
  ASSERT_TRUE(actual.ok()) << actual.status().ToString();
  EXPECT_EQ(actual->lock, expected.lock);
  EXPECT_EQ(actual->scenario, expected.scenario);
  EXPECT_EQ(actual->synchrony, expected.synchrony);
  EXPECT_EQ(actual->run, expected.run);
}

TEST(ReplayTokenTest, ASeedComesBack) {
  ExpectSame(SeedToken(), DecodeReplayToken(Encode(SeedToken())));
}

TEST(ReplayTokenTest, APackedRunComesBack) {
  ExpectSame(PackedToken(), DecodeReplayToken(Encode(PackedToken())));
}

TEST(ReplayTokenTest, AWorkloadOfEachScenarioComesBack) {
  for (const Scenario& scenario : Catalogue()) {
    ReplayToken token = PackedToken();
    std::get<PackedRun>(token.run).workload = Generator(scenario).Draw(3);
    SCOPED_TRACE(scenario.name);
    ExpectSame(token, DecodeReplayToken(Encode(token)));
  }
}

TEST(ReplayTokenTest, WhatIsGuardedComesBack) {
  for (const GuardKind guard :
       {GuardKind::kUnfenced, GuardKind::kFenced, GuardKind::kCheckAndSet}) {
    ReplayToken token = PackedToken();
    Workload& workload = std::get<PackedRun>(token.run).workload;
    workload.guard = guard;
    workload.clients[0].operations = {{.heedless = true, .stall = std::chrono::seconds(15)},
                                      {.ask = Ask::kWait, .shared = true}};
    ExpectSame(token, DecodeReplayToken(Encode(token)));
    workload.life = std::chrono::milliseconds(70);
    workload.clients[0].limit = 0;
    workload.clients[0].lease = workload.lease / 2;
    workload.clients[0].operations = {{.sets_limit = 3}, {.hold = Duration(5)}};
    ExpectSame(token, DecodeReplayToken(Encode(token)));
  }
}

TEST(ReplayTokenTest, StopsAndOperatorsComeBack) {
  ReplayToken token = PackedToken();
  std::get<PackedRun>(token.run).workload.clients[0].operations = {
      {.ask = Ask::kWait, .stops = true, .stop_after = std::chrono::seconds(3)},
      {.ask = Ask::kWait, .shared = true, .stops = true},
      {.hold = std::chrono::seconds(1), .extend = true, .forces = true}};
  ExpectSame(token, DecodeReplayToken(Encode(token)));
}

// Whoever can compute a check sum can ask for a run that is none.
TEST(ReplayTokenTest, APackedRunThatCannotBeRunIsRefused) {
  const auto refusal = [](const std::function<void(Workload&)>& spoil) {
    ReplayToken token = PackedToken();
    spoil(std::get<PackedRun>(token.run).workload);
    return Refusal(Encode(token));
  };
  EXPECT_THAT(refusal([](Workload& w) { w.lease = std::chrono::hours(24) + Duration(1); }),
              HasSubstr("longer than 24 hours"));
  EXPECT_THAT(refusal([](Workload& w) { w.lease = std::chrono::microseconds(999); }),
              HasSubstr("shorter than 1 ms"));
  EXPECT_THAT(refusal([](Workload& w) { w.clients.clear(); }), HasSubstr("no clients"));
  EXPECT_THAT(refusal([](Workload& w) { w.permits = 0; }), HasSubstr("no permits"));
  EXPECT_THAT(refusal([](Workload& w) { w.resources = 0; }), HasSubstr("no resources"));
  EXPECT_THAT(refusal([](Workload& w) { w.nodes = 3; }), HasSubstr("topology"));
  EXPECT_THAT(refusal([](Workload& w) { w.clients[0].clock_rate_ppm = 500'001; }),
              HasSubstr("rate"));
  EXPECT_THAT(refusal([](Workload& w) { w.clients[0].lease = w.lease + Duration(1); }),
              HasSubstr("longer than that of all"));
  EXPECT_THAT(refusal([](Workload& w) { w.clients[0].lease = std::chrono::microseconds(999); }),
              HasSubstr("own lease is shorter than 1 ms"));
  EXPECT_THAT(refusal([](Workload& w) { w.life = std::chrono::microseconds(999); }),
              HasSubstr("lives for less"));
  EXPECT_THAT(
      refusal([](Workload& w) { w.clients[0].operations = {{.ask = static_cast<Ask>(3)}}; }),
      HasSubstr("asks in a way"));
  EXPECT_THAT(refusal([](Workload& w) {
                w.resources = 1;
                w.clients[0].operations = {{.resource = 1}};
              }),
              HasSubstr("no resource"));
  EXPECT_THAT(refusal([](Workload& w) {
                w.clients[0].faults = {{static_cast<sim::FaultKind>(255), 0, {}}};
              }),
              HasSubstr("not known"));
  EXPECT_THAT(refusal([](Workload& w) {
                w.clients[0].faults = {{.kind = sim::FaultKind::kCrash, .node = 1}};
              }),
              HasSubstr("no server"));
}

// Tokens in old logs must stay readable: the form is pinned, check sum included.
TEST(ReplayTokenTest, TheFormOfASeedTokenIsFixed) {
  EXPECT_EQ(Encode(SeedToken()), WithCheckSum("v2:mutex:chaos:arbitrary:r1234abcd"));
  EXPECT_EQ(TokenCheckSum("123456789"), 0xcbf43926U);  // the check value of CRC-32
}

TEST(ReplayTokenTest, ATokenNeedsNoQuotingInAShell) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:./_-";
  EXPECT_EQ(Encode(PackedToken()).find_first_not_of(kPlain), std::string::npos);
}

TEST(ReplayTokenTest, EveryDamagedCharacterIsDetected) {
  for (const std::string& token : {Encode(SeedToken()), Encode(PackedToken())}) {
    for (std::size_t i = 0; i < token.size(); ++i) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string damaged = token;
        damaged[i] = static_cast<char>(byte);
        if (damaged == token) continue;
        ASSERT_FALSE(DecodeReplayToken(damaged).ok()) << damaged;
      }
    }
  }
}

TEST(ReplayTokenTest, EveryCutAndEveryLostCharacterIsDetected) {
  const std::string token = Encode(PackedToken());
  for (std::size_t i = 0; i < token.size(); ++i) {
    EXPECT_FALSE(DecodeReplayToken(token.substr(0, i)).ok()) << i;
    EXPECT_FALSE(DecodeReplayToken(token.substr(i + 1)).ok()) << i;
    std::string shorter = token;
    shorter.erase(i, 1);
    EXPECT_FALSE(DecodeReplayToken(shorter).ok()) << i;
  }
  EXPECT_FALSE(DecodeReplayToken(token + " ").ok());
}

TEST(ReplayTokenTest, AnotherVersionIsNamedInTheRefusal) {
  const std::string refusal = Refusal(WithCheckSum("v1:mutex:chaos:arbitrary:r1"));
  EXPECT_THAT(refusal, HasSubstr("version v1"));
  EXPECT_THAT(refusal, HasSubstr("v2"));
  EXPECT_THAT(Refusal("v10:whatever:it:may:look:like:then"), HasSubstr("version v10"));
}

TEST(ReplayTokenTest, RefusalsSayWhatIsWrong) {
  EXPECT_THAT(Refusal(""), HasSubstr("not a replay token"));
  EXPECT_THAT(Refusal("hello"), HasSubstr("not a replay token"));
  EXPECT_THAT(Refusal("v2:mutex"), HasSubstr("cut"));
  EXPECT_THAT(Refusal("v2:mutex:chaos:arbitrary:r1:00000000"), HasSubstr("check sum"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:sometimes:r1")), HasSubstr("sometimes"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:rxyz")), HasSubstr("seed"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:r")), HasSubstr("seed"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:r11112222333344445")), HasSubstr("seed"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:pAAAA")), HasSubstr("packed run"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:p!")), HasSubstr("packed run"));
  EXPECT_THAT(Refusal(WithCheckSum("v2:mutex:chaos:none:")), HasSubstr("packed run"));
}

}  // namespace
}  // namespace interlock::scenarios
