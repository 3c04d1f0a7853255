// SPDX-License-Identifier: MIT
//
// Scripts that would end a server, slow it down for good or let it stand still, and library
// functions whose repairs by Redis Debian's libraries lack. What is expected was seen in
// redis-server 7.0.15.
#include <malloc.h>

#include <gmock/gmock.h>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using ::testing::HasSubstr;

using HostileScriptTest = FakeTest;

TEST_F(HostileScriptTest, RangesThatOverflowAnIntAreTooManyResults) {
  for (const char* range :
       {"0,2147483647", "2^31", "-2147483648,2147483647", "1,8001", "-2147483648,-1"}) {
    EXPECT_THAT(Eval("return {pcall(unpack,{}," + std::string(range) + ")}"),
                HasSubstr("too many results to unpack"))
        << range;
  }
  EXPECT_EQ(Eval("return {unpack({1,2,3},2)}"), "[2, 3]");
  EXPECT_EQ(Eval("return select('#',unpack({},1,7990))"), "(integer) 7990");
}

TEST_F(HostileScriptTest, HexDigitsOfAnyNumber) {
  EXPECT_EQ(Eval("return bit.tohex(255,2^31)"), "\"000000FF\"");
  EXPECT_EQ(Eval("return bit.tohex(255,-2^31)"), "\"000000FF\"");
  EXPECT_EQ(Eval("return bit.tohex(255,2)"), "\"ff\"");
  EXPECT_EQ(Eval("return bit.tohex(255,-3)"), "\"0FF\"");
}

TEST_F(HostileScriptTest, TheMostArgumentsThatRedisPassesOn) {
  EXPECT_EQ(Eval("local a={} for i=1,7999 do a[i]=1 end return redis.call('lpush','l',unpack(a))"),
            "(integer) 7999");
}

TEST_F(HostileScriptTest, ProtectedCallsAndReadOnlyTablesAreAsInRedis) {
  EXPECT_EQ(Eval("local a,b,c=pcall(pcall) return {tostring(a),tostring(b),c}"),
            "[\"true\", \"false\", \"attempt to call a boolean value\"]");
  EXPECT_THAT(Eval("return cjson.encode({redis})"), HasSubstr("Cannot serialise function"));
  EXPECT_THAT(Eval("table.insert(table)"), HasSubstr("wrong number of arguments to 'insert'"));
  EXPECT_THAT(Eval("table.insert(table,1)"), HasSubstr("Attempt to modify a readonly table"));
  EXPECT_EQ(Eval("local n=0 for k in pairs(cmsgpack) do n=n+1 end return n"), "(integer) 8");
  EXPECT_EQ(Eval("local n=0 for k in pairs(struct) do n=n+1 end return n"), "(integer) 3");
}

TEST_F(HostileScriptTest, MessagePackAsRedisPacksAndUnpacks) {
  EXPECT_EQ(Eval("return cmsgpack.pack(1,-1,300,-129,2^40,0.1,'ab',true,{1,{a=2}})"),
            "\"\\x01\\xff\\xcd\\x01,\\xd1\\xff\\x7f\\xcf\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00"
            "\\xcb?\\xb9\\x99\\x99\\x99\\x99\\x99\\x9a\\xa2ab\\xc3\\x92\\x01\\x81\\xa1a\\x02\"");
  EXPECT_EQ(Eval("return cjson.encode(cmsgpack.unpack(cmsgpack.pack({1,-200,'x',{y={}}})))"),
            "\"[1,-200,\\\"x\\\",{\\\"y\\\":{}}]\"");
  EXPECT_EQ(Eval("return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),2)}"), "[2, 1, 2]");
  EXPECT_EQ(Eval("return {cmsgpack.unpack_one('\\1\\2',1)}"), "[-1, 2]");
  EXPECT_EQ(Eval("return cmsgpack.unpack('\\207'..('\\255'):rep(8))"), "(integer) -1");
  EXPECT_THAT(Eval("return cmsgpack.unpack(('\\145'):rep(20000))"),
              HasSubstr("stack overflow (in function mp_decode_to_lua_array)"));
  EXPECT_THAT(Eval("return cmsgpack.pack(cmsgpack.unpack(('\\1'):rep(7990)))"),
              HasSubstr("bad argument #0 to 'pack' (Too many arguments for MessagePack pack.)"));
  EXPECT_THAT(Eval("return cmsgpack.unpack('\\220')"), HasSubstr("Missing bytes in input."));
  EXPECT_THAT(Eval("return cmsgpack.unpack('\\193')"), HasSubstr("Bad data format in input."));
  EXPECT_EQ(Eval("local a={} a[1]=a return #cmsgpack.pack(a)"), "(integer) 17");
  EXPECT_EQ(Eval("local t={('y'):rep(4096)} for i=1,14 do t={t,t,t,t} end "
                 "return cmsgpack.pack(t) and 1"),
            "no single reply: ");
  EXPECT_EQ(server_.unmodelled(), "script over the memory limit");
}

TEST_F(HostileScriptTest, StructuresAsRedisPacksAndUnpacks) {
  EXPECT_EQ(Eval("return struct.pack('>I2<i3!4bl s c2',258,-2,7,-1,'ab','cd')"),
            "\"\\x01\\x02\\xfe\\xff\\xff\\x07\\x00\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xffab\\"
            "x00cd\"");
  EXPECT_EQ(Eval("return {struct.unpack('>I2<i3Bc0','\\1\\2\\254\\255\\255\\2xyz')}"),
            "[258, -2, \"xy\", 9]");
  EXPECT_EQ(Eval("return struct.size('!8bdhx')"), "(integer) 19");
  EXPECT_THAT(Eval("return struct.pack('i33',1)"),
              HasSubstr("integral size 33 is larger than limit of 32"));
  EXPECT_THAT(Eval("return struct.pack('i99999999999',1)"), HasSubstr("integral size overflow"));
  EXPECT_THAT(Eval("return struct.unpack('d','x')"), HasSubstr("data string too short"));
  EXPECT_THAT(Eval("return struct.size('s')"), HasSubstr("option 's' has no fixed size"));
}

// Debian's Lua hashes a few characters of a long string only: many that differ elsewhere fell into
// one chain, and were compared with all before them.
TEST_F(HostileScriptTest, ManyLongStringsDoNotTakeQuadraticTime) {
  EXPECT_EQ(Eval("local t={} for i=1,200000 do t[i]='k'..i..string.rep('y',60) end return #t"),
            "(integer) 200000");
  EXPECT_EQ(Eval("local a='k'..string.rep('y',60) local t={[a]=1} return t['k'..a:sub(2)]"),
            "(integer) 1");
}

TEST_F(HostileScriptTest, AScriptThatNeedsTooMuchMemoryLeavesNothingToTheNext) {
  server_.SetUnmodelledIsError(true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(Eval("local t={} for i=1,1e7 do t[i]={} end return #t"),
                HasSubstr("script over the memory limit"));
    EXPECT_EQ(Eval("return " + std::to_string(i)), "(integer) " + std::to_string(i));
    EXPECT_EQ(Eval("local t={} for i=1,1e5 do t[i]={} end return #t"), "(integer) 100000");
  }
}

// With such settings every gap of a table is written as a null, outside of Lua's memory.
TEST_F(HostileScriptTest, GapsThatJsonWritesCountAsMemory) {
  EXPECT_EQ(Eval("cjson.encode_sparse_array(false,0,0) return #cjson.encode({[1000]=1})"),
            "(integer) 4998");
  EXPECT_EQ(Eval("cjson.encode_sparse_array(false,0,0) return cjson.encode({[2^31-1]=1})"),
            "no single reply: ");
  EXPECT_EQ(server_.unmodelled(), "script over the memory limit");
}

// Each has its text in memory, and what was compiled of it.
// As seen on a fresh redis-server 7.0.15.
TEST_F(HostileScriptTest, AnIntervalOfMoreNumbersThanAnIntHoldsTurnsNegative) {
  EXPECT_EQ(Eval("return math.random(-2^63, -2^31 - 1)"), "(integer) -851401619");
}

TEST_F(HostileScriptTest, AMetatableIsNotAskedForItsOwnMetatable) {
  EXPECT_EQ(Eval("setmetatable({}, setmetatable({}, {__index = _G})) return 1"), "(integer) 1");
}

TEST_F(HostileScriptTest, ScriptsThatWereFlushedTakeNoMemory) {
  constexpr int kScripts = 1500;
  const std::string comment(4000, '-');
  const auto load_and_flush = [&] {
    for (int i = 0; i < kScripts; ++i)
      Run({"SCRIPT", "LOAD", "return " + std::to_string(i) + comment});
    EXPECT_EQ(Run({"SCRIPT", "FLUSH"}), "OK");
  };
  Eval("math.randomseed(7)");
  load_and_flush();
  EXPECT_EQ(Eval("return math.random(1000000)"), "(integer) 266445");
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 5; ++i) load_and_flush();
  EXPECT_LT(mallinfo2().uordblks, before + kScripts * comment.size());
}

TEST_F(HostileScriptTest, APatternOfAnyLengthEnds) {
  EXPECT_THAT(Eval("return string.find(('a'):rep(1e6),('a?'):rep(1e6))"),
              HasSubstr("pattern too complex"));
  EXPECT_EQ(Eval("return string.find(('a'):rep(100),('a?'):rep(100))"), "(integer) 1");
}

TEST_F(HostileScriptTest, LoopsOfTheLibrariesOverNothingEnd) {
  EXPECT_EQ(Eval("return #string.rep('',2^31-1)"), "(integer) 0");
  EXPECT_EQ(Eval("local t={5} table.insert(t,-2,6) return {t[-2],t[1]}"), "[6]");
  EXPECT_EQ(Eval("return {pcall(table.insert,{},-2^31,1)}"), "no single reply: ");
  EXPECT_EQ(server_.unmodelled(), "table.insert() that would take minutes");
}

TEST_F(HostileScriptTest, GlobsOfManyStarsEnd) {
  const std::string key(40, 'a');
  std::string pattern;
  for (int i = 0; i < 20; ++i) pattern += "a*";
  Run({"SET", key, "1"});
  EXPECT_EQ(Run({"KEYS", pattern + "b"}), "[]");
  EXPECT_EQ(Run({"KEYS", pattern}), "[\"" + key + "\"]");
  EXPECT_EQ(Run({"SCAN", "0", "MATCH", pattern + "b"}), "[\"0\", []]");
  EXPECT_EQ(Run({"KEYS", "*a*[b-a]?\\a*"}), "[\"" + key + "\"]");
  EXPECT_EQ(Run({"KEYS", "a*b*a"}), "[]");
}

TEST_F(HostileScriptTest, WhatAScriptIsRefusedIsCounted) {
  EXPECT_THAT(Eval("return redis.pcall('set')"), HasSubstr("Wrong number of args"));
  EXPECT_THAT(Run({"INFO", "commandstats"}),
              HasSubstr("cmdstat_set:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,"));
  EXPECT_THAT(Run({"INFO", "errorstats"}), HasSubstr("errorstat_ERR:count=1\\r"));
  for (int i = 0; i < 9; ++i) Run({"SCRIPT", "LOAD", "return " + std::to_string(i)});
  EXPECT_THAT(Run({"INFO", "memory"}), HasSubstr("number_of_cached_scripts:10\\r"));
  Run({"SCRIPT", "FLUSH"});
  EXPECT_THAT(Run({"INFO", "memory"}), HasSubstr("number_of_cached_scripts:0\\r"));
}

TEST_F(HostileScriptTest, ALargeArgumentCountsBeforeItIsStored) {
  Run({"CONFIG", "SET", "maxmemory", "100mb"});
  EXPECT_THAT(Run({"SET", "k", std::string(std::size_t{120} << 20, 'x')}), HasSubstr("OOM"));
  EXPECT_EQ(Run({"SET", "k", std::string(1000, 'x')}), "OK");
}

}  // namespace
}  // namespace interlock::sim::redis
