// SPDX-License-Identifier: MIT
#include "tests/redis/differential/regressions.h"

namespace interlock::testing {

namespace {

constexpr Regression kRegressions[] = {
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
};

}  // namespace

std::span<const Regression> Regressions() { return kRegressions; }

}  // namespace interlock::testing
