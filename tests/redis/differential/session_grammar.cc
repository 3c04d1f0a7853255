// SPDX-License-Identifier: MIT
//
// Patterns of the commands about connections, blocking, messages and the server as a whole.
#include "tests/redis/differential/grammar.h"

namespace interlock::testing {

namespace {

constexpr std::string_view kPlain[] = {
    // clang-format off
    "PING", "PING %v", "ECHO %v", "PUBLISH %c %v", "SPUBLISH %C %v", "SELECT %d", "SELECT 0",
    "SELECT 0", "SWAPDB 0 1", "SWAPDB %d %d", "FLUSHDB", "FLUSHDB ASYNC", "FLUSHALL",
    "FLUSHALL sync", "FLUSHALL FOO", "FLUSHDB FOO", "!WAIT 0 0", "!WAIT 0 -1", "!WAIT abc 0",
    "!WAIT 0 abc", "!WAITAOF 0 0 0", "!WAITAOF %i 0 0", "!WAITAOF 0 -1 0", "!WAITAOF abc 0 %N",
    "!WAITAOF 0 abc 0", "!WAITAOF 0 0 -1", "!WAITAOF 0 0 9223372036854775807", "TIME",
    "nosuch %v %v", "NoSuch", "get|set %v", "LASTSAVE", "ROLE",
    "COMMAND COUNT", "COMMAND GETKEYS SET %k %v", "COMMAND GETKEYS MSET %k %v %k %v",
    "COMMAND GETKEYS EVAL x %k# %v", "COMMAND GETKEYS BLPOP %k+ 0", "COMMAND GETKEYS PING %v",
    "!COMMAND GETKEYS ZUNIONSTORE %k 2 %k %k", "COMMAND INFO get set blpop", "COMMAND INFO nosuch",
    "COMMAND INFO", "COMMAND GETKEYSANDFLAGS SET %k %v",
    "!COMMAND GETKEYSANDFLAGS ZUNIONSTORE %k 2 %k %k", "COMMAND GETKEYSANDFLAGS PING %v",
    "!COMMAND GETKEYS MSETEX %N %k %v %k %v %k", "COMMAND GETKEYSANDFLAGS DELIFEQ %k %v",
    "COMMAND GETKEYSANDFLAGS MSETEX 2 %k %v %k %v", "COMMAND GETKEYSANDFLAGS SET %k %v IFEQ %v",
    "COMMAND LIST", "COMMAND LIST FILTERBY ACLCAT list", "COMMAND LIST FILTERBY PATTERN h*",
    "COMMAND LIST FILTERBY FOO x", "COMMAND", "CLUSTER INFO", "CLUSTER KEYSLOT %k", "READONLY",
    "ASKING", "OBJECT HELP", "OBJECT HELP", "OBJECT HELP", "CLIENT HELP", "CONFIG HELP",
    "COMMAND HELP", "PUBSUB HELP",
    "SCRIPT HELP", "COMMAND NOSUCH", "INFO", "INFO clients", "INFO NOSUCH", "PUBSUB CHANNELS",
    "PUBSUB CHANNELS %P", "PUBSUB NUMSUB %c+", "PUBSUB NUMPAT", "PUBSUB NUMSUB",
    "PUBSUB SHARDCHANNELS", "PUBSUB SHARDCHANNELS %P", "PUBSUB SHARDNUMSUB %C+", "PUBSUB NOSUCH",
    // clang-format on
};

constexpr std::string_view kBlocking[] = {
    // clang-format off
    "!BLPOP %L %t", "!BLPOP %L %L %k 0", "!BRPOP l1 l2 %t", "!BLPOP l2 l1 0", "!BRPOP %L %L 0",
    "!BLMOVE %L %L %s %s %t", "!BLMOVE l1 l2 LEFT RIGHT 0", "!BLMOVE l2 l1 right left 0",
    "!BLMOVE l1 %k LEFT RIGHT 0", "!BRPOPLPUSH %L %L %t", "!BRPOPLPUSH l1 l1 0",
    "!BRPOPLPUSH l1 l2 0", "!BLMPOP %t %L# %s", "!BLMPOP 0 2 l1 l2 LEFT",
    "!BLMPOP 0 2 l2 l1 RIGHT COUNT %n", "!BLMPOP 0 1 l1 LEFT COUNT 2", "!BZPOPMIN %Z %t",
    "!BZPOPMIN z1 z2 0", "!BZPOPMAX z2 z1 0", "!BZPOPMAX %Z %Z %t", "!BZMPOP %t %Z# %q",
    "!BZMPOP 0 2 z1 z2 MIN", "!BZMPOP 0 1 z1 MAX COUNT 2", "!BLPOP none 0", "!BZPOPMIN none 0",
    "!WAIT 1 0", "!WAITAOF 0 1 0",
    // clang-format on
};

constexpr std::string_view kWaking[] = {
    // clang-format off
    "RPUSH l1 %v+", "RPUSH l2 %v+", "LPUSH l1 %v+", "LPUSH l2 %v", "RPUSH none %v", "ZADD z1 %f %v",
    "ZADD z2 1 a 2 b", "ZADD none 1 a", "ZINCRBY z1 1 %v", "LMOVE l1 l2 LEFT LEFT",
    "RPOPLPUSH l2 l1", "LMOVE %L %L %s %s", "RENAME %k l1", "RENAME %k z1", "RENAMENX none l2",
    "COPY %k l1 REPLACE", "COPY l1 l2", "COPY z1 z2 REPLACE", "MOVE l1 1", "ZUNIONSTORE z1 1 z2",
    "ZUNIONSTORE z2 2 z1 t1", "ZINTERSTORE z1 1 t1", "ZDIFFSTORE z2 1 z1", "ZRANGESTORE z1 z2 0 -1",
    "SORT t1 ALPHA STORE l1", "LINSERT l1 BEFORE a b", "LPUSHX l1 %v",
    "SET l1 %v", "DEL l1", "DEL l1 l2 z1 z2",
    "HSET l1 a b", "RPOP l1", "FLUSHALL", "SELECT 1", "SELECT 0", "LLEN l1", "EXISTS l1 l2 z1 z2",
    "EVAL \"redis.call('rpush','l1','e1') redis.call('zadd','z1',1,'e2') return 1\" 0",
    "CLIENT UNBLOCK @0", "CLIENT UNBLOCK @1 ERROR", "CLIENT UNBLOCK @2 TIMEOUT",
    "CLIENT UNBLOCK %@", "CLIENT KILL ID @1", "CLIENT KILL ID @2", "MULTI", "EXEC", "EXEC",
    // clang-format on
};

constexpr std::string_view kPubSub[] = {
    // clang-format off
    "SUBSCRIBE %c", "SUBSCRIBE %c+", "UNSUBSCRIBE %c", "UNSUBSCRIBE %c+", "UNSUBSCRIBE nix",
    "PSUBSCRIBE %P", "PSUBSCRIBE %P+", "PUNSUBSCRIBE %P+", "PUNSUBSCRIBE %P", "SSUBSCRIBE %C+",
    "SSUBSCRIBE %C", "SSUBSCRIBE %C",
    "SUNSUBSCRIBE %C+", "SUNSUBSCRIBE %C", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE",
    "PUBLISH %c %v", "PUBLISH %c %v", "PUBLISH %c %v", "SPUBLISH %C %v", "SPUBLISH %C %v",
    "PUBSUB CHANNELS", "PUBSUB NUMSUB %c+", "PUBSUB NUMPAT", "PUBSUB SHARDCHANNELS",
    "PUBSUB SHARDNUMSUB %C+", "PING", "PING %v", "RESET", "GET s1",  // clang-format on
};

constexpr std::string_view kTransaction[] = {"MULTI",   "MULTI",     "EXEC",     "EXEC",
                                             "DISCARD", "WATCH %k+", "WATCH %k", "UNWATCH",
                                             "EXEC a",  "exec a b"};

constexpr std::string_view kConnection[] = {
    // clang-format off
    "RESET", "QUIT", "QUIT", "HELLO", "HELLO 2", "HELLO 3", "HELLO 3", "HELLO 4", "HELLO abc",
    "HELLO 1", "HELLO 2 SETNAME %v SETNAME", "HELLO 3 SETNAME bob", "HELLO 3 AUTH default %v",
    "HELLO 2 AUTH a", "HELLO 3 AUTH default secret SETNAME bob", "AUTH %v", "AUTH default %v",
    "AUTH nobody %v", "AUTH secret", "AUTH default secret", "AUTH a b c", "CLIENT SETNAME %v",
    "CLIENT SETNAME bob", "CLIENT GETNAME", "CLIENT GETNAME", "CLIENT NOSUCH", "CLIENT",
    "CLIENT ID", "CLIENT UNBLOCK %@", "CLIENT UNBLOCK 0 ERROR x", "CLIENT UNBLOCK 99999 FOO",
    "CLIENT UNBLOCK %@ ERROR", "CLIENT INFO", "CLIENT LIST", "CLIENT LIST ID %@ %@",
    "CLIENT LIST TYPE normal", "CLIENT LIST TYPE pubsub", "CLIENT LIST TYPE foo", "CLIENT LIST FOO",
    "CLIENT LIST ID abc", "CLIENT KILL ID %@", "CLIENT KILL ID %@ SKIPME no",
    "CLIENT KILL ID %@ SKIPME foo", "CLIENT KILL TYPE pubsub", "CLIENT KILL TYPE foo",
    "CLIENT KILL USER nobody", "CLIENT KILL nix", "CLIENT KILL ADDR nix", "CLIENT KILL FOO bar",
    "CLIENT NO-EVICT on", "CLIENT NO-EVICT OFF", "CLIENT NO-EVICT foo", "CLIENT NO-TOUCH on",
    "CLIENT NO-TOUCH off", "CLIENT NO-TOUCH foo", "CLIENT SETINFO lib-name %v",
    "CLIENT SETINFO LIB-VER %v", "CLIENT SETINFO %v %v", "CLIENT CAPA redirect", "CLIENT CAPA %v+",
    "!CLIENT REPLY ON",
    "!CLIENT REPLY SKIP", "!CLIENT REPLY OFF", "CLIENT REPLY foo", "CLIENT HELP %v",
    "CLIENT TRACKING ON", "CLIENT TRACKING ON BCAST", "CLIENT TRACKING ON OPTIN",
    "CLIENT TRACKING OFF", "CLIENT CACHING YES", "CLIENT CACHING NO",
    "CLIENT TRACKINGINFO %v %v", "CLIENT GETREDIR x", "CLIENT GETREDIR", "CLIENT TRACKINGINFO",
    // clang-format on
};

constexpr std::string_view kScripting[] = {
    // clang-format off
    "SCRIPT EXISTS %v ffffffffffffffffffffffffffffffffffffffff",
    "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "SCRIPT FLUSH FOO",
    "SCRIPT FLUSH SYNC", "SCRIPT FLUSH async", "SCRIPT FLUSH", "SCRIPT KILL", "SCRIPT NOSUCH",
    "SCRIPT SHOW e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "SCRIPT SHOW %v", "SCRIPT SHOW",
    "SCRIPT LOAD \"return 1\"", "SCRIPT LOAD \"return +\"", "SCRIPT LOAD %v", "EVALSHA %v 0",
    "EVAL \"return 1\" 0", "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    "EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0",
    "EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db %N %k", "EVALSHA_RO %v 0", "EVAL %v %n %v",
    "EVAL_RO \"return redis.call('set','s1','x')\" 0", "EVAL_RO \"return 1\" 0",
    // clang-format on
};

constexpr std::string_view kSetting[] = {
    // clang-format off
    "!CONFIG SET maxmemory 1", "!CONFIG SET maxmemory 0", "!CONFIG SET maxmemory 0",
    "!CONFIG SET maxmemory %h", "!CONFIG SET notify-keyspace-events KEA",
    "!CONFIG SET notify-keyspace-events Kg$lz", "!CONFIG SET notify-keyspace-events Exg",
    "!CONFIG SET notify-keyspace-events AKEmn", "!CONFIG SET notify-keyspace-events foo",
    "!CONFIG SET notify-keyspace-events \"\"", "!CONFIG SET requirepass secret",
    "!CONFIG SET requirepass \"\"", "!CONFIG SET min-replicas-to-write 1",
    "!CONFIG SET min-replicas-to-write 0", "!CONFIG SET min-replicas-to-write 0",
    "!CONFIG SET min-replicas-to-write %N", "!CONFIG SET nosuch 1",
    "!CONFIG SET maxmemory 0 nosuch 1", "!CONFIG SET maxmemory 0 maxmemory 1",
    "!CONFIG SET maxmemory 0 maxmemory-policy foo",
    "!CONFIG SET maxmemory 0 notify-keyspace-events", "!CONFIG SET databases 4",
    "!CONFIG SET maxmemory 100mb maxmemory-policy noeviction", "CONFIG GET maxmemory",
    "CONFIG GET notify-keyspace-events", "CONFIG GET requirepass",
    "CONFIG GET min-replicas-to-write", "CONFIG GET nosuch",
    "CONFIG GET maxmemory min-replicas-to-write", "CONFIG GET databases", "CONFIG NOSUCH",
    "CONFIG RESETSTAT", "CONFIG REWRITE", "!CLIENT PAUSE abc", "!CLIENT PAUSE -1",
    "!CLIENT UNPAUSE", "!CLIENT UNPAUSE", "AUTH secret", "GET s1", "SET s1 %v", "DEL %k",
    "RPUSH l1 %v", "EVAL \"#!lua\\nreturn 1\" 0", "EVAL \"#!lua flags=no-writes\\nreturn 1\" 0",
    "EVAL \"return redis.call('set','s1','x')\" 0", "EVAL \"return redis.pcall('get','s1')\" 0",
    "EVAL \"#!lua flags=allow-oom\\nreturn redis.call('set','s1','y')\" 0", "MULTI", "EXEC", "PING",
    "DEBUG NOSUCH", "!DEBUG SET-ACTIVE-EXPIRE 0", "!DEBUG SLEEP 0",
    // clang-format on
};

}  // namespace

Patterns PlainPatterns() { return kPlain; }
Patterns BlockingPatterns() { return kBlocking; }
Patterns WakingPatterns() { return kWaking; }
Patterns PubSubPatterns() { return kPubSub; }
Patterns TransactionPatterns() { return kTransaction; }
Patterns ConnectionPatterns() { return kConnection; }
Patterns ScriptingPatterns() { return kScripting; }
Patterns SettingPatterns() { return kSetting; }

}  // namespace interlock::testing
