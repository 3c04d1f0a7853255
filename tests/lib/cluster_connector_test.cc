// SPDX-License-Identifier: MIT
//
// Which node a command is sent to, and what follows from its answer.
#include <interlock/cluster_connector.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <interlock/client.h>
#include <interlock/mutex.h>

#include "src/cluster_slots.h"
#include "src/key_slot.h"
#include "tests/lib/nodes_test.h"

namespace interlock {
namespace {

using internal::KeyOf;
using internal::kSlots;
using internal::SlotOf;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Answer;
using testing::Array;
using ::testing::ElementsAre;
using testing::Integer;
using testing::Nil;
using testing::Text;

TEST(KeySlotTest, IsThatOfTheSpecification) {
  EXPECT_EQ(SlotOf("123456789"), 0x31C3);
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf(""), 0);
  EXPECT_EQ(SlotOf("{user1000}.following"), SlotOf("user1000"));
  EXPECT_EQ(SlotOf("foo{}{bar}"), 8363);
  EXPECT_EQ(SlotOf("foo{{bar}}zap"), SlotOf("{bar"));
  EXPECT_EQ(SlotOf("foo{bar}{zap}"), SlotOf("bar"));
}

TEST(KeySlotTest, FindsTheKeyOfEachCommand) {
  const auto key = [](std::vector<std::string_view> argv) { return KeyOf(argv).value_or("-"); };
  EXPECT_EQ(key({"EVALSHA", "abc", "2", "k1", "k2", "x"}), "k1");
  EXPECT_EQ(key({"eval", "return 1", "0", "x"}), "-");
  EXPECT_EQ(key({"BLPOP", "list", "1.000"}), "list");
  EXPECT_EQ(key({"WAIT", "1", "100"}), "-");
  EXPECT_EQ(key({"WAITAOF", "1", "1", "100"}), "-");
  EXPECT_EQ(key({"PING"}), "-");
}

constexpr int kLow = 1001;       // owns the lower half of the slots
constexpr int kHigh = 1002;      // owns the upper half
const char* const kKey = "foo";  // slot 12182

class ClusterConnectorTest : public NodesTest {
 protected:
  ClusterConnectorTest() {
    for (const int node : {kLow, kHigh}) Serves(node, kSlots / 2);
  }

  static Reply Range(int first, int last, int port) {
    return Array({Integer(first), Integer(last), Array({Text("10.0.0.1"), Integer(port)})});
  }

  /// `port` tells the table and answers everything else with its own number.
  void Serves(int port, int first_high) {
    Node(port).Otherwise([port, first_high](const auto& argv) {
      if (argv.at(0) != "CLUSTER") return Answer::With(Integer(port));
      return Answer::With(
          Array({Range(0, first_high - 1, kLow), Range(first_high, kSlots - 1, kHigh)}));
    });
  }

  std::unique_ptr<Connection> MustConnect(ClusterOptions options = {}) {
    options.seeds = {At(kLow), At(kHigh)};
    options.observer = Recorder();
    auto made = ClusterConnector::Create(runtime_, ToNodes(), std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    connector_ = std::move(made).value();
    auto connection = connector_->Connect(In(seconds(1)));
    EXPECT_TRUE(connection.ok()) << connection.status().ToString();
    return connection.ok() ? std::move(connection).value() : nullptr;
  }

  /// The commands that a node was sent, without those that read the table.
  std::vector<std::string> SentTo(int port) {
    std::vector<std::string> names;
    for (const auto& sent : Node(port).sent()) {
      if (sent.argv[0] != "CLUSTER") names.push_back(sent.argv[0]);
    }
    return names;
  }

  std::unique_ptr<ClusterConnector> connector_;
};

TEST_F(ClusterConnectorTest, EachCommandGoesToTheOwnerOfItsSlot) {
  const auto connection = MustConnect();
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kHigh);
  EXPECT_EQ(Call(*connection, {"EVALSHA", "abc", "1", ""})->integer, kLow);
  EXPECT_EQ(Node(kHigh).connects(), 1);
  EXPECT_EQ(Count(Kind::kSlotsLearned), 1);
  EXPECT_EQ(connector_->endpoint(), "redis+cluster://10.0.0.1:1001,10.0.0.1:1002");
}

TEST_F(ClusterConnectorTest, ACommandWithoutAKeyFollowsTheOneBefore) {
  const auto connection = MustConnect();
  EXPECT_TRUE(Call(*connection, {"PING"}).ok());
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kHigh);
  EXPECT_EQ(Call(*connection, {"WAIT", "1", "10"})->integer, kHigh);
}

TEST_F(ClusterConnectorTest, MovedIsFollowedAndRemembered) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Error("MOVED 12182 10.0.0.1:1001"));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
  EXPECT_EQ(Count(Kind::kMoved), 1);
  // The whole table is read again, but not at once; here it still names the old owner.
  runtime_.Advance(milliseconds(50));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kHigh);
  EXPECT_EQ(Count(Kind::kSlotsLearned), 2);
}

TEST_F(ClusterConnectorTest, MovedToANodeWithoutANameStaysOnTheHost) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Error("MOVED 12182 :1001"));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
}

TEST_F(ClusterConnectorTest, AskIsFollowedForOneCommandOnly) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Error("ASK 12182 10.0.0.1:1001"));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
  EXPECT_THAT(SentTo(kLow), ElementsAre("ASKING", "GET"));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kHigh);
  EXPECT_EQ(Count(Kind::kAsked), 1);
}

TEST_F(ClusterConnectorTest, RepliesComeInTheOrderOfTheCommands) {
  const auto connection = MustConnect();
  const std::vector<std::vector<std::string_view>> commands = {
      {"GET", kKey}, {"GET", ""}, {"GET", ""}, {"GET", kKey}};
  Node(kHigh).Expect("GET", Error("ASK 12182 10.0.0.1:1001"));
  Node(kHigh).Expect("GET", Answer::With(Text("fourth")));
  Node(kLow).Expect("GET", Answer::With(Text("second")));
  Node(kLow).Expect("GET", Answer::With(Text("third")));
  for (const auto& command : commands) ASSERT_TRUE(connection->Send(command, In(seconds(1))).ok());
  Node(kLow).Expect("ASKING", Answer::With(Text("dropped")));
  Node(kLow).Expect("GET", Answer::With(Text("first")));
  for (const char* expected : {"first", "second", "third", "fourth"}) {
    EXPECT_EQ(connection->Receive(In(seconds(1)))->text, expected);
  }
}

TEST_F(ClusterConnectorTest, NodesThatDisagreeEndInTheirErrorAndNotInALoop) {
  const auto connection = MustConnect({.max_resends = 5});
  for (int i = 0; i < 3; ++i) {
    Node(kHigh).Expect("GET", Error("MOVED 12182 10.0.0.1:1001"));
    Node(kLow).Expect("GET", Error("MOVED 12182 10.0.0.1:1002"));
  }
  const Result<Reply> reply = Call(*connection, {"GET", kKey});
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply->text, "MOVED 12182 10.0.0.1:1002");
  EXPECT_FALSE(connection->broken());
  EXPECT_EQ(Count(Kind::kRetried), 3);
}

TEST_F(ClusterConnectorTest, TryAgainIsTriedAgainAtTheOwner) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Error("ASK 12182 10.0.0.1:1001"));
  Node(kLow).Expect("ASKING", Answer::With(Integer(0)));
  Node(kLow).Expect("GET", Error("TRYAGAIN Multiple keys request during rehashing of slot"));
  Node(kHigh).Expect("GET", Error("MOVED 12182 10.0.0.1:1001"));
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
  EXPECT_GT(runtime_.elapsed(), milliseconds(5));
}

TEST_F(ClusterConnectorTest, NoPauseOutlastsTheDeadline) {
  const auto connection = MustConnect({.max_resends = 100});
  Node(kHigh).Otherwise([](const auto&) { return Error("CLUSTERDOWN The cluster is down"); });
  const std::vector<std::string_view> command = {"GET", kKey};
  const Result<Reply> reply = connection->Call(command, In(milliseconds(300)));
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->IsError());
  EXPECT_LE(runtime_.elapsed(), milliseconds(300));
}

TEST_F(ClusterConnectorTest, ABlockingPopGoesOnForTheRestOfItsTime) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("BLPOP", Error("MOVED 12182 10.0.0.1:1001").After(milliseconds(400)));
  Node(kLow).Expect("BLPOP", Answer::TimesOut());
  EXPECT_TRUE(Call(*connection, {"BLPOP", kKey, "0.900"})->IsNil());
  EXPECT_EQ(runtime_.elapsed(), milliseconds(900));
}

TEST_F(ClusterConnectorTest, AnOwnerThatIsGoneIsReplacedByItsSuccessor) {
  const auto connection = MustConnect();
  runtime_.Advance(seconds(1));
  Node(kHigh).FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  Serves(kLow, SlotOf(kKey) + 1);
  EXPECT_EQ(Call(*connection, {"GET", kKey})->integer, kLow);
}

TEST_F(ClusterConnectorTest, ASendGivesUpAtItsDeadlineIfTheOwnerHangs) {
  const auto connection = MustConnect({.node_timeout = seconds(5)});
  Node(kHigh).HangEveryConnect();
  const MonotonicTime deadline = In(milliseconds(30));
  const std::vector<std::string_view> command = {"GET", kKey};
  EXPECT_EQ(connection->Send(command, deadline).code(), StatusCode::kUnavailable);
  EXPECT_EQ(runtime_.Now(), deadline);
}

// A holder whose node hangs is told no later than its lease ends.
TEST_F(ClusterConnectorTest, AnExtensionReturnsByTheEndOfTheLeaseIfTheOwnerHangs) {
  (void)MustConnect({.node_timeout = seconds(5)});
  Client client(runtime_, *connector_,
                {.command_timeout = seconds(5), .connect_timeout = seconds(5)});
  Mutex mutex = Mutex::Create(client, kKey, {.lease = seconds(1)}).value();
  Node(kHigh).Expect("EVALSHA", Answer::With(Array({Integer(1), Text("7")})));
  Lease lease = mutex.TryAcquire().value();
  Node(kHigh).Expect("EVALSHA", Answer::NotSent());
  Node(kHigh).HangEveryConnect();
  Node(kLow).HangEveryConnect();
  const MonotonicTime end = lease.valid_until();
  EXPECT_EQ(lease.Extend().code(), StatusCode::kUnavailable);
  EXPECT_LE(runtime_.Now(), end);
  lease.Forget();
}

TEST_F(ClusterConnectorTest, ALostReplyIsAnUnknownOutcomeAndBreaksTheWhole) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Answer::Lost());
  EXPECT_EQ(Call(*connection, {"GET", kKey}).code(), StatusCode::kUnknownOutcome);
  EXPECT_TRUE(connection->broken());
  EXPECT_EQ(Call(*connection, {"GET", ""}).code(), StatusCode::kUnavailable);
}

TEST_F(ClusterConnectorTest, ARedirectionToADeadNodeHasDoneNothing) {
  const auto connection = MustConnect();
  Node(kHigh).Expect("GET", Error("MOVED 12182 10.0.0.1:1001"));
  Node(kLow).FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  const Result<Reply> reply = Call(*connection, {"GET", kKey});
  ASSERT_TRUE(reply.ok());
  EXPECT_TRUE(reply->text.starts_with("MOVED"));
}

TEST_F(ClusterConnectorTest, WithoutAnyNodeThereIsNoConnection) {
  (void)MustConnect();
  for (const int node : {kLow, kHigh}) {
    Node(node).FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  }
  auto made = ClusterConnector::Create(runtime_, ToNodes(), {.seeds = {At(kLow)}});
  EXPECT_EQ((*made)->Connect(In(seconds(1))).code(), StatusCode::kUnavailable);
}

// A node that the script was never loaded into gets its text, wherever the slot went meanwhile.
TEST_F(ClusterConnectorTest, AScriptIsSentInFullToANodeThatDoesNotKnowIt) {
  (void)MustConnect();
  Client client(runtime_, *connector_);
  Mutex mutex = Mutex::Create(client, kKey).value();
  const Answer granted = Answer::With(Array({Integer(1), Text("7")}));
  Node(kHigh).Expect("EVALSHA", Error("MOVED 12182 10.0.0.1:1001"));
  Node(kLow).Expect("EVALSHA", Error("NOSCRIPT No matching script. Please use EVAL."));
  Node(kLow).Expect("EVAL", granted);
  Node(kLow).Expect("EVALSHA", Answer::With(Integer(1)));
  EXPECT_TRUE(mutex.TryAcquire()->Release().ok());
}

TEST(ClusterSlotsTest, AnAnswerInAnUnknownFormIsNoTable) {
  const NodeAddress asked{"h", 1};
  const auto range = [](Reply first, Reply last, Reply node) {
    return Array({Array({std::move(first), std::move(last), std::move(node)})});
  };
  const Reply node = Array({Nil(), Integer(7)});
  const auto good = internal::ParseSlots(range(Integer(0), Integer(5), node), asked);
  ASSERT_TRUE(good.has_value());
  EXPECT_THAT(good->nodes, ElementsAre(NodeAddress{"h", 7}));
  EXPECT_EQ(good->OwnerOf(5), 0U);
  EXPECT_EQ(good->OwnerOf(6), std::nullopt);
  EXPECT_EQ(good->OwnerOf(-1), std::nullopt);
  EXPECT_FALSE(internal::ParseSlots(Text("x"), asked));
  EXPECT_FALSE(internal::ParseSlots(Array({Text("x")}), asked));
  EXPECT_FALSE(internal::ParseSlots(range(Integer(0), Integer(kSlots), node), asked));
  EXPECT_FALSE(internal::ParseSlots(range(Integer(6), Integer(5), node), asked));
  EXPECT_FALSE(internal::ParseSlots(range(Integer(-1), Integer(5), node), asked));
  EXPECT_FALSE(internal::ParseSlots(range(Integer(0), Integer(5), Text("x")), asked));
  EXPECT_FALSE(
      internal::ParseSlots(range(Integer(0), Integer(5), Array({Text("h"), Integer(0)})), asked));
}

TEST(ClusterOptionsTest, ValuesOutOfRangeAreRefused) {
  EXPECT_TRUE(Validate(ClusterOptions{.seeds = {{"h", 1}}}).ok());
  EXPECT_FALSE(Validate(ClusterOptions{}).ok());
  EXPECT_FALSE(Validate(ClusterOptions{.seeds = {{"h", 65536}}}).ok());
  EXPECT_FALSE(Validate(ClusterOptions{.seeds = {{"h", 1}}, .max_resends = 0}).ok());
  EXPECT_FALSE(Validate(ClusterOptions{.seeds = {{"h", 1}}, .node_timeout = Duration(0)}).ok());
}

}  // namespace
}  // namespace interlock
