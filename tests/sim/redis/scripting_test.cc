// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using ScriptingTest = FakeTest;

constexpr const char* kUnlock =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 "
    "end";

TEST_F(ScriptingTest, UnlockScriptDeletesOnlyWithTheToken) {
  Run({"SET", "lock", "mine"});
  EXPECT_EQ(Eval(kUnlock, {"lock"}, {"other"}), "(integer) 0");
  EXPECT_EQ(Eval(kUnlock, {"lock"}, {"mine"}), "(integer) 1");
}

TEST_F(ScriptingTest, ErrorsCarryShaAndLine) {
  Run({"SET", "k", "text"});
  EXPECT_EQ(Eval("\nreturn redis.call('incr', 'k')"),
            "(error) ERR value is not an integer or out of range script: "
            "664a3ff9a48dd690180fd432c4da507db08ff3cd, on @user_script:2.");
}

TEST_F(ScriptingTest, AnErrorWithoutTextIsUnknownWhereTheServerSurvivesIt) {
  server_.SetUnmodelledIsError(true);
  EXPECT_NE(Eval("error({})").find("does not model"), std::string::npos);
  server_.SetDialect(*FindDialect("valkey-9.1"));
  EXPECT_EQ(Eval("error({})"), "(error) ERR unknown error script: on @user_script:1.");
}

TEST_F(ScriptingTest, ValkeyShowsAScriptByItsSha) {
  server_.SetDialect(*FindDialect("valkey-8.1"));
  const std::string sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";  // of "return 1"
  EXPECT_EQ(Run({"SCRIPT", "SHOW", sha}), "(error) NOSCRIPT No matching script.");
  Eval("return 1");
  EXPECT_EQ(Run({"SCRIPT", "SHOW", sha}), "\"return 1\"");
  Run({"SCRIPT", "FLUSH"});
  EXPECT_EQ(Run({"SCRIPT", "SHOW", sha}), "(error) NOSCRIPT No matching script.");
}

// The cache of scripts: filled by EVAL and LOAD, emptied by FLUSH and by a restart.
TEST_F(ScriptingTest, EvalshaNeedsAScriptThatIsVisible) {
  const std::string noscript = "(error) NOSCRIPT No matching script. Please use EVAL.";
  const std::string sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";  // of "return 1"
  EXPECT_EQ(Run({"EVALSHA", sha, "0"}), noscript);
  EXPECT_EQ(Run({"SCRIPT", "LOAD", "return 1"}), "\"" + sha + "\"");
  EXPECT_EQ(Run({"EVALSHA", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0"}), "(integer) 1");
  EXPECT_EQ(Run({"SCRIPT", "EXISTS", sha, "x"}), "[1, 0]");
  Run({"SCRIPT", "FLUSH"});
  EXPECT_EQ(Run({"EVALSHA", sha, "0"}), noscript);
  Eval("return 1");
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(Run({"EVALSHA", sha, "0"}), noscript);
}

TEST_F(ScriptingTest, RandomNumbersAreThoseOfAFreshServerAndContinue) {
  EXPECT_EQ(Eval("return {math.random(1, 1000), math.random(1, 1000)}"), "[397, 841]");
  EXPECT_EQ(Eval("return math.random(1, 1000)"), "(integer) 354");
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(Eval("return math.random(1, 1000)"), "(integer) 397");
}

TEST_F(ScriptingTest, AddressesNeverReachAScript) {
  // The second run creates its table elsewhere, and must not show it.
  const std::string first = Eval("return {tostring({}), tostring(pcall)}");
  EXPECT_EQ(Eval("local keep = {} return {tostring({}), tostring(pcall)}"), first);
  EXPECT_EQ(Eval("local t = {} return tostring(t) == tostring(t)"), "(integer) 1");
  EXPECT_EQ(Eval("return tostring({}) == tostring({})"), "(nil)");
  Eval("for k in pairs({[{}] = 1}) do end");
  EXPECT_EQ(server_.unmodelled(), "pairs() over keys that are tables or functions");
}

TEST_F(ScriptingTest, SettingsOfCjsonEndWithReset) {
  Eval("cjson.encode_number_precision(3)");
  EXPECT_EQ(Eval("return cjson.encode(1.23456)"), "\"1.23\"");
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(Eval("return cjson.encode(1.23456)"), "\"1.23456\"");
}

// Neither pcall nor a loop around it can swallow what the server does not model.
TEST_F(ScriptingTest, UnmodelledCommandEndsScriptAndServer) {
  Eval("while true do pcall(redis.call, 'pfcount', 'k') end");
  EXPECT_EQ(server_.unmodelled(), "PFCOUNT");
  EXPECT_EQ(Sent(client_, {"PING"}), "");
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(Run({"PING"}), "PONG");
}

TEST_F(ScriptingTest, EndlessScriptIsUnmodelled) {
  Eval("while true do pcall(function() while true do end end) end");
  EXPECT_EQ(server_.unmodelled(), "script over the time limit (BUSY)");
}

TEST_F(ScriptingTest, EndlessCoroutineIsUnmodelled) {
  Eval(
      "while true do coroutine.wrap(function() pcall(function() while true do end end) end)() end");
  EXPECT_EQ(server_.unmodelled(), "script over the time limit (BUSY)");
}

TEST_F(ScriptingTest, MemoryHungryScriptIsUnmodelled) {
  Eval("local s = 'x' while true do s = s .. s end");
  EXPECT_EQ(server_.unmodelled(), "script over the memory limit");
}

TEST_F(ScriptingTest, RaisedTableWithoutErrIsUnmodelled) {
  Eval("error({})");
  EXPECT_TRUE(server_.unmodelled().has_value());
}

TEST_F(ScriptingTest, SelfReferentialReplyIsUnmodelled) {
  Eval("local t = {} t[1] = t return t");
  EXPECT_EQ(server_.unmodelled(), "script reply nested too deeply");
}

// Most of a fiber's stack is for the code under test.
TEST_F(ScriptingTest, ScriptsRunOnASmallStack) {
#ifdef __SANITIZE_ADDRESS__
  constexpr std::size_t kStack = std::size_t{256} << 10;
#else
  constexpr std::size_t kStack = std::size_t{64} << 10;
#endif
  const auto body = [](void* self) -> void* {
    auto& test = *static_cast<ScriptingTest_ScriptsRunOnASmallStack_Test*>(self);
    test.Run({"SET", "k", "v"});
    EXPECT_EQ(test.Eval("return string.gsub('abc', '%w', function(c) local t = {3, 1, 2} "
                        "table.sort(t, function(a, b) return redis.call('exists', a) == 9 or a < b "
                        "end) return cjson.encode(cjson.decode('[[[[1]]]]')) end)"),
              "\"[[[[1]]]][[[[1]]]][[[[1]]]]\"");
    EXPECT_EQ(test.Eval("return pcall(pcall, pcall, pcall, pcall, redis.call, 'nosuch')"),
              "(integer) 1");
    EXPECT_EQ(test.Eval("local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end "
                        "return f(5000)"),
              "(integer) 5000");
    test.Run({"MULTI"});
    test.Run({"EVAL", "return string.format('%.14g %s', 0.1, string.rep('x', 10))", "0"});
    EXPECT_EQ(test.Run({"EXEC"}), "[\"0.1 xxxxxxxxxx\"]");
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, body, this), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// As strtod does, whoever of us reads the digits.
TEST_F(ScriptingTest, TextsAreNumbersAsFarAsCReadsThem) {
  EXPECT_EQ(Eval("local all = {} for i, text in ipairs(ARGV) do "
                 "all[i] = string.format('%.0f', text + 0) end return all",
                 {},
                 {"0", "007", "1764204211", "9007199254740993", "999999999999999999",
                  "9999999999999999999", "-5", " 12 ", "1e3", "0x10", "2.5"}),
            "[\"0\", \"7\", \"1764204211\", \"9007199254740992\", \"1000000000000000000\", "
            "\"10000000000000000000\", \"-5\", \"12\", \"1000\", \"16\", \"2\"]");
  EXPECT_EQ(Eval("local none = 0 for _, text in ipairs(ARGV) do "
                 "if tonumber(text) == nil then none = none + 1 end end return none",
                 {}, {"", " ", "1x", "12 3", "-", "1\n2"}),
            "(integer) 6");
}

// string.find always is Lua's own, and answers the captures behind the two places.
TEST_F(ScriptingTest, MatchFindsWhatLuasOwnMatcherFinds) {
  const std::vector<std::string> texts = {
      "",    "7",     "42 abc", "abc 42", "17 3 1 t@0f", "1  ",     "a\tb\nc", " x ",     "12x34",
      "(1)", "a.b-c", "1 2 3",  "%d",     "aaab",        "a b c d", "x$",      "hold:k:1"};
  const std::vector<std::string> patterns = {"",
                                             "^",
                                             "$",
                                             "^$",
                                             "%d+",
                                             "^%d+",
                                             "%d+$",
                                             "^(%d+)$",
                                             "^(%d+) ?(.*)$",
                                             "^(%S+) (%d+)$",
                                             " (%d+)$",
                                             "(%S*)%s*(%S?)",
                                             ".",
                                             "..",
                                             "a+b",
                                             "a*ab",
                                             "(a*)(a?)(b)",
                                             "^(.+)(.+)$",
                                             "(%s)",
                                             "%s+$",
                                             "^hold:(.*)$",
                                             "(.*)1(.*)",
                                             "%d %d",
                                             "x$",
                                             "x%$",
                                             "()a",
                                             "[ab]+",
                                             "a-b",
                                             "(a(b))",
                                             "%w+",
                                             "b?c",
                                             "^^",
                                             "a$b",
                                             "(%d+) (%d+) (%d) ?(.*)"};
  std::vector<std::string> all = {std::to_string(texts.size())};
  all.insert(all.end(), texts.begin(), texts.end());
  all.insert(all.end(), patterns.begin(), patterns.end());
  EXPECT_EQ(Eval("local function same(text, pattern) "
                 "  local mine, own = {string.match(text, pattern)}, {string.find(text, pattern)} "
                 "  if #own == 2 then own[3] = string.sub(text, own[1], own[2]) end "
                 "  if #mine ~= math.max(0, #own - 2) then return false end "
                 "  for i = 1, #mine do if mine[i] ~= own[i + 2] then return false end end "
                 "  return true "
                 "end "
                 "local wrong, count = {}, tonumber(ARGV[1]) "
                 "for t = 2, count + 1 do for p = count + 2, #ARGV do "
                 "  if not same(ARGV[t], ARGV[p]) then "
                 "    wrong[#wrong + 1] = ARGV[p] .. ' in ' .. ARGV[t] end "
                 "end end return wrong",
                 {}, all),
            "[]");
}

TEST_F(ScriptingTest, ScriptsHaveNoArgumentsOfTheirOwn) {
  EXPECT_EQ(Eval("return {select('#', ...), KEYS[1]}", {"k"}), "[0, \"k\"]");
  EXPECT_EQ(Eval("return (function(...) return {select('#', ...), ARGV[1]} end)(1, 2)", {}, {"a"}),
            "[2, \"a\"]");
}

TEST_F(ScriptingTest, ScriptMayHaveAsManyLocalsAsLuaAllows) {
  std::string script;
  for (int i = 0; i < 199; ++i) script += "local l" + std::to_string(i) + " = 1 ";
  EXPECT_EQ(Eval(script + "return l198 + #KEYS", {"a", "b"}), "(integer) 3");
}

TEST_F(ScriptingTest, NoScriptSeesWhatAnotherOneDidToAReply) {
  const std::string look =
      "local a, b = redis.call('SET', KEYS[1], 1), redis.call('SET', KEYS[1], 2) "
      "return {a.ok, a.line or 'none', a == b and 'same' or 'different'}";
  const std::string seen = "[\"OK\", \"none\", \"different\"]";
  EXPECT_EQ(Eval(look, {"k"}), seen);
  EXPECT_EQ(Eval("local a = redis.call('SET', KEYS[1], 1) a.ok = 'no' return a", {"k"}), "no");
  Eval("error(redis.call('SET', KEYS[1], 1))", {"k"});
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(Eval(look, {"k"}), seen);
}

TEST_F(ScriptingTest, SelectInAScriptStaysThere) {
  Eval("redis.call('select', 3) redis.call('set', 'k', 'v')");
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
  EXPECT_EQ(server_.PeekString(3, "k"), "v");
}

TEST_F(ScriptingTest, PublishReachesSubscribersBeforeTheReply) {
  const ClientId listener = server_.Connect();
  Sent(listener, {"SUBSCRIBE", "ch"});
  Sent(client_, {"EVAL", "return redis.call('publish', 'ch', 'hi')", "0"});
  EXPECT_EQ(Joined(), "2 [\"message\", \"ch\", \"hi\"]; 1 (integer) 1");
}

TEST_F(ScriptingTest, FunctionFlushFindsNoFunctions) {
  EXPECT_EQ(Run({"FUNCTION", "FLUSH"}), "OK");
  EXPECT_EQ(Run({"FUNCTION", "FLUSH", "ASYNC"}), "OK");
  EXPECT_EQ(Run({"FUNCTION", "FLUSH", "NOW"}),
            "(error) ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
}

}  // namespace
}  // namespace interlock::sim::redis
