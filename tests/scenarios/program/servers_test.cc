// SPDX-License-Identifier: MIT
//
// Which servers a program may have, and that clients reach them.
#include <interlock/harness/simulate.h>

#include <cstdlib>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tripwire.h"
#include "tests/scenarios/program/counter_program.h"
#include "tests/scenarios/program/hiredis_client.h"
#include "tests/scenarios/program/simulate_fixture.h"

namespace interlock::harness {
namespace {

using ::testing::HasSubstr;

Program CounterOn(const std::string& servers, ClientProgram client = Count) {
  Program program = Counter(std::move(client));
  program.servers = servers;
  return program;
}

TEST(ProgramServersTest, ACountIsKeptOnEachFormAndLostWhereAPrimaryMayDie) {
  for (const std::string servers :
       {"standalone", "replicated", "sentinel", "independent", "cluster", "replicated-cluster"}) {
    const SimulateVerdict calm = Simulate(CounterOn(servers), Few({{"pause", 1}}));
    EXPECT_TRUE(calm.ok) << servers << ": " << calm.text;
  }
  for (const std::string servers : {"replicated", "sentinel"}) {
    const SimulateVerdict lost = Simulate(CounterOn(servers), Few({{"failover", 1}}));
    EXPECT_TRUE(lost.violated) << servers << ": " << lost.text;
    EXPECT_THAT(lost.text, HasSubstr("failover"));
    EXPECT_TRUE(Replay(CounterOn(servers), lost.token).violated) << servers;
  }
  const SimulateVerdict shard =
      Simulate(CounterOn("replicated-cluster"), Few({{"shard-failover", 1}}));
  EXPECT_TRUE(shard.violated) << shard.text;
  EXPECT_TRUE(Replay(CounterOn("replicated-cluster"), shard.token).violated);
}

/// Gives back by the command that Valkey has since 9.0, and what is not there is not counted.
void CountByDelifeq(SimulatedClient& client) {
  if (!client.Call({"SET", "turn", "mine"}).ok()) return;
  const auto given_back = client.Call({"DELIFEQ", "turn", "mine"});
  if (given_back.ok() && given_back->integer == 1) (void)client.Call({"INCR", "count"});
}

TEST(ProgramServersTest, CommandsFaultsAndTokensAreThoseOfTheVersion) {
  Program program = CounterOn("cluster", CountByDelifeq);
  program.invariants = {{"the count grows",
                         [](const harness::ProgramView& view) {
                           return view.server.String("count") ? "" : "nobody has counted";
                         },
                         true}};
  const SimulateVerdict older = Simulate(program, Few({}));
  EXPECT_TRUE(older.violated) << older.text;
  program.version = "valkey-9.1";
  const SimulateVerdict newer = Simulate(program, Few({}));
  EXPECT_TRUE(newer.ok) << newer.text;
  const SimulateVerdict moves = Simulate(program, Few({{"slot-migration", 1}}));
  EXPECT_GT(moves.runs, 0U) << moves.text;
  const SimulateVerdict other = Replay(program, older.token);
  EXPECT_FALSE(other.ok);
  EXPECT_THAT(other.message, HasSubstr("has servers of version valkey-9.1"));
  program.version = "valkey-9.2";
  EXPECT_THAT(Simulate(program, Few({})).text, HasSubstr("known from documents only"));
  program.version = "valkey-9.3";
  EXPECT_THAT(Simulate(program, Few({})).message, HasSubstr("did you mean \"valkey-9.1\"?"));
}

/// As a client library does that is told of Sentinels.
void CountWhereASentinelLeads(SimulatedClient& client) {
  const ContextPtr sentinel(redisConnect("redis-3", 26379));
  if (sentinel == nullptr || sentinel->err != 0) return;
  const ReplyPtr master = Ask(sentinel.get(), "SENTINEL GET-MASTER-ADDR-BY-NAME mymaster");
  if (master == nullptr || master->type != REDIS_REPLY_ARRAY) return;
  const ContextPtr redis(redisConnect(master->element[0]->str, std::atoi(master->element[1]->str)));
  if (redis == nullptr || redis->err != 0) return;
  const ReplyPtr counted = Ask(redis.get(), "INCR count");
  if (counted != nullptr && counted->type == REDIS_REPLY_INTEGER) client.Note("counted");
}

TEST(ProgramServersTest, CompiledClientsAskASentinelForTheMaster) {
  if (!sim::TripwireIsArmed()) GTEST_SKIP() << "ThreadSanitizer has the C library's functions";
  Program program = CounterOn("sentinel", CountWhereASentinelLeads);
  program.posix = true;
  const SimulateVerdict calm = Simulate(program, Few());
  EXPECT_TRUE(calm.ok) << calm.text;
  const SimulateVerdict lost = Simulate(program, Few({{"failover", 1}}));
  EXPECT_TRUE(lost.violated) << lost.text;
  Program guided = CounterOn("sentinel");
  guided.posix = true;
  EXPECT_TRUE(Simulate(guided, Few()).ok) << "the client's own connection is led there";
}

}  // namespace
}  // namespace interlock::harness
