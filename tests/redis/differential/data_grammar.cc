// SPDX-License-Identifier: MIT
//
// Patterns of the data commands.
#include "tests/redis/differential/grammar.h"

namespace interlock::testing {

namespace {

constexpr std::string_view kString[] = {
    // clang-format off
    "SET %k %v", "SET %S %v", "SET %S %N", "!SET %S %v %w? %e? %w?", "!SET %k %v %e? %w? %e?",
    "!SET %k %v %w %w", "GET %S", "GET %S", "GET %k", "GETSET %S %v", "GETDEL %S", "!GETEX %S %e?",
    "!GETEX %S %w %e?", "GETEX %S PERSIST", "SETNX %S %v", "!SETEX %S %y %v", "!PSETEX %S %m %v",
    "APPEND %S %v", "STRLEN %S", "MGET %k+", "MSET %k %v %k %v", "MSET %S %v", "MSETNX %k %v %k %v",
    "INCR %S", "DECR %S", "INCRBY %S %N", "DECRBY %S %N", "INCRBYFLOAT %S %F", "GETRANGE %S %i %i",
    "SET %S %v IFEQ %v", "SET %S %v IFEQ %v GET", "!SET %S %v IFEQ %v %e? %w?",
    "!SET %S %v %w? %e? IFEQ %v", "SET %k %v IFEQ %v", "DELIFEQ %S %v", "DELIFEQ %k %v",
    "!MSETEX 2 %k %v %k %v %e? %w?", "!MSETEX 1 %S %v %w? %e? %w?",
    "MSETEX 2 %S %v %k %v", "MSETEX %N %k %v %w?", "!MSETEX 1 %k %v %e %e?",
    "SUBSTR %S %i %i", "SETRANGE %S %n %v", "SETRANGE %S 1 %v", "LCS %S %S", "LCS %S %S LEN",
    "LCS %S %S IDX WITHMATCHLEN", "LCS %S %S IDX MINMATCHLEN %n", "LCS %S %S IDX LEN",
    // clang-format on
};

constexpr std::string_view kKey[] = {
    // clang-format off
    "DEL %k+", "DEL %k", "UNLINK %k+", "EXISTS %k+", "TOUCH %k+", "TYPE %k", "TYPE %k",
    "RENAME %k %k", "RENAMENX %k %k", "COPY %k %k", "COPY %k %k REPLACE", "COPY %k %k DB %d",
    "COPY %k %k DB %d REPLACE", "COPY %k %k REPLACE replace DB", "MOVE %k %d", "!EXPIRE %k %y",
    "!EXPIRE %k %y %o? %o?", "!PEXPIRE %k %m", "!PEXPIRE %k %m %o? %o?", "!EXPIREAT %k %Y %o? %o?",
    "!PEXPIREAT %k %M %o? %o?", "EXPIREAT %k 1 %o?", "PEXPIREAT %k 1", "TTL %k", "PTTL %k",
    "EXPIRETIME %k", "PEXPIRETIME %k", "PERSIST %k", "KEYS *", "KEYS %p", "KEYS %k", "DBSIZE",
    "OBJECT ENCODING %k", "OBJECT REFCOUNT none", "OBJECT FREQ %k", "OBJECT IDLETIME %k",
    "OBJECT NOSUCH %k", "!SCAN 0 MATCH %p COUNT 1000", "!SCAN 0 TYPE list COUNT 1000",
    "!SCAN 0 TYPE STRING MATCH s* COUNT 1000", "!SCAN 0 COUNT 1000 TYPE nosuch", "!SCAN 0 COUNT 0",
    "!SCAN abc", "!SCAN 5x MATCH", "!SCAN 0 COUNT abc COUNT -1", "!SCAN 0 NOSUCH 1",
    "!SCAN 18446744073709551616",
    // clang-format on
};

constexpr std::string_view kList[] = {
    // clang-format off
    "LPUSH %L %v+", "RPUSH %L %v+", "RPUSH %L %v+", "LPUSHX %L %v+", "RPUSHX %L %v+", "LPOP %L",
    "LPOP %L %n", "RPOP %L", "RPOP %L %N", "LLEN %L", "LRANGE %L %i %i", "LRANGE %L 0 -1",
    "LRANGE %L %N %N", "LINDEX %L %i", "LINDEX %L %N", "LREM %L %n %v", "LREM %L %N %v",
    "LTRIM %L %i %i", "LTRIM %L 1 -1", "LSET %L %i %v", "LINSERT %L BEFORE %v %v",
    "LINSERT %L after %v %v", "LINSERT %L %s %v %v", "LMOVE %L %L %s %s", "RPOPLPUSH %L %L",
    "LPOS %L %v", "LPOS %L %v RANK %n", "LPOS %L %v COUNT %n", "LPOS %L %v RANK %n COUNT %n",
    "LPOS %L %v MAXLEN %n RANK -1 COUNT 0", "LPOS %L %v RANK", "LPOS %L %v FOO 1", "LMPOP %L# %s",
    "LMPOP %L# %s COUNT %n", "LMPOP %L# LEFT COUNT 2 COUNT 1", "LMPOP %L# %s FOO",
    // clang-format on
};

constexpr std::string_view kHash[] = {
    // clang-format off
    "HSET %H %v %v", "HSET %H %v %v %v %v", "HSET %H %v %v %v", "HMSET %H %v %v",
    "HMSET %H %v %v %v", "HSETNX %H %v %v", "HGET %H %v", "HGET %H a", "HMGET %H %v+",
    "HDEL %H %v+", "HLEN %H", "HSTRLEN %H %v", "HGETALL %H", "HGETALL %H", "HEXISTS %H %v",
    "HINCRBY %H %v %N", "HINCRBYFLOAT %H %v %G", "HKEYS %H", "HVALS %H", "!HSCAN %H 0 COUNT 1000",
    "!HSCAN %H 0 MATCH %v COUNT 1000", "!HSCAN %H abc", "!HSCAN %H 0 COUNT 0",
    "!HSCAN %H 0 COUNT abc", "!HSCAN %H 0 TYPE hash",
    // clang-format on
};

constexpr std::string_view kSet[] = {
    // clang-format off
    "SADD %T %v+", "SADD %T %v+", "SADD %T %n %n %n", "SREM %T %v+", "SMEMBERS %T",
    "SISMEMBER %T %v", "SMISMEMBER %T %v+", "SCARD %T", "SMOVE %T %T %v", "SINTER %T+",
    "SUNION %T+", "SDIFF %T+", "SINTERSTORE %k %T+", "SUNIONSTORE %k %T+", "SDIFFSTORE %k %T+",
    "SINTERCARD %T#", "SINTERCARD %T# LIMIT %n", "SINTERCARD %T# LIMIT %N LIMIT 1",
    "SINTERCARD %T# FOO", "!SSCAN %T 0 COUNT 1000", "!SSCAN %T 0 MATCH %v COUNT 1000",
    "!SSCAN %T abc", "!SSCAN %T 0 COUNT 0", "!SSCAN %T 0 COUNT abc MATCH", "!SSCAN %T 0 FOO 1",
    // clang-format on
};

constexpr std::string_view kSortedSet[] = {
    // clang-format off
    "ZADD %Z %f %v", "ZADD %Z 1 a 2 b 3 c", "ZADD %Z 0 a 0 b 0 c 0 abc", "ZADD %Z %z? %z? %f %v",
    "ZADD %Z %f %v %f %v", "ZADD %Z %z? %z? %z? %f %v", "ZADD %Z %z %f %v %f %v", "ZADD %Z %z %f",
    "ZINCRBY %Z %f %v", "ZREM %Z %v+", "ZCARD %Z", "ZSCORE %Z %v", "ZMSCORE %Z %v+",
    "ZRANGE %Z %i %i", "ZRANGE %Z 0 -1 WITHSCORES", "ZRANGE %Z %N %N REV WITHSCORES",
    "ZRANGE %Z %b %b BYSCORE LIMIT %n %n", "ZRANGE %Z %b %b BYSCORE REV WITHSCORES",
    "ZRANGE %Z %x %x BYLEX", "ZRANGE %Z %x %x BYLEX REV LIMIT %n %n", "ZRANGE %Z 0 -1 LIMIT 0 %n",
    "ZRANGE %Z - + BYLEX WITHSCORES", "ZRANGE %Z 0 -1 REV rev BYSCORE BYLEX", "ZRANGE %Z 0 -1 FOO",
    "ZRANGESTORE %k %Z %i %i", "ZRANGESTORE %Z %Z %b %b BYSCORE LIMIT 0 %n",
    "ZRANGESTORE %Z %Z %x %x BYLEX REV", "ZRANGESTORE %Z %Z 0 -1 WITHSCORES",
    "ZRANGEBYSCORE %Z %b %b", "ZRANGEBYSCORE %Z %b %b WITHSCORES LIMIT %n %n",
    "ZREVRANGEBYSCORE %Z %b %b", "ZREVRANGEBYSCORE %Z %b %b LIMIT %n %n WITHSCORES",
    "ZREVRANGE %Z %i %i WITHSCORES", "ZREVRANGE %Z %i %i", "ZRANGEBYLEX %Z %x %x",
    "ZRANGEBYLEX %Z - + LIMIT %n %n", "ZREVRANGEBYLEX %Z %x %x",
    "ZREVRANGEBYLEX %Z + - LIMIT %n %n", "ZLEXCOUNT %Z %x %x", "ZREMRANGEBYSCORE %Z %b %b",
    "ZREMRANGEBYRANK %Z %i %i", "ZREMRANGEBYRANK %Z %N %n", "ZREMRANGEBYLEX %Z %x %x",
    "ZCOUNT %Z %b %b", "ZRANK %Z %v", "ZREVRANK %Z %v", "ZRANK %Z a", "ZPOPMIN %Z", "ZPOPMAX %Z",
    "ZPOPMIN %Z %n", "ZPOPMAX %Z %N", "ZMPOP %Z# %q", "ZMPOP %Z# %q COUNT %n",
    "ZMPOP %Z# MIN COUNT 1 COUNT 2", "ZMPOP %Z# %q FOO", "ZUNION %Z#", "ZUNION %Z# WITHSCORES",
    "ZUNION 2 %Z %Z WEIGHTS %F %F WITHSCORES", "ZUNION 2 %Z %T AGGREGATE MAX WITHSCORES",
    "ZUNION 2 %Z %Z AGGREGATE %q WEIGHTS 2 -1", "ZINTER %Z#", "ZINTER %Z# WITHSCORES",
    "ZINTER 2 %Z %T WEIGHTS 2 %F AGGREGATE SUM WITHSCORES", "ZINTER %Z# AGGREGATE %q withscores",
    "ZDIFF %Z#", "ZDIFF %Z# WITHSCORES", "ZDIFF %Z# WEIGHTS 1", "ZUNIONSTORE %k %Z#",
    "ZUNIONSTORE %Z %Z# AGGREGATE %q", "ZUNIONSTORE %Z 2 %Z %T WEIGHTS %F 3",
    "ZUNIONSTORE %Z %Z# WITHSCORES", "ZINTERSTORE %k %Z#", "ZINTERSTORE %Z 2 %Z %Z WEIGHTS 1 %F",
    "ZINTERSTORE %Z %Z# AGGREGATE", "ZDIFFSTORE %k %Z#", "ZDIFFSTORE %Z 2 %Z %T", "ZINTERCARD %Z#",
    "ZINTERCARD %Z# LIMIT %n", "ZINTERCARD %Z# LIMIT %N FOO", "!ZSCAN %Z 0 COUNT 1000",
    "!ZSCAN %Z 0 MATCH %v COUNT 1000", "!ZSCAN %Z abc", "!ZSCAN %Z 0 COUNT 0", "!ZSCAN %Z 0 COUNT",
    // clang-format on
};

constexpr std::string_view kNoChoice[] = {
    // clang-format off
    "!SPOP %T 1000", "!SPOP %T 0", "!SPOP %T abc", "!SPOP %T -1", "!SPOP %T 1 2", "!SPOP missing",
    "!SRANDMEMBER %T 1000", "!SRANDMEMBER %T 0", "!SRANDMEMBER %T abc", "!SRANDMEMBER missing",
    "!SRANDMEMBER %T 5 5", "!HRANDFIELD %H 1000", "!HRANDFIELD %H 1000 WITHVALUES",
    "!HRANDFIELD %H 0", "!HRANDFIELD %H abc", "!HRANDFIELD %H 1 FOO", "!HRANDFIELD missing",
    "!HRANDFIELD %H -9223372036854775808", "!ZRANDMEMBER %Z 1000",
    "!ZRANDMEMBER %Z 1000 WITHSCORES", "!ZRANDMEMBER %Z 0", "!ZRANDMEMBER %Z abc",
    "!ZRANDMEMBER %Z 1 FOO", "!ZRANDMEMBER missing",
    // clang-format on
};

constexpr std::string_view kChoosingPatterns[] = {
    // clang-format off
    "!SPOP %T", "!SPOP %T 1", "!SPOP %T 2", "!SRANDMEMBER %T", "!SRANDMEMBER %T 1",
    "!SRANDMEMBER %T 2", "!SRANDMEMBER %T -3", "!HRANDFIELD %H", "!HRANDFIELD %H 1",
    "!HRANDFIELD %H -3", "!HRANDFIELD %H 1 WITHVALUES", "!HRANDFIELD %H -2 withvalues",
    "!ZRANDMEMBER %Z", "!ZRANDMEMBER %Z 2", "!ZRANDMEMBER %Z -3", "!ZRANDMEMBER %Z 1 WITHSCORES",
    "!ZRANDMEMBER %Z -2 WITHSCORES", "!RANDOMKEY", "!SCAN 0", "!SCAN 0 COUNT 1", "!SCAN 0 MATCH %p",
    "!SCAN 0 TYPE list COUNT 2", "!SSCAN %T 0", "!SSCAN %T 0 COUNT 1", "!HSCAN %H 0",
    "!HSCAN %H 0 MATCH a COUNT 1", "!ZSCAN %Z 0",
    // clang-format on
};

constexpr std::string_view kPopulating[] = {"SET s1 10",
                                            "SET s2 text",
                                            "RPUSH l1 a b c a",
                                            "RPUSH l2 10",
                                            "HSET h1 a 1 b x",
                                            "HSET h2 a 1.5 c 3",
                                            "SADD t1 a b",
                                            "SADD t2 1 2 3",
                                            "ZADD z1 1 a 2 b",
                                            "ZADD z2 0 a 0 b",
                                            "SET dead x PXAT 1",
                                            "HSET none a 1",
                                            "SET s1 a EXAT 4102500000"};

}  // namespace

Patterns StringPatterns() { return kString; }
Patterns KeyPatterns() { return kKey; }
Patterns ListPatterns() { return kList; }
Patterns HashPatterns() { return kHash; }
Patterns SetPatterns() { return kSet; }
Patterns SortedSetPatterns() { return kSortedSet; }
Patterns NoChoicePatterns() { return kNoChoice; }
Patterns ChoosingPatterns() { return kChoosingPatterns; }
Patterns PopulatingPatterns() { return kPopulating; }

}  // namespace interlock::testing
