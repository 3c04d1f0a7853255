// SPDX-License-Identifier: MIT
//
// Patterns of client-side caching: who is tracked and how, and what concerns tracked keys.
#include "tests/redis/differential/grammar.h"

namespace interlock::testing {

namespace {

// Not generated: broadcasts of several clients to one, which come in the order of their addresses.
constexpr std::string_view kTracking[] = {
    // clang-format off
    "CLIENT TRACKING ON", "CLIENT TRACKING ON", "CLIENT TRACKING on", "CLIENT TRACKING OFF",
    "CLIENT TRACKING OFF", "CLIENT TRACKING off BCAST", "CLIENT TRACKING foo",
    "CLIENT TRACKING ON BCAST", "CLIENT TRACKING ON BCAST", "CLIENT TRACKING ON BCAST PREFIX s",
    "CLIENT TRACKING ON BCAST PREFIX l PREFIX s", "CLIENT TRACKING ON BCAST PREFIX %k PREFIX %k",
    "CLIENT TRACKING ON BCAST NOLOOP", "CLIENT TRACKING ON NOLOOP BCAST PREFIX l",
    "CLIENT TRACKING ON PREFIX s", "CLIENT TRACKING ON BCAST PREFIX %v",
    "CLIENT TRACKING ON NOLOOP", "CLIENT TRACKING ON NOLOOP", "CLIENT TRACKING ON OPTIN",
    "CLIENT TRACKING ON OPTIN", "CLIENT TRACKING ON OPTIN NOLOOP", "CLIENT TRACKING ON OPTOUT",
    "CLIENT TRACKING ON OPTOUT", "CLIENT TRACKING ON OPTIN OPTOUT",
    "CLIENT TRACKING ON BCAST OPTIN", "CLIENT TRACKING ON REDIRECT %@",
    "CLIENT TRACKING ON REDIRECT @0", "CLIENT TRACKING ON REDIRECT @1",
    "CLIENT TRACKING ON REDIRECT @1 NOLOOP", "CLIENT TRACKING ON REDIRECT @0 OPTIN",
    "CLIENT TRACKING ON REDIRECT @0 REDIRECT @1", "CLIENT TRACKING ON BCAST REDIRECT @1",
    "CLIENT CACHING YES", "CLIENT CACHING YES", "CLIENT CACHING YES", "CLIENT CACHING NO",
    "CLIENT CACHING NO", "CLIENT CACHING foo", "CLIENT TRACKINGINFO", "CLIENT TRACKINGINFO",
    "CLIENT TRACKINGINFO", "CLIENT GETREDIR", "CLIENT GETREDIR", "CLIENT INFO", "CLIENT LIST",
    "CLIENT ID", "INFO clients", "HELLO 3", "HELLO 3", "HELLO 3", "HELLO 2", "RESET",
    "SUBSCRIBE __redis__:invalidate", "SUBSCRIBE ch1", "PSUBSCRIBE x", "SSUBSCRIBE sc1",
    "GET s1", "GET s1", "GET s2", "MGET %k+", "EXISTS %k+", "LRANGE l1 0 -1", "LLEN l2",
    "HGETALL h1", "SMEMBERS t1", "ZCARD z1", "TYPE %k", "TTL %k", "GET dead", "GET none",
    "SET s1 %v", "SET s1 %v", "SET s2 %v PX %m", "SET s1 %v NX", "MSET s1 %v s2 %v none %v",
    "MSET none %v s2 %v s1 %v", "DEL %k+", "INCR s1", "APPEND s2 %v", "RPUSH l1 %v", "LPOP l2",
    "RENAME %k %k", "COPY %k %k REPLACE", "EXPIRE %k %y", "PERSIST %k", "MOVE %k 1", "SELECT 1",
    "SELECT 0", "FLUSHALL", "FLUSHDB", "FLUSHALL ASYNC", "SWAPDB 0 1",
    "EVAL \"return redis.call('get',KEYS[1])\" 1 %k",
    "EVAL \"return redis.pcall('get','s1')\" 1 %k",
    "EVAL_RO \"return redis.pcall('get',KEYS[1])\" 1 %k",
    "EVAL \"redis.call('set','s1','1') redis.call('set','none','1') return 1\" 0",
    "EVAL \"redis.pcall('get','l1') redis.call('del','l1','s2') redis.call('flushall')\" 0",
    // clang-format on
};

}  // namespace

Patterns TrackingPatterns() { return kTracking; }

}  // namespace interlock::testing
