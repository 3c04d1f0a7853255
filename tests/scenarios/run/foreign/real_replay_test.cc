// SPDX-License-Identifier: MIT
//
// Cases of foreign clients on a real redis-server: each property that is judged there, with a
// client of a few lines, and each way in which it cannot be done.
#include "scenarios/search/foreign/real_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/run/foreign/drive_case.h"
#include "sim/machine/redis_server.h"

namespace interlock::scenarios::drive {
namespace {

using reports::RowKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

const std::string kTake = "SET lock 1 NX PX 60000";
/// A command that the cases do not have, so the client waits at the relay and stays alive.
const std::string kStay = "GET other";

reports::Counterexample TwoColumns() {
  reports::Counterexample example;
  example.columns = {"C1", "C2", "redis"};
  return example;
}

/// A case of two clients, each of which sends its commands.
class DriveOnRealServerTest : public ::testing::Test {
 protected:
  void Clients(const Words& first, const Words& second) {
    case_.options.command = {"bash", INTERLOCK_CLIENT};
    Append(first);
    case_.options.command.insert(case_.options.command.end(), {"--and", "bash", INTERLOCK_CLIENT});
    Append(second);
  }
  void Append(const Words& words) {
    case_.options.command.insert(case_.options.command.end(), words.begin(), words.end());
  }
  void Row(std::size_t column, const std::string& text, RowKind kind = RowKind::kEvent) {
    reports::TableRow row;
    row.column = column;
    row.text = text;
    row.kind = kind;
    example_.rows.push_back(row);
  }
  Result<RealReplay> Replay(const std::string& property, const std::string& redis = "spawn") {
    example_.property = property;
    example_.program = ToJson(case_);
    RealReplayOptions options;
    options.redis = redis;
    options.times = 1;
    return ReplayOnRealServer(example_, options);
  }
  void ExpectReproduced(const std::string& property, const std::string& sentence) {
    const auto replay = Replay(property);
    ASSERT_TRUE(replay.ok()) << replay.status().message();
    EXPECT_EQ(replay->reproduced, 1U) << replay->difference << replay->impossible;
    EXPECT_THAT(replay->sentence, HasSubstr(sentence));
  }

  DriveCase case_;
  reports::Counterexample example_ = TwoColumns();
};

TEST_F(DriveOnRealServerTest, SectionsThatOverlapAreReproduced) {
  Clients({"INTERLOCK.ENTER stock", kStay}, {"PING", "INTERLOCK.ENTER stock"});
  Row(0, "INTERLOCK.ENTER stock");
  Row(1, "INTERLOCK.ENTER stock");
  ExpectReproduced("section-exclusion", "C2 entered stock while C1 was inside");
}

TEST_F(DriveOnRealServerTest, MoreClientsThanPermitsAreReproduced) {
  case_.options.permits = 2;
  case_.options.clients = 3;
  example_.columns = {"C1", "C2", "C3", "redis"};
  Clients({"INTERLOCK.ENTER stock", kStay}, {"INTERLOCK.ENTER stock", kStay});
  Row(1, "INTERLOCK.ENTER stock");
  Row(2, "INTERLOCK.ENTER stock");
  const auto few = Replay("permits-section");
  ASSERT_TRUE(few.ok()) << few.status().message();
  EXPECT_EQ(few->reproduced, 0U) << "two clients have the two permits";
  EXPECT_THAT(few->difference, IsEmpty());
  Row(0, "INTERLOCK.ENTER stock");
  ExpectReproduced("permits-section", "C1 entered stock while C2 and C3 were inside");
}

TEST_F(DriveOnRealServerTest, ALockThatIsTakenFromItsOwnerIsReproduced) {
  Clients({kTake, kStay}, {kTake, "SET lock 2"});
  Row(0, kTake);
  Row(0, "= OK");
  Row(1, kTake);
  Row(1, "= (nil)");
  Row(1, "SET lock 2");
  Row(1, "= OK");
  ExpectReproduced("server-exclusion", "C2 took lock, which C1 held, by SET lock 2");
}

TEST_F(DriveOnRealServerTest, AForeignReleaseByAScriptAfterALostReplyIsReproduced) {
  const std::string release = "EVAL \"return redis.call('del',KEYS[1])\" 1 lock";
  Clients({kTake, kStay}, {release});
  Row(0, "reset-after: the reply is lost", RowKind::kFault);
  Row(0, kTake);
  Row(0, "= OK");
  Row(1, release);
  Row(1, "= (integer) 1");
  ExpectReproduced("foreign-release", "C2 removed lock, which C1 held");
}

TEST_F(DriveOnRealServerTest, AForeignExtensionIsReproduced) {
  Clients({kTake, kStay}, {"PEXPIRE lock 90000"});
  Row(0, kTake);
  Row(0, "= OK");
  Row(1, "PEXPIRE lock 90000");
  Row(1, "= (integer) 1");
  ExpectReproduced("foreign-extend", "C2 prolonged lock, which C1 held");
}

TEST_F(DriveOnRealServerTest, WhatADeadOwnerLeavesIsReproduced) {
  Clients({"SETNX lock 1"}, {"SETNX lock 1"});
  Row(0, "SETNX lock 1");
  Row(0, "= (integer) 1");
  Row(0, "crash, before the reply", RowKind::kFault);
  Row(1, "SETNX lock 1");
  Row(1, "= (integer) 0");
  Row(1, "ended");
  ExpectReproduced("keys", "lock is left for ever");
}

TEST_F(DriveOnRealServerTest, TimeIsWaitedForUntilAStoppedOwnersLeaseHasRunOut) {
  const std::string take = "SET lock 1 NX PX 200";
  Clients({take, "DEL lock"}, {take, "GET lock"});
  Row(0, take);
  Row(0, "= OK");
  Row(0, "pause, before DEL lock, until a key has expired", RowKind::kFault);
  Row(2, "lock expired");
  Row(1, take);
  Row(1, "= OK");
  Row(0, "goes on", RowKind::kFault);
  Row(0, "DEL lock");
  Row(0, "= (integer) 1");
  ExpectReproduced("foreign-release", "C1 removed lock, which C2 held, by DEL lock");
}

TEST_F(DriveOnRealServerTest, WhatIsNotJudgedThereIsAsInTheCaseIfAllAnswersAre) {
  Clients({"GET lock"}, {"GET lock"});
  Row(0, "GET lock");
  Row(0, "= (nil)");
  example_.sentence = "as in the case";
  ExpectReproduced("deadlock", "as in the case");
  Row(1, "GET lock");
  Row(1, "= \"1\"");
  const auto differs = Replay("deadlock");
  ASSERT_TRUE(differs.ok());
  EXPECT_EQ(differs->reproduced, 0U);
  EXPECT_THAT(differs->difference, HasSubstr("the server answers GET lock with (nil), where it "
                                             "answers \"1\" in the case"));
}

TEST_F(DriveOnRealServerTest, AClientThatHasEndedOrDoesSomethingElseIsTheDifference) {
  Clients({"GET lock"}, {"GET other"});
  Row(0, "GET lock");
  Row(0, "= (nil)");
  Row(0, "DEL lock");
  auto replay = Replay("foreign-release");
  ASSERT_TRUE(replay.ok());
  EXPECT_THAT(replay->difference, HasSubstr("C1 has ended, where it sends DEL lock in the case"));
  example_.rows.clear();
  Row(1, "SET lock 1");
  replay = Replay("foreign-release");
  ASSERT_TRUE(replay.ok());
  EXPECT_THAT(replay->difference,
              HasSubstr("C2 sends GET other, where it sends SET lock 1 in the case"));
}

TEST_F(DriveOnRealServerTest, WhatCannotBeDoneIsSaid) {
  Clients({"GET lock"}, {"GET lock"});
  Row(0, "its clock goes 10 % too fast", RowKind::kFault);
  auto replay = Replay("foreign-release");
  ASSERT_TRUE(replay.ok());
  EXPECT_EQ(replay->tries, 0U);
  EXPECT_THAT(replay->impossible, HasSubstr("clock is set wrong"));
  example_.rows.clear();
  Row(0, "GET lock");
  example_.rows.back().time_ns = 3'600'000'000'000;
  replay = Replay("foreign-release");
  ASSERT_TRUE(replay.ok());
  EXPECT_THAT(replay->impossible, HasSubstr("it lasts 1h"));
}

TEST_F(DriveOnRealServerTest, AServerWithKeysIsRefusedAndAnEmptyOneLeftEmpty) {
  auto server = sim::machine::RedisServer::Start();
  ASSERT_TRUE(server.ok()) << server.status().message();
  Clients({"SET mine 1"}, {"GET lock"});
  Row(0, "SET mine 1");
  const auto replay = Replay("foreign-release", (*server)->url());
  ASSERT_TRUE(replay.ok()) << replay.status().message();
  EXPECT_EQ(replay->commands, 1U);
  EXPECT_EQ((*server)->Command({"DBSIZE"}).value(), "0");
  ASSERT_TRUE((*server)->Command({"SET", "yours", "1"}).ok());
  const auto refused = Replay("foreign-release", (*server)->url());
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("has 1 keys"));
  const std::string gone = (*server)->url();
  (*server)->Kill();
  EXPECT_EQ(Replay("foreign-release", gone).code(), StatusCode::kUnavailable);
}

TEST_F(DriveOnRealServerTest, ServersElsewhereOrTooFewAreRefused) {
  Clients({"GET lock"}, {"GET lock"});
  Row(0, "GET lock");
  EXPECT_EQ(Replay("keys", "redis://192.0.2.1:6379").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Replay("keys", "http://127.0.0.1").code(), StatusCode::kInvalidArgument);
  case_.options.nodes = 3;
  const auto few = Replay("keys", "redis://127.0.0.1:1");
  EXPECT_EQ(few.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(few.status().message()), HasSubstr("the case has 3 servers, and 1"));
}

}  // namespace
}  // namespace interlock::scenarios::drive
