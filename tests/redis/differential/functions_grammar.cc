// SPDX-License-Identifier: MIT
#include "tests/redis/differential/functions_grammar.h"

namespace interlock::testing {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGood = R"(#!lua name=good
local calls = 0
local register = redis.register_function
local loaded = redis
redis.register_function('count', function(keys, args) calls = calls + 1 return calls end)
redis.register_function('put', function(keys, args) return redis.call('set', keys[1], args[1]) end)
redis.register_function{
  function_name = 'look', callback = function(keys, args) return redis.call('get', keys[1]) end,
  flags = {'no-writes'}, description = 'looks at a key'}
redis.register_function{
  function_name = 'sneak', flags = {'no-writes'},
  callback = function(keys, args) return redis.call('set', keys[1], '1') end}
redis.register_function{
  function_name = 'more', flags = {'allow-oom', 'allow-stale', 'no-cluster'},
  callback = function(keys, args) return redis.call('append', keys[1], 'more') end}
redis.register_function('run', function(keys, args) return redis.call(unpack(args)) end)
redis.register_function('prun', function(keys, args) return redis.pcall(unpack(args)) end)
redis.register_function('raise', function(keys, args) error('raised') end)
redis.register_function('table', function(keys, args) error({err = 'MY error'}) end)
redis.register_function('late', function() register('other', function() end) end)
redis.register_function('later', function() redis.register_function('other', function() end) end)
redis.register_function('latest', register)
redis.register_function('old', function() return loaded.call('ping') end)
redis.register_function('global', function() calls2 = 1 end)
redis.register_function('missing', function() return KEYS[1] end)
redis.register_function('field', function() return redis.nothing end)
redis.register_function('change', function() redis.nothing = 1 end)
redis.register_function('words', function(...) return {select('#', ...), ...} end)
redis.register_function('own', function(keys, args) keys[1] = 'a' args[9] = 'b' return keys end)
redis.register_function('none', function() end)
redis.register_function('many', function() return 1, 2 end)
redis.register_function('half', function() return {3.7, false, nil, 4} end)
redis.register_function('resp', function(keys)
  redis.setresp(3)
  return redis.call('hgetall', keys[1])
end)
redis.register_function('names', function()
  local names = {}
  for name in pairs(redis) do names[#names + 1] = name end
  table.sort(names)
  return names
end)
redis.register_function('globals', function()
  local names = {}
  for name in pairs(_G) do names[#names + 1] = name end
  table.sort(names)
  return names
end)
redis.register_function('choose', function() math.randomseed(5) return math.random(1000) end)
)";

constexpr std::string_view kCodes[] = {
    ""sv,
    "x"sv,
    "#!"sv,
    "#!lua"sv,
    "#!lua name=good"sv,
    "\n#!lua name=a\n"sv,
    "#!\n"sv,
    "#!lua\n"sv,
    "#!lua name=\n"sv,
    "#!lua name=a-b\n"sv,
    "#!lua name=a name=b\n"sv,
    "#!lua name=a foo=1\n"sv,
    "#!lua name=a foo\n"sv,
    "#!lua a name=b\n"sv,
    "#!lua nam=a\n"sv,
    "#!foo name=a\n"sv,
    "#!foo name=a-b\n"sv,
    "#!foo\n"sv,
    "#! lua name=a\n"sv,
    "#!LUA name=a\n"sv,
    "#!lua NAME=a\n"sv,
    "#!lua name=a\0\n"sv,
    "#!lua name=a\r\nredis.register_function('a', function() return 1 end)"sv,
    "#!lua\t\v\fname=a \nredis.register_function('a', function() return 2 end)"sv,
    "#!lua name=\"a\"\nredis.register_function('a', function() return 3 end)"sv,
    "#!lua 'name=a'\nredis.register_function('a', function() return 4 end)"sv,
    "#!lua na'me=a'\nredis.register_function('a', function() return 5 end)"sv,
    "#!'lua' name=\"\\x61b\"\nredis.register_function('a', function() return 6 end)"sv,
    "#!lua name=\"a\n"sv,
    "#!lua name=a\nreturn 1"sv,
    "#!lua name=a\nbad("sv,
    "#!lua name=a\n\n\nlocal = 1"sv,
    "#!lua name=a\nfoo()"sv,
    "#!lua name=a\nx = 1"sv,
    "#!lua name=a\nerror('x')"sv,
    "#!lua name=a\nreturn KEYS[1]"sv,
    "#!lua name=a\nlocal s = string"sv,
    "#!lua name=a\nlocal p = pairs"sv,
    "#!lua name=a\nlocal g = _G"sv,
    "#!lua name=a\nlocal s = server"sv,
    "#!lua name=a\nredis.call('ping')"sv,
    "#!lua name=a\nredis.pcall('ping')"sv,
    "#!lua name=a\nredis.setresp(3)"sv,
    "#!lua name=a\nredis.foo()"sv,
    "#!lua name=a\nredis.foo = 1"sv,
    "#!lua name=a\nredis[1] = 1"sv,
    "#!lua name=a\nlocal x = redis[1]"sv,
    "#!lua name=a\nlocal x = redis[redis]"sv,
    "#!lua name=a\nlocal x = redis.log.x"sv,
    "#!lua name=a\nlocal x = redis.SERVER_NAME"sv,
    "#!lua name=a\nlocal x = ('f'):foo()"sv,
    "#!lua name=a\nlocal x = 1 .. {}"sv,
    "#!lua name=a\nlocal t = {} t[nil] = 1"sv,
    "#!lua name=a\nlocal function f() return 1 + f() end f()"sv,
    "#!lua name=a\nredis.register_function()"sv,
    "#!lua name=a\nredis.register_function(1)"sv,
    "#!lua name=a\nredis.register_function('f')"sv,
    "#!lua name=a\nredis.register_function('f', 'g')"sv,
    "#!lua name=a\nredis.register_function('f', function() end, 1)"sv,
    "#!lua name=a\nredis.register_function(true, function() end)"sv,
    "#!lua name=a\nredis.register_function({}, function() end)"sv,
    "#!lua name=a\nredis.register_function('f-g', function() end)"sv,
    "#!lua name=a\nredis.register_function('f-g', function() end) foo()"sv,
    "#!lua name=a\nredis.register_function('', function() end)"sv,
    "#!lua name=a\nredis.register_function('f', function() end) "
    "redis.register_function('f', function() end)"sv,
    "#!lua name=a\nredis.register_function('f', function() end) "
    "redis.register_function('f', function() end) foo()"sv,
    "#!lua name=a\nredis.register_function(12, function() return 12 end)"sv,
    "#!lua name=a\nredis.register_function{}"sv,
    "#!lua name=a\nredis.register_function{1}"sv,
    "#!lua name=a\nredis.register_function{[redis] = 1}"sv,
    "#!lua name=a\nredis.register_function{function_name = 'f'}"sv,
    "#!lua name=a\nredis.register_function{callback = function() end}"sv,
    "#!lua name=a\nredis.register_function{function_name = {}}"sv,
    "#!lua name=a\nredis.register_function{callback = 1}"sv,
    "#!lua name=a\nredis.register_function{flags = 1}"sv,
    "#!lua name=a\nredis.register_function{flags = {'x'}}"sv,
    "#!lua name=a\nredis.register_function{flags = {true}}"sv,
    "#!lua name=a\nredis.register_function{flags = {'no-writes', 'x'}}"sv,
    "#!lua name=a\nredis.register_function{description = {}}"sv,
    "#!lua name=a\nredis.register_function{nothing = 1}"sv,
    "#!lua name=a\nredis.register_function{function_name = 7, "
    "callback = redis.register_function}"sv,
    "#!lua name=a\nredis.register_function{function_name = 'a b', callback = function() end}"sv,
    "#!lua name=a\nredis.register_function{FUNCTION_NAME = 'f', Callback = function() return "
    "1 end, FLAGS = {'NO-WRITES', 'allow-cross-slot-keys'}, description = 5}"sv,
    "#!lua name=a\nredis.register_function{function_name = 'f', callback = function() return "
    "2 end, flags = {[2] = 'no-writes'}}"sv,
    "#!lua name=a\nredis.register_function{function_name = 'f', callback = function() return "
    "3 end, flags = {x = 'y'}, description = ''}"sv,
    "#!lua name=a\nfor i = 1, 3 do "
    "redis.register_function('f' .. i, function() return i end) end"sv,
    "#!lua name=a\nlocal x = ... redis.register_function('f', function() return x end)"sv,
    "#!lua name=a\nlocal x = redis.register_function('f', function() end) "
    "redis.register_function('f1', function() return x end)"sv,
    "#!lua name=a\nlocal x = ('a'):rep(3) "
    "redis.register_function(x, function() return x end) return x"sv,
    "#!lua name=A\nredis.register_function('Upper', function() return 'up' end)"sv,
    "#!lua name=b\nredis.register_function('f', function() return 'b' end)"sv,
    "#!lua name=b\nredis.register_function('F1', function() return 'b1' end)"sv,
    "#!lua name=good\nredis.register_function('count', function() return 'replaced' end)"sv,
    "#!lua name=thief\nredis.register_function('count', function() return 'stolen' end)"sv,
};

constexpr std::string_view kFunctionPatterns[] = {
    // clang-format off
    "FCALL count 0", "FCALL count 0", "FCALL COUNT 0", "FCALL put 1 %s %v", "FCALL put 1 %k %v",
    "FCALL look 1 %s", "FCALL look 1 %k", "FCALL_RO look 1 %k", "FCALL sneak 1 %s",
    "FCALL_RO sneak 1 %s", "FCALL more 1 %s", "FCALL_RO put 1 %s %v", "FCALL_RO more 1 %s",
    "FCALL raise 0", "FCALL Raise 0", "FCALL table 0", "FCALL late 0", "FCALL later 0",
    "FCALL latest 0", "FCALL latest 1 %k %v", "FCALL old 0", "FCALL global 0", "FCALL missing 0",
    "FCALL field 0", "FCALL change 0", "FCALL own 1 %k %v", "FCALL none 0", "FCALL many 0",
    "FCALL half 0", "FCALL resp 1 %h", "FCALL names 0", "FCALL globals 0", "FCALL choose 0",
    "FCALL f 0", "FCALL f 1 %k %v", "FCALL f1 0", "FCALL f2 0", "FCALL_RO f 0", "FCALL aaa 0",
    "FCALL 12 0", "FCALL 7 0", "FCALL a 0", "FCALL upper 0", "FCALL other 0",
    "FCALL count %N", "FCALL count %N %k %v", "FCALL other %N", "FCALL look %N %k", "FCALL %v 0",
    "FCALL run 0", "FCALL prun 0", "FCALL run 0 nosuch", "FCALL run 0 fcall count 0",
    "FCALL run 0 function list", "FCALL run 0 function nosuch", "FCALL run 0 eval x 0",
    "FCALL prun 0 multi", "FCALL run 0 select 1", "FCALL run 0 swapdb 0 0",
    "EVAL \"return redis.call('fcall', 'count', 0)\" 0",
    "EVAL \"return redis.pcall('function', 'flush')\" 0",
    "EVAL \"return redis.register_function\" 0",
    "FUNCTION LIST", "FUNCTION LIST WITHCODE", "FUNCTION LIST LIBRARYNAME %P",
    "FUNCTION LIST LIBRARYNAME [A-G]*", "FUNCTION LIST libraryname good withcode",
    "FUNCTION LIST withcode LIBRARYNAME a", "FUNCTION LIST LIBRARYNAME", "FUNCTION LIST %v",
    "FUNCTION LIST WITHCODE WITHCODE", "FUNCTION LIST LIBRARYNAME a LIBRARYNAME b",
    "FUNCTION STATS", "FUNCTION STATS x", "FUNCTION KILL", "SCRIPT KILL", "FUNCTION HELP",
    "FUNCTION HELP", "FUNCTION HELP", "FUNCTION KILL",
    "FUNCTION HELP x", "FUNCTION DELETE a", "FUNCTION DELETE good", "FUNCTION DELETE A",
    "FUNCTION DELETE %v", "FUNCTION FLUSH", "FUNCTION FLUSH ASYNC", "FUNCTION flush sync",
    "FUNCTION FLUSH FOO", "FUNCTION flush SYNC ASYNC", "FUNCTION NOSUCH", "FUNCTION",
    "FUNCTION LOAD %v", "FUNCTION LOAD REPLACE", "FUNCTION LOAD %v %v", "FUNCTION LOAD REPLACE %v",
    "FUNCTION RESTORE x", "FUNCTION RESTORE x %v", "FUNCTION RESTORE x FLUSH y",
    "SCRIPT FLUSH", "FLUSHALL", "CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0",
    "!CONFIG SET min-replicas-to-write 1", "!CONFIG SET min-replicas-to-write 0",
    "!CONFIG SET min-replicas-to-write 0", "CONFIG SET maxmemory 0",
    // clang-format on
};

}  // namespace

std::string_view GoodLibrary() { return kGood; }
std::span<const std::string_view> LibraryCodes() { return kCodes; }
Patterns FunctionPatterns() { return kFunctionPatterns; }

std::string LibraryOf(std::string_view body) {
  std::string code = "#!lua name=body\nredis.register_function('body_of', function(KEYS, ARGV) ";
  return code.append(body).append("\nend)");
}

}  // namespace interlock::testing
