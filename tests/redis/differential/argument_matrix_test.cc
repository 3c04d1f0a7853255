// SPDX-License-Identifier: MIT
//
// Every modelled command with 0, -1, 2^31, 2^63-1, its neighbours, "" and 1 MB in each place,
// beside a real redis-server, over the same few keys. INTERLOCK_MATRIX_STRIDE says which part of it
// is compared: 1 is the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/redis/command_table.h"
#include "sim/redis/resp.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/side_by_side.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::ToText;
using sim::redis::Value;

// One line for each form of a command; in a place that a word takes, nothing is put instead.
constexpr const char* kForms[] = {
    "acl users",
    "acl whoami",
    "append s 1",
    "asking",
    "auth x",
    "auth default x",
    "bitcount s 0 2 bit",
    "bitfield s get u8 0 set u8 #1 5 overflow sat incrby i5 3 7",
    "bitfield_ro s get u8 0 get i64 #1",
    "bitop and x s s2",
    "bitop not x s",
    "bitpos s 1 0 2 bit",
    "blmove l l2 left right 1",
    "blmpop 1 2 l l2 left count 1",
    "blpop l l2 1",
    "brpop l 1",
    "brpoplpush l l2 1",
    "bzmpop 1 1 z min count 1",
    "bzpopmax z 1",
    "bzpopmin z z2 1",
    "client getname",
    "client getredir",
    "client kill id 999",
    "client kill type normal skipme yes id 999",
    "client kill addr x",
    "client list id 999",
    "client list type normal",
    "client no-evict off",
    "client setname x",
    "client trackinginfo",
    "client unblock 999 timeout",
    "client unpause",
    "cluster info",
    "cluster keyslot k",
    "cluster countkeysinslot 1",
    "cluster getkeysinslot 1 1",
    "command count",
    "command getkeys set a b",
    "command getkeys eval x 1 k",
    "command getkeysandflags set a b",
    "command info get",
    "command list filterby pattern x*",
    "config get maxmemory hz",
    "copy s s2 db 0 replace",
    "dbsize",
    "decr n",
    "decrby n 1",
    "del s l x",
    "dump s",
    "echo x",
    "eval 'return 1' 1 k x",
    "eval_ro 'return {KEYS[1],ARGV[1]}' 1 k x",
    "evalsha e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 k x",
    "evalsha_ro e0e1f9fabfc9d4800c877a703b823ac0578ff8db 1 k x",
    "exists s l",
    "expire s 99999999 nx",
    "expireat s 4102444800 xx",
    "expiretime s",
    "flushall async",
    "flushdb sync",
    "get s",
    "getbit s 1",
    "getdel s",
    "getex s px 99999999999",
    "getex s exat 4102444800",
    "getrange s 0 3",
    "getset s x",
    "hdel h f g",
    "hexists h f",
    "hget h f",
    "hgetall h",
    "hincrby h n 1",
    "hincrbyfloat h n 1",
    "hkeys h",
    "hlen h",
    "hmget h f g",
    "hmset h f 1 g 2",
    "hrandfield h3 10 withvalues",
    "hscan h 0 match * count 10",
    "hset h f 1 g 2",
    "hsetnx h x 1",
    "hstrlen h f",
    "hvals h",
    "incr n",
    "incrby n 1",
    "incrbyfloat n 1",
    "keys s*",
    "lcs s s2",
    "lcs s s2 idx minmatchlen 1 withmatchlen",
    "lindex l 1",
    "linsert l before a x",
    "llen l",
    "lmove l l2 left right",
    "lmpop 2 l l2 left count 1",
    "lpop l 1",
    "lpos l a rank 1 count 1 maxlen 10",
    "lpush l x y",
    "lpushx l x",
    "lrange l 0 2",
    "lrem l 1 a",
    "lset l 1 x",
    "ltrim l 1 2",
    "memory usage nokey samples 5",
    "mget s l x",
    "move s 1",
    "mset s 1 x 2",
    "msetnx x 1 y 2",
    "object encoding s",
    "object freq s",
    "object idletime x",
    "object refcount x",
    "persist s",
    "pexpire s 99999999999 gt",
    "pexpireat s 4102444800000 lt",
    "pexpiretime s",
    "ping x",
    "psetex s 99999999999 x",
    "pttl x",
    "publish c x",
    "pubsub channels x*",
    "pubsub numsub c",
    "pubsub shardchannels x*",
    "pubsub shardnumsub c",
    "rename s x",
    "renamenx s x",
    "restore x 0 y replace absttl idletime 1",
    "restore x 0 y freq 1",
    "rpop l 1",
    "rpoplpush l l2",
    "rpush l x y",
    "rpushx l x",
    "sadd t 1 x",
    "scan 0 match s* count 100 type string",
    "scard t",
    "fcall f 1 a b",
    "fcall_ro f 1 a b",
    "function delete a",
    "function list libraryname a withcode",
    "function load replace x",
    "script exists x",
    "script load 'return 2'",
    "sdiff t t2",
    "sdiffstore x t t2",
    "select 0",
    "set s x ex 99999999 nx",
    "set s x pxat 4102444800000 get",
    "set s x keepttl",
    "setbit s 1 1",
    "setex s 99999999 x",
    "setnx x 1",
    "setrange s 3 xyz",
    "sinter t t2",
    "sintercard 2 t t2 limit 1",
    "sinterstore x t t2",
    "sismember t 1",
    "smembers t",
    "smismember t 1 x",
    "smove t t2 1",
    "sort t limit 0 2 desc store x",
    "sort l by w* get # get w* alpha",
    "sort_ro l alpha limit 0 2",
    "spop t3 10",
    "spublish c x",
    "srandmember t3 10",
    "srem t 1",
    "sscan t 0 match * count 10",
    "strlen s",
    "substr s 0 3",
    "sunion t t2",
    "sunionstore x t t2",
    "swapdb 0 1",
    "touch s l",
    "ttl x",
    "type s",
    "unlink s l",
    "unwatch",
    "wait 0 1",
    "watch s l",
    "zadd z nx 1 x",
    "zadd z gt ch 3 a 4 b",
    "zadd z incr 1 a",
    "zcard z",
    "zcount z 0 2",
    "zdiff 2 z z2 withscores",
    "zdiffstore x 2 z z2",
    "zincrby z 1 a",
    "zinter 2 z z2 weights 1 2 aggregate max withscores",
    "zintercard 2 z z2 limit 1",
    "zinterstore x 2 z z2 weights 1 2 aggregate min",
    "zlexcount z - +",
    "zmpop 2 z z2 min count 1",
    "zmscore z a x",
    "zpopmax z 1",
    "zpopmin z 1",
    "zrandmember z3 10 withscores",
    "zrange z 0 2 withscores",
    "zrange z 0 2 byscore rev limit 0 1",
    "zrange z - + bylex limit 0 1",
    "zrangebylex z - + limit 0 1",
    "zrangebyscore z 0 2 withscores limit 0 1",
    "zrangestore x z 0 2 rev",
    "zrangestore x z 0 2 byscore limit 0 1",
    "zrank z a",
    "zrem z a",
    "zremrangebylex z - +",
    "zremrangebyrank z 0 1",
    "zremrangebyscore z 0 1",
    "zrevrange z 0 2 withscores",
    "zrevrangebylex z + - limit 0 1",
    "zrevrangebyscore z 2 0 limit 0 1",
    "zrevrank z a",
    "zscan z 0 match * count 10",
    "zscore z a",
    "zunion 2 z z2 weights 1 2 aggregate sum withscores",
    "zunionstore x 2 z z2 weights 1 2 aggregate sum",
    // Last, because they last.
    "config set maxmemory 0",
    "config set hz 10",
    "config set maxmemory-samples 5",
    "config set busy-reply-threshold 5000",
    "config set min-replicas-max-lag 10",
    "config set hash-max-listpack-entries 512",
    "config set list-max-listpack-size -2",
    "config set zset-max-listpack-value 64",
    "config set set-max-intset-entries 512",
};

// Tests of their own compare these: what they answer depends on time, chance or the process, they
// end something, get no reply or several.
constexpr const char* kElsewhere[] = {"bgrewriteaof",   "bgsave",
                                      "client|caching", "client|id",
                                      "client|info",    "client|tracking",
                                      "client|pause",   "client|reply",
                                      "cluster",        "command",
                                      "command|info",   "config|resetstat",
                                      "config|rewrite", "debug",
                                      "discard",        "exec",
                                      "failover",       "function|dump",
                                      "function|flush", "function|restore",
                                      "function|help",  "function|kill",
                                      "function|stats", "hello",
                                      "info",           "lastsave",
                                      "multi",          "object|help",
                                      "psubscribe",     "randomkey",
                                      "pubsub|help",    "pubsub|numpat",
                                      "punsubscribe",   "quit",
                                      "readonly",       "readwrite",
                                      "replicaof",      "reset",
                                      "restore-asking", "role",
                                      "save",           "script|flush",
                                      "script|kill",    "shutdown",
                                      "slaveof",        "ssubscribe",
                                      "subscribe",      "sunsubscribe",
                                      "time",           "unsubscribe"};

// Of t3, h3 and z3 there is nothing to choose.
constexpr const char* kData[] = {
    "flushall",      "sadd t3 1",   "hset h3 f 1",        "zadd z3 1 a",    "set s hello",
    "set s2 yellow", "set n 10",    "rpush l a b c a",    "rpush l2 x",     "hset h f 1 g x n 5",
    "sadd t 1 2 3",  "sadd t2 1 5", "zadd z 1 a 2 b 3 c", "zadd z2 1 a 5 d"};

std::vector<std::string> Substitutes() {
  return {"0",
          "-1",
          "1",
          "2147483647",
          "2147483648",
          "-2147483648",
          "-2147483649",
          "4294967296",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775808",
          "-9223372036854775807",
          "9223372036854775",
          "",
          std::string(std::size_t{1} << 20, 'x'),
          std::string(std::size_t{1} << 20, '7')};
}

Argv LineWords(const std::string& line) {
  sim::redis::RequestParser parser;
  parser.Feed(line + "\n");
  return parser.Next(true) == sim::redis::RequestParser::Outcome::kCommand ? parser.command()
                                                                           : Argv();
}

class ArgumentMatrixTest : public SideBySideTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SideBySideTest::SetUp());
    fake().SetUnmodelledIsError(true);
    fake().SetTime(std::int64_t{std::time(nullptr)} * 1'000'000);
  }

  // Sets and scans have no order.
  static void Sort(Value* value) {
    for (Value& element : value->elements) Sort(&element);
    std::sort(value->elements.begin(), value->elements.end(),
              [](const Value& a, const Value& b) { return ToText(a) < ToText(b); });
  }

  static std::string Shown(Value value, bool ordered) {
    if (!ordered) Sort(&value);
    std::string text = ToText(value);
    if (text.size() > 300) text = text.substr(0, 300) + "... of " + std::to_string(text.size());
    return text;
  }

  // Nothing may wait: so a command that can is a transaction of its own.
  std::string Answers(const Argv& argv, bool waits, bool ordered, bool real) {
    const auto call = [&](const Argv& one) { return real ? Real(one) : Fake(one); };
    if (!waits) return Shown(call(argv), ordered);
    call({"MULTI"});
    call(argv);
    return Shown(call({"EXEC"}), ordered);
  }

  void BeginAnew() {
    for (const char* line : kData) {
      const Argv argv = LineWords(line);
      real().Queue(argv);
      Fake(argv);
    }
    real().Flush();
    for (std::size_t i = 0; i < std::size(kData); ++i) real().Await();
  }
};

const sim::redis::Command* CommandOf(const Argv& argv) {
  return sim::redis::FindCommand(sim::redis::DefaultDialect(), argv);
}

TEST(ArgumentMatrixFormsTest, EveryModelledCommandIsThereOrElsewhere) {
  std::set<std::string> named(std::begin(kElsewhere), std::end(kElsewhere));
  for (const char* form : kForms) {
    const sim::redis::Command* command = CommandOf(LineWords(form));
    ASSERT_NE(command, nullptr) << form;
    named.emplace(command->name);
  }
  for (const sim::redis::Command& command :
       sim::redis::KnownCommands(sim::redis::DefaultDialect())) {
    if (command.handler == nullptr || command.name.starts_with("cluster|")) continue;
    EXPECT_TRUE(named.contains(std::string(command.name))) << command.name;
  }
}

TEST_F(ArgumentMatrixTest, HostileArgumentsGetWhatARealServerAnswers) {
  const char* given = std::getenv("INTERLOCK_MATRIX_STRIDE");
  const std::size_t stride = given == nullptr ? 7 : std::strtoull(given, nullptr, 10);
  const std::vector<std::string> substitutes = Substitutes();
  std::size_t number = 0;
  std::size_t compared = 0;
  for (const char* form : kForms) {
    const Argv plain = LineWords(form);
    const sim::redis::Command& command = *CommandOf(plain);
    const bool waits = (command.flags & sim::redis::kBlocking) != 0 || command.name == "wait";
    const bool ordered = command.name.find("range") != std::string_view::npos;
    const std::size_t first = command.name.find('|') == std::string_view::npos ? 1 : 2;
    for (std::size_t place = first; place < plain.size(); ++place) {
      if (command.name == "scan" && place == 1) continue;  // Cursors are the server's own.
      for (const std::string& substitute : substitutes) {
        // The id of a client on one of the two; pages of SCAN are the server's own.
        if (substitute == "1" && (command.name.starts_with("client|") || command.name == "scan")) {
          continue;
        }
        if (number++ % stride != 0) continue;
        Argv argv = plain;
        argv[place] = substitute;
        BeginAnew();
        const std::string fake = Answers(argv, waits, ordered, false);
        if (fake.find("Interlock does not model") != std::string::npos) {
          // A real server would now fill its memory.
          EXPECT_NE(command.name.find("rand"), std::string_view::npos)
              << ToText(argv).substr(0, 200) << "\n"
              << fake;
          continue;
        }
        EXPECT_EQ(fake, Answers(argv, waits, ordered, true)) << ToText(argv).substr(0, 200);
        EXPECT_EQ(Shown(Fake({"DBSIZE"}), true), Shown(Real({"DBSIZE"}), true))
            << ToText(argv).substr(0, 200);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared * stride, 6000U);
}

}  // namespace
}  // namespace interlock::testing
