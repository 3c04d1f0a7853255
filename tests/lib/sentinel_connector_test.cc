// SPDX-License-Identifier: MIT
//
// Whom the sentinels' word sends commands to, and when a connection may no longer be used.
#include <interlock/sentinel_connector.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/mutex.h>
#include <interlock/observer.h>

#include "tests/lib/nodes_test.h"

namespace interlock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Answer;
using testing::Array;
using testing::Integer;
using testing::Nil;
using testing::Text;

constexpr int kOld = 1001;
constexpr int kNew = 1002;

class SentinelConnectorTest : public NodesTest {
 protected:
  SentinelConnectorTest() {
    for (int sentinel = 1; sentinel <= 3; ++sentinel) Names(sentinel, kOld);
    IsMaster(kOld, true);
    IsMaster(kNew, true);
  }

  static Answer Address(int port) {
    return Answer::With(Array({Text("10.0.0.1"), Text(std::to_string(port))}));
  }

  /// From now on `sentinel` names the server at `port`.
  void Names(int sentinel, int port) {
    Node(sentinel).Otherwise([port](const auto& argv) {
      EXPECT_EQ(argv.at(0) + " " + argv.at(1) + " " + argv.at(2),
                "SENTINEL get-master-addr-by-name main");
      return Address(port);
    });
  }

  void IsMaster(int port, bool master) {
    Node(port).Otherwise([port, master](const auto& argv) {
      if (argv.at(0) == "ROLE") return Answer::With(Array({Text(master ? "master" : "slave")}));
      return Answer::With(Integer(port));
    });
  }

  std::unique_ptr<SentinelConnector> Make(SentinelOptions options = {}) {
    options.sentinels = {At(1), At(2), At(3)};
    options.master_name = "main";
    if (!options.observer) options.observer = Recorder();
    auto made = SentinelConnector::Create(runtime_, ToNodes(), ToNodes(), std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return std::move(made).value();
  }

  std::unique_ptr<Connection> MustConnect(SentinelConnector& connector) {
    auto made = connector.Connect(In(seconds(1)));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? std::move(made).value() : nullptr;
  }

  int Asked() {
    int asked = 0;
    for (int sentinel = 1; sentinel <= 3; ++sentinel) {
      asked += static_cast<int>(Node(sentinel).sent().size());
    }
    return asked;
  }
};

TEST_F(SentinelConnectorTest, ConnectsToTheMasterThatAMajorityNames) {
  const auto connector = Make();
  Names(1, kNew);
  const auto connection = MustConnect(*connector);
  ASSERT_NE(connection, nullptr);
  EXPECT_EQ(Call(*connection, {"GET", "k"})->integer, kOld);
  EXPECT_EQ(Asked(), 3);
  EXPECT_EQ(Count(Kind::kMasterFound), 1);
  EXPECT_EQ(connector->endpoint(), "redis+sentinel://10.0.0.1:1,10.0.0.1:2,10.0.0.1:3/main");
}

TEST_F(SentinelConnectorTest, AMinorityIsNotBelieved) {
  const auto connector = Make();
  Node(1).FailEveryConnect(Status(StatusCode::kUnavailable, "cut off"));
  Node(2).FailEveryConnect(Status(StatusCode::kUnavailable, "cut off"));
  const auto made = connector->Connect(In(seconds(1)));
  EXPECT_EQ(made.code(), StatusCode::kUnavailable);
  EXPECT_NE(made.status().message().find("fewer than 2"), std::string::npos);
  EXPECT_LE(runtime_.elapsed(), seconds(1));
  EXPECT_GT(Count(Kind::kRetried), 2);
}

TEST_F(SentinelConnectorTest, OneIsEnoughIfToldSo) {
  const auto connector = Make({.agreeing = 1});
  Node(1).FailEveryConnect(Status(StatusCode::kUnavailable, "down"));
  EXPECT_NE(MustConnect(*connector), nullptr);
  Node(1).FailEveryConnect(std::nullopt);
  // The one that failed comes last now.
  EXPECT_NE(MustConnect(*connector), nullptr);
  EXPECT_EQ(Node(1).connects(), 0);
  EXPECT_EQ(Node(2).connects(), 1);
}

TEST_F(SentinelConnectorTest, WaitsForTheNewMasterToBeOne) {
  const auto connector = Make();
  for (int sentinel = 1; sentinel <= 3; ++sentinel) Names(sentinel, kNew);
  Node(kNew).Expect("ROLE", Answer::With(Array({Text("slave")})));
  Node(kNew).Expect("ROLE", Answer::With(Array({Text("slave")})));
  EXPECT_NE(MustConnect(*connector), nullptr);
  EXPECT_EQ(Count(Kind::kRetried), 2);
}

TEST_F(SentinelConnectorTest, AnUnknownNameIsAMistake) {
  const auto connector = Make();
  for (int sentinel = 1; sentinel <= 3; ++sentinel) {
    Node(sentinel).Otherwise([](const auto&) { return Answer::With(Nil()); });
  }
  const auto made = connector->Connect(In(seconds(1)));
  EXPECT_EQ(made.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(made.status().message().find("main"), std::string::npos);
}

// The sentinels switched and the old master, cut off from them, goes on answering: no command may
// be sent to it once the last confirmation is too old.
TEST_F(SentinelConnectorTest, TalksNoLongerToAMasterThatWasReplaced) {
  const auto connector = Make();
  const auto connection = MustConnect(*connector);
  for (int sentinel = 1; sentinel <= 3; ++sentinel) Names(sentinel, kNew);
  runtime_.Advance(milliseconds(400));
  EXPECT_TRUE(Call(*connection, {"GET", "k"}).ok());
  runtime_.Advance(milliseconds(601));
  const std::size_t sent = Node(kOld).sent().size();
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(Node(kOld).sent().size(), sent);
  EXPECT_EQ(Count(Kind::kSwitched), 1);
  EXPECT_EQ(Count(Kind::kDropped), 1);
}

// Cut off together with the old master and one sentinel that still believes in it.
TEST_F(SentinelConnectorTest, TalksToNobodyWhereThereIsNoMajority) {
  const auto connector = Make();
  const auto connection = MustConnect(*connector);
  for (const int sentinel : {2, 3}) {
    Node(sentinel).Otherwise([](const auto&) { return Answer::Reset(); });
  }
  Node(2).FailEveryConnect(Status(StatusCode::kUnavailable, "cut off"));
  Node(3).FailEveryConnect(Status(StatusCode::kUnavailable, "cut off"));
  runtime_.Advance(seconds(2));
  EXPECT_EQ(Call(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
  EXPECT_TRUE(connection->broken());
}

TEST_F(SentinelConnectorTest, ASendGivesUpAtItsDeadlineIfTheSentinelsHang) {
  const auto connector = Make({.sentinel_timeout = seconds(5)});
  const auto connection = MustConnect(*connector);
  runtime_.Advance(seconds(60));
  for (int sentinel = 1; sentinel <= 3; ++sentinel) {
    Node(sentinel).Otherwise([](const auto& /*argv*/) { return Answer::Lost(); });
    Node(sentinel).HangEveryConnect();
  }
  const MonotonicTime deadline = In(milliseconds(30));
  const std::vector<std::string_view> command = {"GET", "key"};
  EXPECT_EQ(connection->Send(command, deadline).code(), StatusCode::kUnavailable);
  EXPECT_EQ(runtime_.Now(), deadline);
}

TEST_F(SentinelConnectorTest, AsksOncePerRecheckAndNotPerCommand) {
  const auto connector = Make();
  const auto first = MustConnect(*connector);
  const auto second = MustConnect(*connector);
  const int before = Asked();
  for (int i = 0; i < 40; ++i) {
    runtime_.Advance(milliseconds(100));
    EXPECT_TRUE(Call(*first, {"GET", "k"}).ok());
    EXPECT_TRUE(Call(*second, {"GET", "k"}).ok());
  }
  // Each round asks two; the next one is made at half the age.
  EXPECT_EQ(Asked() - before, 2 * 6);
}

TEST_F(SentinelConnectorTest, ADemotionEndsTheConnectionAndAsksAgain) {
  const auto connector = Make();
  const auto idle = MustConnect(*connector);
  const auto used = MustConnect(*connector);
  Node(kOld).Expect("SET", Error("READONLY You can't write against a read only replica."));
  const Result<Reply> reply = Call(*used, {"SET", "k", "v"});
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->IsError());
  EXPECT_TRUE(used->broken());
  for (int sentinel = 1; sentinel <= 3; ++sentinel) Names(sentinel, kNew);
  EXPECT_EQ(Call(*idle, {"GET", "k"}).code(), StatusCode::kUnavailable);
}

// The whole way, as a lock goes it: refused by the demoted server, granted by the new one.
TEST_F(SentinelConnectorTest, ALockFollowsTheSwitchWithinOneTry) {
  const auto counts = std::make_shared<CountingObserver>();
  const auto connector = Make({.observer = ToTopologyObserver(counts)});
  Client client(runtime_, *connector, {.observer = counts});
  Mutex mutex = Mutex::Create(client, "res").value();
  const Answer granted = Answer::With(Array({Integer(1), Text("7")}));
  Node(kOld).Expect("ROLE", Answer::With(Array({Text("master")})));
  Node(kOld).Expect("EVALSHA", granted);
  Node(kOld).Expect("EVALSHA", Answer::With(Integer(1)));
  EXPECT_TRUE(mutex.TryAcquire()->Release().ok());
  for (int sentinel = 1; sentinel <= 3; ++sentinel) Names(sentinel, kNew);
  Node(kOld).Expect("EVALSHA", Error("READONLY You can't write against a read only replica."));
  Node(kNew).Expect("ROLE", Answer::With(Array({Text("master")})));
  Node(kNew).Expect("EVALSHA", granted);
  Node(kNew).Expect("EVALSHA", Answer::With(Integer(1)));
  EXPECT_TRUE(mutex.TryAcquire()->Release().ok());
  EXPECT_EQ(counts->count(Kind::kMasterFound), 1U);
  EXPECT_EQ(counts->count(Kind::kDropped), 1U);
  EXPECT_EQ(counts->count(Kind::kSwitched), 1U);
  EXPECT_EQ(counts->count(Observation::Kind::kReconnected), 1U);
  EXPECT_EQ(counts->count(Observation::Kind::kGranted), 2U);
}

TEST(SentinelOptionsTest, ValuesOutOfRangeAreRefused) {
  const SentinelOptions good = {.sentinels = {{"h", 1}}, .master_name = "m"};
  EXPECT_TRUE(Validate(good).ok());
  const auto refused = [&](auto change) {
    SentinelOptions options = good;
    change(options);
    return Validate(options).code() == StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused([](auto& o) { o.sentinels.clear(); }));
  EXPECT_TRUE(refused([](auto& o) { o.sentinels[0].host = ""; }));
  EXPECT_TRUE(refused([](auto& o) { o.sentinels[0].port = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.master_name = ""; }));
  EXPECT_TRUE(refused([](auto& o) { o.agreeing = 2; }));
  EXPECT_TRUE(refused([](auto& o) { o.sentinel_timeout = Duration(0); }));
  EXPECT_TRUE(refused([](auto& o) { o.recheck = Duration(0); }));
  EXPECT_TRUE(refused([](auto& o) { o.connect_timeout = Duration(0); }));
  EXPECT_TRUE(refused([](auto& o) { o.retry.first_pause = seconds(2); }));
}

}  // namespace
}  // namespace interlock
