// SPDX-License-Identifier: MIT
//
// A server that runs scripts without Lua as far as it gets does what one does that leaves all to
// Lua: both are given the same commands, and must answer the same and hold the same.
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/scripting/lua_code.h"
#include "sim/redis/scripting/pure_script.h"
#include "sim/redis/scripting/quick_script.h"
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class QuickRunTest : public FakeTest {
 protected:
  QuickRunTest() {
    in_lua_.engine().runs_all_in_lua = true;
    in_lua_.SetSink(this);
    in_lua_.SetTime(kStartMs * 1000);
    in_lua_.Connect();
  }

  /// What both answer.
  std::string Both(const Argv& argv) {
    log_.clear();
    in_lua_.Execute(client_, argv);
    const std::string expected = Joined();
    EXPECT_EQ(Sent(client_, argv), expected) << argv[1];
    return expected;
  }
  /// Also that both have the same keys afterwards, and have counted the same.
  std::string BothEval(const std::string& body, const Argv& inputs = {"k", "arg", "12"}) {
    Argv argv = {"EVAL", body, "1"};
    argv.insert(argv.end(), inputs.begin(), inputs.end());
    const std::string answer = Both(argv);
    Both({"INFO", "commandstats", "errorstats"});
    Both({"GET", "k"});
    Both({"LRANGE", "l", "0", "-1"});
    return answer;
  }

  Server in_lua_;
};

/// Whether the script has a form that runs without Lua.
bool Runs(const std::string& body) {
  lua_State* const lua = luaL_newstate();
  const int loaded = luaL_loadbuffer(lua, body.data(), body.size(), "@user_script");
  std::optional<LuaCode> code;
  if (loaded == 0) code = ReadLuaCode(lua);
  lua_close(lua);
  return code && IsPureScript(*code) && QuickScript(*code).runs();
}

constexpr const char* kExpressions[] = {"1 + 2 * 3 - 4 / 5",
                                        "-ARGV[2] + 1",
                                        "'7' * '6'",
                                        "0 / 1",
                                        "-0 + 0",
                                        "10 / 4",
                                        "3 == 3.0",
                                        "'a' == 'a'",
                                        "'a' ~= 'b'",
                                        "1 == '1'",
                                        "nil == false",
                                        "true == true",
                                        "2 < 10",
                                        "2 <= 2",
                                        "10 > 2",
                                        "2 >= 3",
                                        "not nil",
                                        "not 0",
                                        "#'four'",
                                        "#ARGV",
                                        "#KEYS",
                                        "KEYS[1]",
                                        "KEYS[2]",
                                        "ARGV[1] .. ARGV[2]",
                                        "1 .. 'x' .. 2",
                                        "ARGV[3] or 'none'",
                                        "ARGV[1] and ARGV[2]",
                                        "nil",
                                        "false",
                                        "true",
                                        "{1, 'two', false, true}",
                                        "{1, {2, {3}}}",
                                        "{}",
                                        "({4, 5, 6})[2]",
                                        "({4, 5, 6})[4]",
                                        "1.5",
                                        "-2.5",
                                        "123456789012345",
                                        "1e15",
                                        "-1",
                                        "tonumber('12')",
                                        "tonumber('000')",
                                        "tonumber(5)",
                                        "tonumber(nil)",
                                        "tonumber(false)",
                                        "tostring('x')",
                                        "tostring(12)",
                                        "tostring(-12)",
                                        "(unpack({1, 2}))",
                                        "{unpack({1, 2, 3})}",
                                        "string.match('17 left', '^%d+')",
                                        "string.match('none', '^%d+')",
                                        "{string.match('7 ab', '^(%d+) ?(.*)$')}",
                                        "string.match('xx17', '%d+', 3)",
                                        "string.match('xx17', '^%d+', 3)",
                                        "string.format('%.0f', 1700000000000000)",
                                        "string.format('%d', 12)",
                                        "{string.find('a;b;c', ';', 1, true)}",
                                        "{string.find('a;b;c', ';', 3, true)}",
                                        "string.find('abc', 'z', 1, true)",
                                        "string.sub('abcdef', 2, 4)",
                                        "string.sub('abcdef', -3, -2)",
                                        "string.sub('abc', 3)",
                                        "string.sub('abc', 4)",
                                        "string.sub('abc', 9)",
                                        "string.sub('abc', 0)",
                                        "string.sub('abc', 2, 1)",
                                        "string.sub('abc', -9, 2)",
                                        "string.sub('abc', 1, 99)",
                                        "math.max(3, '9', 2)",
                                        "math.min(3, '9', 2)",
                                        "math.floor(2.7)",
                                        "math.floor(-2.5)",
                                        "math.floor('12')",
                                        "table.concat({'a', 'b', 'c'})",
                                        "table.concat({})"};

TEST_F(QuickRunTest, ComputesWhatLuaComputes) {
  for (const char* const one : kExpressions) {
    const std::string body = std::string("return ") + one;
    EXPECT_TRUE(Runs(body)) << body;
    BothEval(body);
    BothEval("local x = " + std::string(one) + " return {x, 'end'}");
    BothEval("return redis.call('ECHO', " + std::string(one) + ")");
  }
}

TEST_F(QuickRunTest, DoesWhatLuaDoes) {
  const std::initializer_list<const char*> bodies = {
      "redis.call('SET', KEYS[1], ARGV[2]) return redis.call('INCRBY', KEYS[1], 5)",
      "return redis.call('SET', KEYS[1], 1.25)",
      "return redis.call('set', KEYS[1], 1e17, 'PX', 1000)",
      "return redis.call('SET', KEYS[1], ARGV[1], 'NX')",
      "return redis.call('SET', KEYS[1], ARGV[1]).ok",
      "return redis.pcall('SET', KEYS[1], ARGV[1]).err",
      "if not redis.pcall('RENAME', 'none', 'other').err then return 1 end return 2",
      "if redis.pcall('RENAME', 'none', 'other').err then return 1 end return 2",
      "return redis.pcall('RENAME', 'none', 'other').err",
      "return redis.pcall('RENAME', 'none', 'other').ok or 'none'",
      "return redis.pcall('RENAME', 'none', 'other')", "return redis.call('TIME')[1]",
      // Numbers end where their words end.
      "redis.call('ZADD', 'z', string.sub('12345', 1, 2), 'm') return redis.call('ZSCORE', 'z', "
      "'m')",
      "redis.call('ZADD', 'z', string.match('3.5', '^%d+'), 'm') "
      "return redis.call('ZSCORE', 'z', 'm')",
      "redis.call('RPUSH', 'l', 'a', 'b') return redis.call('LRANGE', 'l', 0, -1)",
      "local n = 0 for i = 1, 5 do n = n + i end return n",
      "local n = 0 for i = 5, 1, -2 do n = n * 10 + i end return n",
      "redis.call('RPUSH', 'l', -ARGV[2], 0 - ARGV[2], -(0 - 0), 1 / -(0 * 1)) return -ARGV[2]",
      "local n = 0 for i = 2, 1 do n = 9 end return n",
      "local n = 0 for i = 1, (1 / 0) * 0 do n = n + 1 if n > 9 then break end end return n",
      "local n = 0 for i = 1, 3, 0 do n = n + 1 if n > 9 then break end end return n",
      "local n = 0 while n < 7 do n = n + 2 if n == 6 then break end end return n",
      "local t = {} for i = 1, 9 do t[#t + 1] = i * i end return t",
      "local t = {1, 2, 3} t[2] = 'x' table.remove(t, 1) return t",
      "local t = {1, 2, 3} local r = table.remove(t, 3) return {r, #t, t[3] or 'gone'}",
      "local t = {} for a, b in string.gmatch('a=1 b=22', '(%S+)=(%d+)') do t[#t + 1] = a .. b end"
      " return t",
      "local t = {} for a in string.gmatch('x1y22', '%d*') do t[#t + 1] = a .. '.' end return t",
      "local t = {} for i, v in ipairs({'a', 'b'}) do t[i] = v .. i end return t",
      "local function add(a, b) return a + (b or 1) end return {add(1), add(1, 2), (add(3, 4, 5))}",
      "local n = 1 local function next_one() n = n + 1 return n end next_one() return {n, "
      "next_one()}",
      "local function two() return 1, 2 end local a, b, c = two() return {a, b, c or 'none'}",
      "local function all() return unpack({1, 2, 3}) end return {all()}",
      "local function get(k) return redis.call('GET', k) end return get(KEYS[1])",
      "local a, b = unpack(redis.call('MGET', KEYS[1], 'none')) return {a or 0, b}",
      "local x = ARGV[1] == 'arg' and 'yes' or 'no' return x",
      "local a, b = 1 return {a, b or 'nil'}"};
  for (const char* const body : bodies) {
    EXPECT_TRUE(Runs(body)) << body;
    for (int round = 0; round < 2; ++round) BothEval(body);
  }
}

constexpr const char* kLeft[] = {
    "return redis.call('INCR', 'l')",
    "return redis.pcall('INCR', 'l')",
    "return redis.pcall('INCR', 'l').err",
    "return redis.call('NOSUCH')",
    "return redis.call('GET')",
    "return redis.call('SUBSCRIBE', 'c')",
    "return redis.call()",
    "return redis.call('GET', {})",
    "return redis.call({})",
    "return nothing.at_all",
    "return ARGV[1] + 1",
    "return ARGV[1] .. {}",
    "return 'a' < 'b'",
    "return 1 < '2'",
    "return #12",
    "return {1, nil, 3}",
    "return {ok = 'fine'}",
    "return {err = 'ERR bad'}",
    "return redis.status_reply('fine')",
    "return redis.error_reply('ERR bad')",
    "return tostring({}) ~= ''",
    "return tostring(1.5)",
    "return 1.5 .. ''",
    "return 2 ^ 3",
    "return 7 % 4",
    "return ('x'):upper()",
    "return tonumber('0x10')",
    "return tonumber('ff', 16)",
    "return tonumber(' 5 ')",
    "return string.match('a.b', '[.]')",
    "return string.format('%5d', 3)",
    "return string.format('%.0f', 1.5)",
    "return string.find('abc', 'b')",
    "return string.rep('ab', 3)",
    "return table.concat({1, 2}, ',')",
    "return unpack({}, 1, 2)",
    "local f, s, v = ipairs({'x'}) return {s, v}",
    "local f, s = ipairs({1}) return not s",
    "for i, v in (ipairs({'x'})) do return v end",
    "for i, v in ipairs({'x', 'y', 'z'}), {1, 2, 3, 4}, 2 do return v end",
    "return redis.call('SET', 'k', -(0 / 0))",
    "return redis.call('SET', 'k', (ARGV[2] - 12) / 0)",
    "return KEYS[0]",
    "return KEYS['x']",
    "return KEYS[1.5]",
    "local t = {} t.x = 1 return t.x",
    "local t = {} t[5] = 1 return #t",
    "return math.max()",
    "return math.huge",
    "return 1 / 0",
    "return select('#', 1, 2)",
    "local t = {} for i, v in ipairs(ARGV) do t[i] = v .. i end return t",
    "return type(1)",
    "return pcall(redis.call, 'INCR', 'l')",
    "return function() end",
    "return redis.sha1hex('x')",
    "return cjson.encode({1})",
    "for k, v in pairs({1}) do return k end",
    "error('stop')",
    "return redis.call('SET', 'k')",
    "local s = '' for i = 1, 900 do s = s .. 'twenty bytes and more' end return #s",
    "local t = {} for i = 1, 3000 do t[i] = i end return #t",
    "for i = 1, 90 do redis.call('INCR', 'k') end return redis.call('GET', 'k')",
    "local n = 0 for i = 1, 30000 do n = n + 1 end return n",
    "local function down(n) if n == 0 then return 0 end return down(n - 1) end return down(50)"};

TEST_F(QuickRunTest, LeavesToLuaWhatItDoesNotKnowAndRunsNoCommandTwice) {
  const std::string before = "redis.call('RPUSH', 'l', ARGV[1]) ";
  for (const char* const one : kLeft) {
    Both({"DEL", "k", "l"});
    BothEval(before + one);
    EXPECT_EQ(Both({"LLEN", "l"}), "1 (integer) 1") << one;
  }
}

TEST_F(QuickRunTest, RefusalsAreLuas) {
  const std::string body = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])";
  EXPECT_EQ(BothEval(body), "1 \"arg\"");
  Both({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_NE(BothEval(body).find("OOM"), std::string::npos);
  Both({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(BothEval(body), "1 \"arg\"");
  EXPECT_NE(Both({"EVAL_RO", body, "1", "k", "v"}).find("Write commands"), std::string::npos);
}

/// Expressions made at random, of what scripts are made of.
class Expressions {
 public:
  explicit Expressions(std::uint64_t seed) : state_(seed) {}

  // NOLINTNEXTLINE(misc-no-recursion): as deep as it is told
  std::string Next(int depth) {
    static constexpr const char* kLeaves[] = {
        "1",       "-2",      "0",       "12",   "1.5",   "'7'",        "'text'", "''",
        "KEYS[1]", "ARGV[1]", "ARGV[2]", "ARGV", "nil",   "true",       "false",  "'12 left'",
        "KEYS",    "{}",      "{1}",     "t",    "t[1]",  "t[2]",       "n",      "{'a', false}",
        "t[9]",    "#ARGV",   "9e14",    "'-3'", "'0x1'", "'100000000'"};
    static constexpr const char* kPairs[] = {" + ", " - ",  " * ", " / ",  " .. ",  " == ", " ~= ",
                                             " < ", " <= ", " > ", " >= ", " and ", " or "};
    static constexpr const char* kCalls[] = {"tonumber(@)",
                                             "tostring(@)",
                                             "#(@)",
                                             "not (@)",
                                             "-(@)",
                                             "(@)[1]",
                                             "math.max(@, 3)",
                                             "math.floor(@)",
                                             "string.sub(@, 2)",
                                             "string.sub('abcdef', @)",
                                             "(string.match(@, '^%d+'))",
                                             "string.format('%.0f', @)",
                                             "redis.call('ECHO', @)",
                                             "redis.call('GET', @)",
                                             "redis.call('INCRBY', 'n', @)",
                                             "f(@)",
                                             "g(@)",
                                             "table.concat({@, 'x'})",
                                             "{@, 1}",
                                             "(unpack({@, 2}))"};
    if (depth == 0) return kLeaves[Below(std::size(kLeaves))];
    if (Below(2) == 0) {
      const char* const pair = kPairs[Below(std::size(kPairs))];
      return "(" + Next(depth - 1) + pair + Next(depth - 1) + ")";
    }
    std::string call = kCalls[Below(std::size(kCalls))];
    return call.replace(call.find('@'), 1, Next(depth - 1));
  }

 private:
  std::size_t Below(std::size_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % bound;
  }

  std::uint64_t state_;
};

TEST_F(QuickRunTest, WhateverIsComputedIsWhatLuaComputes) {
  Expressions expressions(7);
  int quick = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string body =
        "local n, t = 5, {'x', 8} local function f(a) n = n + 1 return a, n end "
        "local function g(a) if a then return {a, n} end end "
        "local r = " +
        expressions.Next(1 + i % 3) + " return {n, r}";
    quick += Runs(body) ? 1 : 0;
    Both({"EVAL", body, "1", "k", "arg", "12"});
    Both({"GET", "n"});
  }
  EXPECT_GT(quick, 1000);
}

TEST_F(QuickRunTest, AScriptOfAFormThatIsNotKnownIsLuasFromItsBeginning) {
  for (const char* const body :
       {"return math.random()", "x = 1", "return KEYS", "local r = redis return r.call('PING')",
        "if ARGV[1] then local f = type else end return 1", "return redis.call('GET', ...)",
        "return pcall(tonumber, 1)", "return ARGV[2] % 4",
        "local function outer() local function inner() return 1 end return inner() end return 1"}) {
    EXPECT_FALSE(Runs(body)) << body;
  }
}

}  // namespace
}  // namespace interlock::sim::redis
