// SPDX-License-Identifier: MIT
//
// The command table against a real redis-server 7.0: what COMMAND says about every command, and
// which arguments it takes for keys. The order of commands and subcommands is compared with
// nothing, because the real one is that of a hash table with a random seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/redis/command_keys.h"
#include "sim/redis/command_table.h"
#include "sim/redis/reply.h"
#include "sim/redis/server.h"
#include "tests/redis/differential/side_by_side.h"

namespace interlock::testing {
namespace {

using sim::redis::Argv;
using sim::redis::Command;
using sim::redis::ToText;
using sim::redis::Value;

bool ByText(const Value& a, const Value& b) { return ToText(a) < ToText(b); }

class CommandCatalogueTest : public SideBySideTest {
 protected:
  Value Fake(const Argv& argv) {
    Value reply = SideBySideTest::Fake(argv);
    EXPECT_FALSE(fake().unmodelled()) << *fake().unmodelled();
    return reply;
  }

  void ExpectSame(const Argv& argv) {
    EXPECT_EQ(ToText(Fake(argv)), ToText(Real(argv))) << ToText(argv);
  }
  void ExpectSameUnordered(const Argv& argv) {
    Value fake = Fake(argv);
    Value real = Real(argv);
    std::sort(fake.elements.begin(), fake.elements.end(), &ByText);
    std::sort(real.elements.begin(), real.elements.end(), &ByText);
    EXPECT_EQ(ToText(fake), ToText(real)) << ToText(argv);
  }
};

constexpr std::size_t kSubcommands = 9;  // Where they are in a command's description.

void SortSubcommands(Value* described) {
  if (described->elements.size() <= kSubcommands) return;
  std::vector<Value>& subcommands = described->elements[kSubcommands].elements;
  std::sort(subcommands.begin(), subcommands.end(), &ByText);
}

TEST_F(CommandCatalogueTest, EveryCommandIsDescribedAsByTheRealServer) {
  std::size_t compared = 0;
  for (const Command& command : sim::redis::KnownCommands(TestedDialect())) {
    const Argv argv = {"COMMAND", "INFO", std::string(command.name)};
    Value fake = Fake(argv);
    Value real = Real(argv);
    ASSERT_EQ(real.elements.size(), 1U) << command.name;
    ASSERT_EQ(fake.elements.size(), 1U) << command.name;
    SortSubcommands(fake.elements.data());
    SortSubcommands(real.elements.data());
    EXPECT_EQ(ToText(fake), ToText(real)) << command.name;
    ++compared;
  }
  const Value all = Real({"COMMAND"});
  EXPECT_EQ(Fake({"COMMAND"}).elements.size(), all.elements.size());
  EXPECT_EQ(Fake({"COMMAND", "INFO"}).elements.size(), all.elements.size());
  std::size_t subcommands = 0;
  for (const Value& described : all.elements) {
    if (described.elements.size() > kSubcommands) {
      subcommands += described.elements[kSubcommands].elements.size();
    }
  }
  EXPECT_EQ(compared, all.elements.size() + subcommands);
  EXPECT_GT(compared, 360U);
}

// Maps for the specifications, sets for what has no order.
TEST_F(CommandCatalogueTest, UnderResp3EveryCommandIsDescribedAsByTheRealServer) {
  Fake({"HELLO", "3"});
  Real({"HELLO", "3"});
  ExpectSame(WordsOf("COMMAND INFO nosuch get"));
  ExpectSame(WordsOf("COMMAND GETKEYSANDFLAGS sort a store b"));
  for (const Command& command : sim::redis::KnownCommands(TestedDialect())) {
    const Argv argv = {"COMMAND", "INFO", std::string(command.name)};
    Value fake = Fake(argv);
    Value real = Real(argv);
    ASSERT_EQ(real.elements.size(), 1U) << command.name;
    ASSERT_EQ(fake.elements.size(), 1U) << command.name;
    SortSubcommands(fake.elements.data());
    SortSubcommands(real.elements.data());
    EXPECT_EQ(ToText(fake), ToText(real)) << command.name;
  }
}

TEST_F(CommandCatalogueTest, CommandsAreListedAndCountedAsByTheRealServer) {
  ExpectSame(WordsOf("COMMAND COUNT"));
  ExpectSameUnordered(WordsOf("COMMAND LIST"));
  for (const char* category :
       {"keyspace",   "read",        "write",     "set",         "sortedset", "list",
        "hash",       "string",      "bitmap",    "geo",         "stream",    "pubsub",
        "admin",      "hyperloglog", "fast",      "slow",        "blocking",  "dangerous",
        "connection", "transaction", "scripting", "TRANSACTION", "@read",     "nosuch"}) {
    ExpectSameUnordered({"COMMAND", "LIST", "FILTERBY", "ACLCAT", category});
  }
  for (const char* module : {"x", "vectorset", "VectorSet", "lua"}) {
    ExpectSameUnordered({"COMMAND", "LIST", "FILTERBY", "MODULE", module});
  }
  for (const char* pattern : {"xread*", "XREAD*", "config|g*", "[A-C]*", "nosuch*", "*|*", ""}) {
    ExpectSameUnordered({"COMMAND", "LIST", "FILTERBY", "PATTERN", pattern});
  }
  for (const char* line :
       {"COMMAND LIST FILTERBY MODULE", "COMMAND LIST FILTERBY", "COMMAND LIST x",
        "COMMAND LIST FILTERBY ACLCAT", "COMMAND LIST FILTERBY x y", "COMMAND LIST x ACLCAT read",
        "COMMAND LIST FILTERBY ACLCAT read x", "COMMAND COUNT x", "COMMAND foo",
        "COMMAND INFO nosuch", "COMMAND INFO config|get config|nosuch CONFIG|Set Get",
        "COMMAND INFO config|get|x get|x | |get '' get|"}) {
    ExpectSame(WordsOf(line));
  }
}

// Complete, incomplete and misleading arguments of every command whose keys are not simply there.
constexpr const char* kKeyed[] = {
    "set a b",
    "set a b get",
    "bitfield a get u8 1",
    "bitfield a set u8 1 1",
    "bitfield_ro a get u8 1",
    "sort a",
    "sort a store b",
    "sort a by x get y store b store c",
    "sort a limit 1 store d",
    "sort_ro a",
    "sort_ro a store b",
    "migrate h p k 0 1",
    "migrate h p '' 0 1 keys a b",
    "migrate h p k 0 1 keys a b",
    "migrate h p '' 0 1 keys",
    "migrate h p '' 0 1 auth keys keys a b",
    "georadius k 1 2 3 m",
    "georadius k 1 2 3 m store s",
    "georadius k 1 2 3 m store s storedist t",
    "georadiusbymember k m 3 m store s",
    "georadius_ro k 1 2 3 m store s",
    "eval s 2 a b c",
    "eval s 0",
    "eval s 0 c",
    "eval s -1 c",
    "eval s 5 c",
    "eval s x c",
    "eval_ro s 1 c",
    "evalsha s 1 c",
    "fcall s 1 c",
    "fcall_ro s 1 c",
    "zunionstore d 2 a b",
    "zunionstore d 3 a b",
    "zunionstore d 0 a b",
    "zunionstore d x a b",
    "zunion 2 a b",
    "zunion 5 a b",
    "zinter 1 a b",
    "zdiff 2 a b",
    "zdiffstore d 2 a b",
    "zinterstore d 1 a",
    "zintercard 2 a b",
    "sintercard 1 a",
    "lmpop 2 a b left",
    "lmpop 4 a b left",
    "blmpop 0 2 a b left",
    "zmpop 1 a min",
    "bzmpop 0 1 a min",
    "bzmpop 0 9 a min",
    "xread streams a b 0 0",
    "xread count 2 streams a b c 0 0",
    "xread block 0 streams",
    "xread block 0 1 2",
    "xread streams streams 0",
    "xreadgroup group g c streams a 0",
    "xreadgroup group g streams streams a 0",
    "xreadgroup group streams x count 1 noack streams a b 0 0",
    "object encoding k",
    "object help",
    "object",
    "object foo k",
    "object encoding",
    "memory usage k",
    "xinfo stream k",
    "xgroup create k g 0",
    "mset a b c d",
    "mset a b c",
    "msetnx a b c d e",
    "del a b c",
    "blpop a b 0",
    "bitop and d a b",
    "copy a b",
    "rename a b",
    "lcs a b",
    "pfcount a b",
    "pfmerge a b",
    "pfdebug x k",
    "pfadd a",
    "publish a b",
    "spublish a b",
    "ssubscribe a b",
    "sunsubscribe",
    "sunsubscribe a",
    "subscribe a",
    "watch a b",
    "get",
    "get a b",
    "ping",
    "nosuch",
    "nosuch a",
    "config get a",
    "client",
    "client foo",
    "zrangestore a b 0 1",
    "geosearchstore a b c d e f g h",
    "xread count streams streams a 0",
    "mget a",
    "zunionstore d 1000000000000 a",
    "eval s 01 a",
    "eval s +1 a",
    "eval s 1.5 a",
    "eval s 1x a",
    "eval s '' a",
    "lmpop -1 a left",
    "sintercard 0 a",
    "sort a store",
    "migrate h p k 0 1 KEYS",
    "debug object a",
    "touch a",
    "sunion a b",
    "restore k 0 v",
    "restore-asking k 0 v",
    "SET A B",
    "Config|get x",
    "config|get x",
    "xadd k * a b",
    "move a 1",
    "keys x",
    "scan 0",
    "sscan k 0",
    "script load x",
    "cluster keyslot a",
    "latency graph x",
    "function load x",
    "swapdb 1 2",
    "object freq",
    "memory usage",
    "memory usage a samples 2",
    "georadius k 1 2 3 m storedist",
    "georadius k 1 2 3 m store",
    "georadiusbymember k m 3 m withcoord store s",
    "zunionstore d 02 a b",
    "zinterstore d 1x a b",
    "zunion 02 a b",
    "lmpop 01 a left",
    "blmpop 0 01 a left",
    "bzmpop 0 01 a min",
    "sintercard 02 a b",
    "migrate h p '' 0 1 copy keys",
    "migrate h p k 0 1 copy keys",
    "migrate h p k 0 1 copy keys a",
    "migrate h p '' 0 1 copy keys a",
    "migrate h p '' 0 1 auth2 keys keys keys a b",
    "migrate h p '' 0 1 foo keys a",
    "migrate h p '' 0 1 keys keys",
    "pfmerge a",
    "xreadgroup streams a b 0 0 x y",
    "xreadgroup group g streams a b 0",
    "xreadgroup group g c streams a",
    "xread streams a b",
    "xread streams a b c",
    "xread count 1 streams a",
    "xread foo bar streams a 0",
    "xread foo streams a 0",
    "bitfield a",
    "bitfield a get u8",
    "bitfield a overflow wrap get u8 1",
    "bitfield a foo",
    "bitfield a incrby u8 1 1",
    "bitfield a get u8 1 set u8 1",
    "bitfield a GET u8 1 get u8 2",
    "set a b gEt",
    "set a b ex 10 get",
    "set a b getx",
    "set a get",
    "georadius k 1 2 3 m store s storedist",
    "georadius k 1 2 3 m storedist s storedist",
    "georadius k 1 2 3 m store s store t",
    "georadius k 1 2 3 store s",
    "georadiusbymember k m 3 store s x",
    "georadiusbymember k m 3 m store",
    "geosearchstore a b frommember c byradius 1 m asc",
    "sort a BY STORE store b",
    "sort a get store b",
    "sort a limit 1 2 store d",
    "sort a foo store d",
    "sort a store store",
    "zmpop 1 a",
    "eval s 2 a",
    "eval s 1 a b",
    "eval s 0x1 a",
    "eval s 99999999999999999999 a",
    "bitop not d",
    "bitop not d s",
    "lcs a",
    "zrangestore a b 0",
    "copy a",
    "blpop a",
    "blpop a b",
    "zdiffstore d 2 a",
    "zdiffstore d 2 a b c d",
    "zdiffstore d 02 a b c d",
    "eval s 4294967297 a",
    "bitfield a overflow",
    "bitfield a overflow wrap",
    "bitfield a get u8 1 overflow sat",
    "sort a STORE b limit 0 1",
    "sort a by",
    "sort_ro a get store",
    "migrate h p k 0 1 auth keys",
    "migrate h p k 0 1 replace copy auth2 u",
    "zunion 1 a weights 1",
    "memory usage a",
    "eval s 2147483647 a",
    "eval s 2147483648 a",
    "lmpop 9223372036854775807 a left",
    "georadiusbymember k m 3 m STOREDIST",
    "xreadgroup group g c count 1 streams",
    "zinterstore d -1 a b",
    "smove a b",
    "smove a b c",
    "getex a persist",
    "hset k a b",
    "exists a b",
    "lmove a b left right",
    "cluster countkeysinslot 1",
    "pfselftest x",
    "substr a 0 1",
    "zrange a 0 1",
};

TEST_F(CommandCatalogueTest, KeysAreFoundAsByTheRealServer) {
  for (const char* line : kKeyed) {
    ExpectSame(WordsOf(std::string("COMMAND GETKEYS ") + line));
    ExpectSame(WordsOf(std::string("COMMAND GETKEYSANDFLAGS ") + line));
  }
}

}  // namespace
}  // namespace interlock::testing
