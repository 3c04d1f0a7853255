// SPDX-License-Identifier: MIT
//
// The fault proxy between a hiredis connection and a real server: what it does to messages, and
// what then has and has not arrived.
#include "sim/machine/proxy/fault_proxy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/redis/redis_test.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FaultProxyTest : public interlock::testing::RedisTest {
 protected:
  /// `kind` strikes the second command of client 0; connecting has asked for a PONG.
  void Proxy(sim::machine::RealFaultKind kind, Duration length = {}) {
    auto proxy = sim::machine::FaultProxy::Start(
        2, {server_->port()}, {{.kind = kind, .client = 0, .step = 2, .length = length}});
    ASSERT_TRUE(proxy.ok()) << proxy.status().ToString();
    proxy_ = std::move(proxy).value();
    connection_ = MustConnect(UrlOf(0));
    ASSERT_NE(connection_, nullptr);
    ASSERT_TRUE(Call(*connection_, {"SET", "first", "1"}).ok());
  }

  std::string UrlOf(int client) const {
    return "redis://127.0.0.1:" + std::to_string(proxy_->port(client, 0)) + "/0";
  }

  bool Arrived() { return *server_->Command({"EXISTS", "second"}) == "1"; }

  Result<Reply> Second(Duration within) {
    return Call(*connection_, {"SET", "second", "2"}, within);
  }

  void ExpectStruck(sim::machine::RealFaultKind kind) {
    const auto strikes = proxy_->Collect();
    ASSERT_EQ(strikes.size(), 1U);
    EXPECT_EQ(strikes.front().kind, kind);
    EXPECT_EQ(strikes.front().client, 0);
    EXPECT_GE(strikes.front().until_ns, strikes.front().at_ns);
  }

  std::unique_ptr<sim::machine::FaultProxy> proxy_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(FaultProxyTest, ARequestIsHeldBackAndThenArrives) {
  Proxy(sim::machine::RealFaultKind::kDelayRequest, milliseconds(1500));
  EXPECT_FALSE(Second(milliseconds(100)).ok());
  EXPECT_FALSE(Arrived());
  EXPECT_TRUE(server_->Comes({"EXISTS", "second"}, "1"));
  ExpectStruck(sim::machine::RealFaultKind::kDelayRequest);
}

TEST_F(FaultProxyTest, AReplyIsHeldBackThoughTheCommandWasExecuted) {
  Proxy(sim::machine::RealFaultKind::kDelayReply, milliseconds(300));
  const MonotonicTime sent = runtime_.Now();
  EXPECT_TRUE(Second(seconds(5)).ok());
  EXPECT_GE(runtime_.Now() - sent, milliseconds(300));
  EXPECT_TRUE(Arrived());
  ExpectStruck(sim::machine::RealFaultKind::kDelayReply);
}

TEST_F(FaultProxyTest, ALostRequestNeverArrivesAndItsConnectionIsSilentUntilReset) {
  Proxy(sim::machine::RealFaultKind::kLostRequest);
  EXPECT_FALSE(Second(milliseconds(100)).ok());
  EXPECT_FALSE(Arrived());
  ExpectStruck(sim::machine::RealFaultKind::kLostRequest);
}

TEST_F(FaultProxyTest, ALostReplyBelongsToACommandThatWasExecuted) {
  Proxy(sim::machine::RealFaultKind::kLostReply);
  EXPECT_FALSE(Second(seconds(5)).ok()) << "a reset ends it, after a silence";
  EXPECT_TRUE(Arrived());
  ExpectStruck(sim::machine::RealFaultKind::kLostReply);
}

TEST_F(FaultProxyTest, AResetComesBeforeTheRequestOrAfterItsExecution) {
  Proxy(sim::machine::RealFaultKind::kResetBefore);
  EXPECT_FALSE(Second(seconds(5)).ok());
  EXPECT_FALSE(Arrived());
  ExpectStruck(sim::machine::RealFaultKind::kResetBefore);
  Proxy(sim::machine::RealFaultKind::kResetAfter);
  EXPECT_FALSE(Second(seconds(5)).ok());
  EXPECT_TRUE(Arrived());
  ExpectStruck(sim::machine::RealFaultKind::kResetAfter);
}

TEST_F(FaultProxyTest, AHalfOpenConnectionIsSilentWhileOthersGoOn) {
  Proxy(sim::machine::RealFaultKind::kHalfOpen);
  EXPECT_FALSE(Second(milliseconds(100)).ok());
  EXPECT_FALSE(Arrived());
  const auto another = MustConnect(UrlOf(0));
  ASSERT_NE(another, nullptr);
  EXPECT_TRUE(Call(*another, {"SET", "second", "2"}).ok());
  ExpectStruck(sim::machine::RealFaultKind::kHalfOpen);
}

TEST_F(FaultProxyTest, APartitionIsOfOneClientAndOneWayIfSaid) {
  Proxy(sim::machine::RealFaultKind::kPartition, milliseconds(1500));
  EXPECT_FALSE(Second(milliseconds(100)).ok());
  EXPECT_FALSE(Arrived());
  const auto other = MustConnect(UrlOf(1));
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(Call(*other, {"PING"}).ok());
  EXPECT_TRUE(server_->Comes({"EXISTS", "second"}, "1")) << "what was held back arrives";
  Proxy(sim::machine::RealFaultKind::kPartitionFromServer, milliseconds(1500));
  ASSERT_EQ(*server_->Command({"DEL", "second"}), "1");
  EXPECT_FALSE(Second(milliseconds(100)).ok());
  EXPECT_TRUE(Arrived());
}

TEST_F(FaultProxyTest, NewConnectionsGoWhereTheyAreLed) {
  Proxy(sim::machine::RealFaultKind::kPause);  // none of its own
  const auto next = interlock::testing::RedisServer::Start();
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  proxy_->Route({0, (*next)->port(), false});
  EXPECT_TRUE(Second(seconds(5)).ok());
  EXPECT_TRUE(Arrived()) << "an old one stays";
  proxy_->Route({0, (*next)->port(), true});
  EXPECT_TRUE(BecomesBroken(*connection_));
  const auto led = MustConnect(UrlOf(0));
  ASSERT_NE(led, nullptr);
  EXPECT_TRUE(Call(*led, {"SET", "k", "v"}).ok());
  EXPECT_EQ(*(*next)->Command({"GET", "k"}), "v");
}

}  // namespace
}  // namespace interlock::sim::machine
