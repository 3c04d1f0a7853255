// SPDX-License-Identifier: MIT
#include "tests/redis/differential/regressions.h"

namespace interlock::testing {

namespace {

constexpr Regression kRegressions[] = {
    {"what EXEC runs is refused by the flags that it has then, if it was not there when it was "
     "queued",
     R"~(1> MULTI
        1> FCALL w 0
        1> FCALL_RO w 0
        2> FUNCTION LOAD "#!lua name=l\nredis.register_function('w', function() end)"
        2> CONFIG SET min-replicas-to-write 1
        1> EXEC)~"},
    {"the same for want of memory",
     R"~(1> MULTI
        1> FCALL w 0
        2> FUNCTION LOAD "#!lua name=l\nredis.register_function('w', function() end)"
        2> CONFIG SET maxmemory 1
        1> EXEC)~"},
    {"no client has an empty address",
     R"~(0> CLIENT KILL ADDR ""
        0> CLIENT KILL "")~"},
    {"waiters are served by the first push of their keys, not by the order of their arguments",
     R"~(0> BLPOP l1 l2 0
        1> MULTI
        1> RPUSH l2 b
        1> RPUSH l1 a
        1> EXEC)~"},
    {"a waiter gets the head of the final list",
     R"~(0> BLPOP l1 0
        1> BLPOP l1 0
        2> LPUSH l1 a b c)~"},
    {"what is pushed and taken in one transaction wakes nobody",
     R"~(0> BLPOP l1 0
        1> MULTI
        1> RPUSH l1 a
        1> LPOP l1
        1> EXEC)~"},
    {"BLMOVE with a destination of the wrong type fails, and the next waiter is served",
     R"~(2> SET s1 x
        0> BLMOVE l1 s1 LEFT RIGHT 0
        1> BLPOP l1 0
        2> RPUSH l1 a)~"},
    {"a waiter that hung up takes nothing",
     R"~(0> BLPOP l1 0
        1> BLPOP l1 0
        0> (reconnect)
        2> RPUSH l1 a)~"},
    {"commands behind a blocked one run after it",
     R"~(0> BLPOP l1 0
        0> LLEN l1
        0> BLPOP l1 0
        1> RPUSH l1 a b c)~"},
    {"a key that expired since WATCH fails EXEC, one that was expired does not",
     R"~(0> SET s1 x PXAT 1
        0> WATCH s1
        0> MULTI
        0> PING
        1> GET s1
        0> EXEC)~"},
    {"AUTH in HELLO is judged before the options behind it",
     R"~(0> HELLO 3 AUTH a a a
        0> HELLO 3 AUTH default a SETNAME)~"},
    {"CLIENT REPLY SKIP skips the late reply of a command that blocks",
     R"~(0> CLIENT REPLY SKIP
        0> BLPOP l1 0
        1> RPUSH l1 a b
        0> LLEN l1)~"},
    {"the error in a script keeps its code and names its line",
     R"~(0> LPUSH l1 a
        0> EVAL "local x = 1\nreturn redis.call('incr', 'l1')" 0)~"},
    {"own changes of tracked keys are told behind the reply, and behind EXEC",
     R"~(0> HELLO 3
        0> CLIENT TRACKING ON
        0> MGET s1 s2
        0> MSET s2 a s1 b
        0> MULTI
        0> GET s1
        0> SET s1 c
        0> GET s1
        0> EXEC
        1> SET s1 d
        0> GET s1
        0> EVAL "redis.call('set','s2','1') redis.call('set','s1','2') return 3" 0)~"},
    {"broadcasts come by prefix, once for each turn",
     R"~(0> HELLO 3
        0> CLIENT TRACKING ON BCAST PREFIX s PREFIX l
        1> HELLO 3
        1> CLIENT TRACKING ON BCAST NOLOOP
        2> MSET s2 a none b s1 c
        1> MULTI
        1> RPUSH l1 a
        1> SET s1 b
        1> EXEC
        1> EVAL "redis.call('del','s1','l1') return 3" 0
        2> SET dead x PXAT 1
        1> SET s1 x PXAT 1
        1> GET s1)~"},
    {"a client that opts in is told of what it reads behind CLIENT CACHING",
     R"~(0> HELLO 3
        0> CLIENT TRACKING ON OPTIN
        0> GET s1
        0> CLIENT CACHING YES
        0> MULTI
        0> PTTL s2
        0> GET s2
        0> EXEC
        0> GET none
        1> MSET s1 a s2 b none c)~"},
    {"a redirection ends with whom it leads to",
     R"~(0> HELLO 3
        1> SUBSCRIBE __redis__:invalidate
        0> CLIENT TRACKING ON REDIRECT @1
        0> GET s1
        2> SET s1 a
        0> GET s1
        1> (reconnect)
        2> SET s1 a
        0> CLIENT TRACKINGINFO
        0> GET s1
        0> SET s1 b
        2> FLUSHALL)~"},
    {"a waiter hears of the push before what it has waited for",
     R"~(0> HELLO 3
        0> CLIENT TRACKING ON
        0> LRANGE l1 0 -1
        0> LRANGE l2 0 -1
        0> BLMOVE l1 l2 LEFT LEFT 0
        1> RPUSH l1 a)~"},
    {"to Redis 7.0 a list that wakes BLPOP or BLMOVE was changed by the push alone",
     R"~(0> HELLO 3
        1> HELLO 3
        0> CLIENT TRACKING ON BCAST NOLOOP
        1> CLIENT TRACKING ON BCAST NOLOOP
        0> BLPOP l1 0
        1> RPUSH l1 a b
        0> BLMOVE l2 l1 LEFT LEFT 0
        1> RPUSH l2 a
        0> BLMPOP 0 1 l1 LEFT COUNT 2
        1> RPUSH l1 a b
        0> BZPOPMIN z1 0
        1> ZADD z1 1 a 2 b)~"},
    {"all keys are gone: null, which is told even to a client without replies",
     R"~(0> HELLO 3
        0> CLIENT TRACKING ON
        0> CLIENT REPLY OFF
        1> FLUSHALL
        0> FLUSHDB
        0> GET s1
        1> SET s1 x
        1> SWAPDB 0 1)~"},
    {"a trim that removes nothing is a change to watchers, but not in Valkey 9",
     R"~(0> RPUSH l1 a
        3> WATCH l1
        3> MULTI
        0> LTRIM l1 0 100
        3> EXEC)~"},
    {"a sorted set that has been sorted is a skiplist, whose scores ZSCAN writes in full",
     R"~(0> ZADD z1 1 a 2 b
        0> ZADD z1 0.1 a
        0> ZSCAN z1 0
        0> SORT_RO z1 ALPHA
        0> ZSCAN z1 0)~"},
    {"a number that a script stores is an integer, but a text in Valkey 9",
     R"~(0> EVAL "redis.call('SET', 's1', '12') redis.call('GETSET', 's2', '12')" 0
        0> EVAL "return redis.call('APPEND', 's3', '12')" 0
        0> OBJECT ENCODING s1
        0> OBJECT ENCODING s2
        0> OBJECT ENCODING s3
        0> COPY s1 s4
        0> OBJECT ENCODING s4
        0> GETEX s1 PERSIST
        0> INCR s1
        0> OBJECT ENCODING s1
        0> EVAL "return redis.call('INCR', 's2')" 0
        0> OBJECT ENCODING s2)~"},
    {"a transaction is refused for what its commands were when they were queued",
     R"~(0> FUNCTION LOAD "#!lua name=l1\nredis.register_function('put', function() return 1 end)"
        1> MULTI
        1> FCALL put 0
        0> FUNCTION FLUSH
        0> CONFIG SET maxmemory 1
        1> EXEC
        0> CONFIG SET maxmemory 0)~"},
    {"a list that grows is a quicklist, and one that shrinks within a node a listpack again",
     R"~(0> CONFIG SET list-max-listpack-size 3
        0> RPUSH l1 a b c
        0> OBJECT ENCODING l1
        0> LSET l1 7 x
        0> OBJECT ENCODING l1
        0> LPOP l1 2
        0> OBJECT ENCODING l1
        0> LINSERT l1 BEFORE none x
        0> RPUSH l1 d
        0> RPUSH l2 a b c d
        0> COPY l2 l3
        0> OBJECT ENCODING l3
        0> LMOVE l3 l4 LEFT LEFT
        0> OBJECT ENCODING l4
        0> CONFIG SET list-max-listpack-size -2
        0> LTRIM l2 0 0
        0> OBJECT ENCODING l2
        0> OBJECT ENCODING l1)~"},
    {"no key is of the type none, but in Redis 7.0 those that are over",
     R"~(0> SET s1 x PXAT 1
        0> SCAN 0 TYPE none
        0> SCAN 0 TYPE none
        0> SET s1 x
        0> SCAN 0 TYPE foo
        0> SCAN 0 TYPE STRING
        0> SCAN 0 TYPE foo COUNT x)~"},
    {"a cursor is read up to its first NUL, and is none before it",
     R"~(0> RPUSH l1 a
        0> HSET h1 f v
        0> HSCAN h1 "\x00" COUNT 10
        0> HSCAN h1 "0\x00x"
        0> HSCAN h1 "-1\x00x"
        0> HSCAN h1 -1
        0> SCAN "\x00"
        0> SSCAN none "-1\x00")~"},
    {"the library cmsgpack says whose it is", R"~(0> EVAL "return cmsgpack._COPYRIGHT" 0)~"},
    {"HSETEX looks for a number of fields where there is a field behind it",
     R"~(0> HSETEX h1 FIELDS f v
        0> HSETEX h1 FIELDS x f v
        0> HSETEX h1 FIELDS 1 f v
        0> HSETEX h1 FNX EX 10 FIELDS f v)~"},
    {"errors that a script answers with are counted by their first words, and those are limited",
     R"~(0> CONFIG RESETSTAT
        0> EVAL "return {redis.error_reply('A:B x'), {redis.error_reply('C x')}}" 0
        0> EVAL "return {redis.pcall('NOSUCH'), redis.error_reply('C x')}" 0
        0> EVAL "local t = {} for i = 1, 125 do t[i] = {err = 'E' .. i .. ' x'} end return t" 0
        0> EVAL "return redis.error_reply('D x')" 0
        0> INFO errorstats
        0> NOSUCH
        0> EVALSHA x 0
        0> EVAL "return redis.error_reply('F x')" 0
        0> EVAL "return {err = 'E7 x'}" 0
        0> EVAL "error({err = 'G x'})" 0
        0> RPUSH l1 a
        0> GET l1
        0> INFO errorstats
        0> CONFIG RESETSTAT
        0> GET l1
        0> INFO errorstats)~"},
    {"a table with texts as keys is in the order of the server's hash of them",
     R"~(0> EVAL "return cjson.encode({token='a', n=1, owner='b'})" 0
        0> EVAL "return cjson.encode({['a text of more than 31 characters']=1, b=2, c=3})" 0
        0> EVAL "local t={} for i=1,40 do t['k'..i]=i end return cjson.encode(t)" 0
        0> EVAL "local o={} for k in pairs({lock=1,b=2,uuid=3}) do o[#o+1]=k end return o" 0
        0> EVAL "return cmsgpack.pack({owner=1, ttl=2, lock=3, ['']=4})" 0
        0> EVAL "return {next({field=1, expires=2, threads=3})}" 0
        0> EVAL "return {next(cjson.decode(ARGV[1]))}" 0 "{\"a\": 1, \"zz\": 2, \"owner\": 3}")~"},
};

}  // namespace

std::span<const Regression> Regressions() { return kRegressions; }

}  // namespace interlock::testing
